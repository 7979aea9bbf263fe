import { AppError } from '../../kernel/errors.ts'

export const faucetClosed = () => new AppError('feature_disabled', 'The faucet is closed.')

export const faucetEmpty = () =>
  new AppError('insufficient_funds', 'The faucet is empty at the moment. Nothing was claimed; try again later.')

/** No waiting helps: something about the address itself. */
export const notForFaucet = (reason: string) =>
  new AppError('limit_reached', reason, { body: { field: 'nano_address' } })

/** It is promised and happens by itself; claiming again would only be refused. */
export const claimUnderWay = (id: string) =>
  new AppError('wallet_busy', 'Your claim is queued and will be paid automatically. Do not claim again.', {
    retryAfterSeconds: 10,
    body: { claim: { id, status: 'queued' } },
  })
