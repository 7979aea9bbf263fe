import { AppError, overLimit } from '../../../kernel/errors.ts'

export const noPasskeysHere = () =>
  new AppError('feature_disabled', 'Passkeys need BASE_URL to be an https URL with a domain name.')
export const isNoPerson = () => new AppError('conflict', 'Passkeys belong to people. Sign in by email, not with a key.')
/** Always the same, so that an attacker does not learn what was wrong. */
export const badPasskey = (cause?: unknown) =>
  new AppError('invalid_key', 'This passkey was not accepted. Try again.', { cause })
export const notEnrolled = (text: string, cause?: unknown) =>
  new AppError('invalid_request', text, { body: { field: 'credential' }, cause })
export const passkeyNotFound = () => new AppError('not_found', 'Passkey not found.')
export const passkeyTaken = () => new AppError('conflict', 'This passkey is already registered.')
export const tooManyPasskeys = (max: number) =>
  new AppError('conflict', `You can have up to ${max} passkeys. Remove one first.`)
export const lastPasskey = () =>
  new AppError('conflict', 'This account requires passkeys. Add another before you remove the last one.')
export const noCodesWithout = () => new AppError('conflict', 'Recovery codes need a passkey. Add one first.')
const BAD_CODE = 'The email address or the code is wrong, or the code was already used.'
export const badCode = () => new AppError('invalid_key', BAD_CODE)
export const isBadCode = (error: unknown) => error instanceof AppError && error.message === BAD_CODE
export const tooManyTries = (retryAfterSeconds: number) =>
  overLimit('Too many attempts. Try again later.', retryAfterSeconds)

/** The same error as for an expired session. */
export const sessionOver = () => new AppError('invalid_key', 'The session has ended. Sign in again.')
