import { AppError, overLimit } from '../../kernel/errors.ts'

export const tooManyOffers = (max: number, retryAfterSeconds: number) =>
  overLimit(
    `${max} offers of names, changes and credits a day for one account, or one address without a key.`,
    retryAfterSeconds,
  )
export const buyerRequired = () =>
  new AppError('key_required', 'API key required for buy_rpc, or an email.', { body: { field: 'email' } })
export const destinationRequired = () =>
  new AppError('invalid_request', 'This payment came from an exchange. Enter the address to return it to.', {
    body: { field: 'destination' },
  })
export const notHeld = () => new AppError('not_found', 'No payment with this block is waiting to be returned.')
