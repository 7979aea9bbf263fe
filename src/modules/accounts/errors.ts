import { AppError } from '../../kernel/errors.ts'

/** Also for keys of other accounts: nobody learns what exists elsewhere. */
export const keyNotFound = () => new AppError('not_found', 'Key not found.')
export const keyOver = () => new AppError('invalid_key', 'Invalid API Key.')
export const keyEnding = () => new AppError('conflict', 'This key has been replaced already and is about to end.')
export const tooManyKeys = (max: number) =>
  new AppError('conflict', `An account has at most ${max} keys. Revoke one first.`)
export const emailTaken = () => new AppError('conflict', 'There is an account with this address already.')
export const tooManyLinks = (retryAfterSeconds: number) =>
  new AppError('too_many_requests', 'Too many requests.', {
    retryAfterSeconds,
    body: { detail: 'Five sign-in links an hour for one mail address. The ones that were mailed work for 30 minutes.' },
  })
export const badSignInLink = () => new AppError('invalid_key', 'This sign-in link is used up or too old.')
export const insufficientCredits = () =>
  new AppError('insufficient_credits', 'Not enough credits. Buy some with buy_rpc.')
