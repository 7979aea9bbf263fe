import { AppError } from '../../kernel/errors.ts'

export const tooManyOffers = (max: number, retryAfterSeconds: number) =>
  new AppError('too_many_requests', `At most ${max} offers a day.`, {
    retryAfterSeconds,
    body: {
      detail: `${max} offers of names, changes and credits a day for one account, or one address without a key.`,
    },
  })
export const buyerRequired = () =>
  new AppError('key_required', 'API key required for buy_rpc, or an email.', { body: { field: 'email' } })
export const destinationRequired = () =>
  new AppError('invalid_request', 'This payment came from an exchange. Enter the address to return it to.', {
    body: { field: 'destination' },
  })
export const notHeld = () => new AppError('not_found', 'No payment with this block is waiting to be returned.')
