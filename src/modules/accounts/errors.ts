import { AppError, overLimit } from '../../kernel/errors.ts'
import type { MemberRole, Scope } from '../../kernel/rights.ts'
import { formatNano } from '../../kernel/money.ts'

export const accountSuspended = () =>
  new AppError('account_suspended', 'This account is suspended. Contact the operator of this service.')
export const accountNotFound = () => new AppError('not_found', 'Account not found.')
export const notSuspendable = () =>
  new AppError('conflict', 'This account is already suspended, or belongs to an administrator.')
export const notSuspended = () => new AppError('conflict', 'This account is not suspended.')
export const tooFewCredits = () =>
  new AppError('conflict', 'The account does not have that many credits.', { body: { field: 'amount' } })

/** Also used for keys of other accounts, so that a caller cannot learn which exist. */
export const keyNotFound = () => new AppError('not_found', 'Key not found.')
export const keyOver = () => new AppError('invalid_key', 'Invalid API Key.')
export const keyEnding = () =>
  new AppError('conflict', 'This key has already been replaced and will stop working soon.')
export const keyExceedsMaker = (field: string) =>
  new AppError('limit_reached', 'A key cannot create or rotate a key with more rights than its own.', {
    body: { field },
  })
export const spendingLimit = ({ limit, spent, resetsAt }: { limit: bigint; spent: bigint; resetsAt: number }) => {
  const amounts = { limit: formatNano(limit), spent: formatNano(spent), resets_unix: resetsAt / 1000 }
  const text = `This key can spend ${amounts.limit} nano a day (UTC); ${amounts.spent} nano is already spent or reserved.`
  return new AppError('spending_limit', text, { body: amounts })
}
/** A person, who has no scopes of their own, gets an error that names their role. */
export function scopeBeyondMaker(scope: Scope, role: MemberRole | undefined) {
  const text =
    role === undefined ? `This key has no scope ${scope}.` : `As a ${role} you cannot give a key the scope ${scope}.`
  return new AppError('missing_scope', text, { body: { scope, ...(role && { role }) } })
}
export const tooManyKeys = (max: number) =>
  new AppError('conflict', `An account can have up to ${max} keys. Revoke one first.`)
export const emailTaken = () => new AppError('conflict', 'An account with this email address already exists.')
export const tooManyLinks = (retryAfterSeconds: number) =>
  overLimit(
    'You can request four sign-in links an hour for one email address, five from all callers together. Links already sent work for one hour.',
    retryAfterSeconds,
  )
export const tooManyRecipients = (max: number, retryAfterSeconds: number) =>
  overLimit(`One IP address can request ${max} sign-in links an hour.`, retryAfterSeconds)
export const tooManyProofs = (retryAfterSeconds: number) =>
  overLimit('You can request five codes and try ten times an hour.', retryAfterSeconds)
export const wrongProof = (field: 'code' | 'key') =>
  new AppError(
    'invalid_request',
    field === 'code' ? 'This code is wrong, expired or already used.' : 'This key does not belong to this account.',
    {
      body: { field },
    },
  )
export const mailIsClosed = () =>
  new AppError('conflict', 'You cannot sign in by email. Use your passkey or a recovery code.')
export const badSignInCode = () =>
  new AppError('invalid_key', 'These digits are wrong, or were used already. Look at the newest mail.', {
    body: { field: 'code' },
  })
export const tooManyCodes = (seconds: number) =>
  overLimit('Too many wrong digits today. Open the link in the mail instead.', seconds, { field: 'code' })
export const badSignInLink = () => new AppError('invalid_key', 'This sign-in link has expired or was already used.')
export const insufficientCredits = () =>
  new AppError('insufficient_credits', 'Not enough credits. Buy some with buy_rpc.')
