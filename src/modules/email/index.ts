import type { Module } from '../../kernel/module.ts'
import { nanoEmail } from './actions/nano-email.ts'

export const email: Module = { name: 'email', actions: [nanoEmail] }

export { nanoEmail } from './actions/nano-email.ts'
export type { EmailCtx } from './ctx.ts'
export { cancelEmailPayment } from './domain/cancel.ts'
export { type Share, claimShare, openShare } from './domain/claim.ts'
export { declineShare } from './domain/decline.ts'
export { followPayment } from './domain/follow.ts'
export { openEmailPayment } from './domain/open.ts'
export {
  fundingLink,
  getEmailPayment,
  getOwnEmailPayment,
  showCheck,
  showListed,
  showOwnEmailPayment,
} from './domain/show.ts'
export { readToken } from './domain/token.ts'
export { badField, unknownCode } from './errors.ts'
export { followEmailPayments, forgetEmailPayments, inviteByMail, mailEmailReceipt } from './jobs.ts'
export { type EmailPayment, type EmailStatus, listEmailPayments } from './store.ts'
export { emailRoutes } from './routes/api.ts'
export { claimRoutes } from './routes/claim.tsx'
export { readEmailRequest } from './wire-fields.ts'
export { CLAIMED_SHARE, EMAIL_CHECK, LISTED_EMAIL_PAYMENT, OWN_EMAIL_PAYMENT } from './answers.ts'
export { emailPages } from './routes/dashboard.tsx'
