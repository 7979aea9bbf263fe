import { AppError, badField, missingField, overLimit } from '../../kernel/errors.ts'

export { badField, missingField }

/** Also used for checkouts of other accounts, so that a caller cannot learn which ids exist. */
export const checkoutNotFound = (body: Record<string, string> = {}) =>
  new AppError('not_found', 'Checkout not found.', { body })

export const proofNotAvailable = (reason: string) => new AppError('proof_not_available', reason)
/** The payment is real, but no proof of it will ever be available. */
export const noVotes = (reason: string) => new AppError('no_votes', reason)

export const checkoutClosed = (status: string) =>
  new AppError('checkout_closed', `Checkout is ${status} and can no longer be changed.`)
export const alreadyRefunded = () =>
  new AppError('refunded', 'Everything that was paid for this checkout was refunded. It cannot be marked as paid.')
export const fieldFixed = (field: string) =>
  new AppError('conflict', `${field} cannot be changed after the page was opened or a payment was seen.`, {
    body: { field },
  })
export const numberTaken = (number: string, id: string) =>
  new AppError('conflict', `Invoice number ${number} is on checkout ${id} already.`, {
    body: { field: 'invoice.number' },
  })
export const walletFixed = (field: string) =>
  new AppError('conflict', `${field} cannot be changed: a generated wallet is made with its checkout.`, {
    body: { field },
  })
export const notMarkable = (status: string) =>
  new AppError('conflict', `A ${status} checkout can only be marked paid with an unmatched payment.`)
export const paymentNotFound = () =>
  new AppError('not_found', 'No unmatched payment with this block.', { body: { field: 'block_hash' } })
export const addressInUse = () =>
  new AppError('conflict', 'This address has another checkout that is open or still watched. Use a fresh address.', {
    body: { field: 'address' },
  })
export const addressKnown = () =>
  badField('address', 'Without a secret key, unique_address needs a new address that was never used.')
export const tooManyOpen = (max: number, byPublicKey: boolean) =>
  overLimit(
    `${max} open checkouts on one address${byPublicKey ? ' with a public key' : ''}. Closed checkouts do not count. Use another address for more.`,
    60,
    { field: 'address' },
  )
export const amountSpaceExhausted = () =>
  new AppError('amount_space_exhausted', 'No free amount near this price. Try again later.', { retryAfterSeconds: 60 })
export const priceUnavailable = (cause?: unknown) =>
  new AppError('no_price', 'No recent price. Try again in a moment.', { retryAfterSeconds: 30, cause })
export const tooMuchWaits = (max: number) =>
  badField('address', `This address has more than ${max} unreceived payments. Receive them first.`)
export const ledgerInMotion = () =>
  new AppError('no_node', 'This address is receiving too many payments right now. Try again.', { retryAfterSeconds: 5 })
export const keyRequired = (field: string) =>
  new AppError('key_required', `API key required for ${field}.`, { body: { field } })
export const notForPublicKeys = (field: string) =>
  new AppError('feature_disabled', `A public key cannot use ${field}.`, { body: { field } })
export const keyBound = (field: string) =>
  new AppError('feature_disabled', `This public key is bound to other addresses or templates.`, { body: { field } })
export const walletsDisabled = () =>
  new AppError('feature_disabled', 'Generated wallets are not enabled for this account.', { body: { field: 'mode' } })
