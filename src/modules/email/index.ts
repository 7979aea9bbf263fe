export { EMAIL_CHECK, ownPayment as ownEmailPayment } from './answers.ts'
export { wantsNoMail } from './domain/wants-no-mail.ts'
export { fingerprintOf } from './context.ts'
