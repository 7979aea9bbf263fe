export { EMAIL_CHECK, OWN_EMAIL_PAYMENT } from './answers.ts'
export { wantsNoMail } from './domain/wants-no-mail.ts'
export { fingerprintOf } from './context.ts'
