export { EMAIL_CHECK, OWN_EMAIL_PAYMENT } from './answers.ts'
export { fingerprintOf } from './room.ts'
