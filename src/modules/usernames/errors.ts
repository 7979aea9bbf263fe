import { AppError, type ErrorCode } from '../../kernel/errors.ts'

export const nothingToChange = () =>
  new AppError('invalid_request', 'Nothing to change. Give address, title, website or another field, or remove.', {
    body: { field: 'name' },
  })
export const noSuchOffer = () =>
  new AppError('invalid_request', 'There is no offer to change this name with this id.', { body: { field: 'id' } })
/** `to_sign` is not a secret: only the owner, who may read it, can sign it. */
export const notTheOwner = (toSign: string) =>
  new AppError(
    'not_the_owner',
    'Only the account that leases this name, or a signature from the address that owns it, can authorise a change.',
    { body: { field: 'signature', to_sign: toSign } },
  )
export const signatureNeedsOffer = () =>
  new AppError('invalid_request', 'A signature belongs to one offer. Request an offer first and send its id.', {
    body: { field: 'id' },
  })
export const offerFixed = () =>
  new AppError('conflict', 'This offer already authorises another change. Request a new one.', {
    body: { field: 'id' },
  })
/** Also used for reserved words, which cannot be changed. */
export const nameNotLeased = () =>
  new AppError('username_not_found', 'Username not found.', { body: { field: 'name' } })
/** For a request at a name's own URL. */
export const noSuchName = () => new AppError('not_found', 'Username not found.')
export const nameInGrace = () =>
  new AppError('conflict', 'The lease of this name has expired. Its owner can renew it with get_name.', {
    body: { field: 'name', status: 'grace' },
  })
export const badChange = (field: string, text: string, code: ErrorCode = 'invalid_request') =>
  new AppError(code, text, { body: { field } })
