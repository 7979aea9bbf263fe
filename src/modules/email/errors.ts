import { AppError, overLimit } from '../../kernel/errors.ts'

export { badField } from '../../kernel/errors.ts'

/** Also used for payments of other accounts, so that a caller cannot learn which exist. */
export const emailPaymentNotFound = () => new AppError('not_found', 'Email payment not found.')
export const emailPaymentOver = (status: string) =>
  new AppError('conflict', `This email payment is ${status} and can no longer be cancelled.`)
export const tooManyRecipients = (max: number, retryAfterSeconds: number) =>
  overLimit(`Limit: ${max} recipients per account in 24 hours. The operator can raise it.`, retryAfterSeconds, {
    field: 'emails',
  })
export const addressBusy = (field: string, retryAfterSeconds: number) =>
  overLimit(
    'This address has reached its daily email limit, which counts emails from all senders. Try again tomorrow.',
    retryAfterSeconds,
    { field },
  )
export const addressUnwilling = (field: string) =>
  new AppError('limit_reached', 'This address has opted out of email from this service.', { body: { field } })

export const unknownCode = () => new AppError('not_found', 'This code is not valid. Copy it again from the email.')
export const claimedAlready = () => new AppError('conflict', 'This payment was already claimed to another address.')
export const claimOver = () =>
  new AppError('conflict', 'This payment has expired. The money was returned to the sender.')
/** The money of a link has not reached its wallet yet. */
export const claimNotReady = () =>
  new AppError('wallet_busy', 'The money has not arrived yet. Nothing was claimed; try again in a minute.', {
    retryAfterSeconds: 10,
  })
