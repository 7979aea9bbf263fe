import { AppError } from '../../kernel/errors.ts'

export { badField } from '../../kernel/errors.ts'

/** Also for payments of other accounts: a caller learns nothing of what exists elsewhere. */
export const emailPaymentNotFound = () => new AppError('not_found', 'E-mail payment not found.')
export const emailPaymentOver = (status: string) =>
  new AppError('conflict', `The e-mail payment is ${status}. There is nothing left to cancel.`)
export const tooManyRecipients = (max: number, retryAfterSeconds: number) =>
  new AppError('too_many_requests', `An account sends to at most ${max} recipients in 24 hours.`, {
    body: {
      field: 'emails',
      detail: `${max} recipients of an account in 24 hours. The operator of the service can raise it.`,
    },
    retryAfterSeconds,
  })
export const addressBusy = (field: string, retryAfterSeconds: number) =>
  new AppError('too_many_requests', 'This address has got as many mails today as it may get.', {
    body: { field, detail: 'Mails to one address in a day, whoever sends them. It is free again tomorrow.' },
    retryAfterSeconds,
  })
export const addressUnwilling = (field: string) =>
  new AppError('limit_reached', 'This address wants no mail from this service.', { body: { field } })

export const unknownCode = () => new AppError('not_found', 'This code opens nothing. Copy it again from the mail.')
export const claimedAlready = () => new AppError('conflict', 'This payment was claimed already, to another address.')
export const claimOver = () =>
  new AppError('conflict', 'The time to claim this payment is over. The money went back to its sender.')
