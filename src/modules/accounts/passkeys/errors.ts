import { AppError } from '../../../kernel/errors.ts'

export const noPasskeysHere = () =>
  new AppError('feature_disabled', 'Passkeys need BASE_URL to be an https address with a name.')
export const isNoPerson = () => new AppError('conflict', 'Passkeys are of people: sign in by mail, not with a key.')
/** Always the same, so that a stranger learns nothing of what was wrong. */
export const badPasskey = (cause?: unknown) =>
  new AppError('invalid_key', 'This passkey does not open. Try again.', { cause })
export const notEnrolled = (text: string, cause?: unknown) =>
  new AppError('invalid_request', text, { body: { field: 'credential' }, cause })
export const passkeyNotFound = () => new AppError('not_found', 'Passkey not found.')
export const passkeyTaken = () => new AppError('conflict', 'This passkey is here already.')
export const tooManyPasskeys = (max: number) =>
  new AppError('conflict', `A person has at most ${max} passkeys. Remove one first.`)
export const lastPasskey = () =>
  new AppError('conflict', 'Passkeys are required here. Add another before you remove the last one.')
export const noCodesWithout = () => new AppError('conflict', 'Recovery codes come with a passkey. Add one first.')
const BAD_CODE = 'This address and this code do not go together, or the code is used up.'
export const badCode = () => new AppError('invalid_key', BAD_CODE)
export const isBadCode = (error: unknown) => error instanceof AppError && error.message === BAD_CODE
export const tooManyTries = (retryAfterSeconds: number) =>
  new AppError('too_many_requests', 'Too many requests.', {
    retryAfterSeconds,
    body: { detail: 'Too many tries. Wait a while.' },
  })
