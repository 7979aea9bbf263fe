import { AppError } from '../../kernel/errors.ts'
import { formatNano } from '../../kernel/money.ts'

export const accountSuspended = () =>
  new AppError('account_suspended', 'This account is suspended. The operator of the service can say why.')
export const accountNotFound = () => new AppError('not_found', 'Account not found.')
export const notSuspendable = () =>
  new AppError('conflict', 'This account is suspended already, or belongs to an administrator.')
export const notSuspended = () => new AppError('conflict', 'This account is not suspended.')
export const tooFewCredits = () =>
  new AppError('conflict', 'The account has fewer credits than that.', { body: { field: 'amount' } })

/** Also for keys of other accounts: a caller learns nothing of what exists elsewhere. */
export const keyNotFound = () => new AppError('not_found', 'Key not found.')
export const keyOver = () => new AppError('invalid_key', 'Invalid API Key.')
export const keyEnding = () => new AppError('conflict', 'This key has been replaced already and is about to end.')
export const keyExceedsMaker = (field: string) =>
  new AppError('limit_reached', 'A key makes and rotates no key that may do more than itself.', { body: { field } })
export const spendingLimit = ({ limit, spent, resetsAt }: { limit: bigint; spent: bigint; resetsAt: number }) => {
  const told = { limit: formatNano(limit), spent: formatNano(spent), resets_unix: resetsAt / 1000 }
  const text = `This key spends at most ${told.limit} nano in a day (UTC); ${told.spent} are spent or set aside.`
  return new AppError('spending_limit', text, { body: told })
}
export const tooManyKeys = (max: number) =>
  new AppError('conflict', `An account has at most ${max} keys. Revoke one first.`)
export const emailTaken = () => new AppError('conflict', 'There is an account with this address already.')
export const tooManyLinks = (retryAfterSeconds: number) =>
  new AppError('too_many_requests', 'Too many requests.', {
    retryAfterSeconds,
    body: { detail: 'Five sign-in links an hour for one mail address. The ones that were mailed work for 30 minutes.' },
  })
export const tooManyProofs = (retryAfterSeconds: number) =>
  new AppError('too_many_requests', 'Too many requests.', {
    retryAfterSeconds,
    body: { detail: 'Five codes and ten tries an hour.' },
  })
export const wrongProof = (field: 'code' | 'key') =>
  new AppError(
    'invalid_request',
    field === 'code' ? 'This code is wrong, used up or too old.' : 'This is no key of this account.',
    {
      body: { field },
    },
  )
export const mailIsClosed = () =>
  new AppError('conflict', 'A mail opens nothing for you: use your passkey, or a recovery code.')
export const badSignInLink = () => new AppError('invalid_key', 'This sign-in link is used up or too old.')
export const insufficientCredits = () =>
  new AppError('insufficient_credits', 'Not enough credits. Buy some with buy_rpc.')
