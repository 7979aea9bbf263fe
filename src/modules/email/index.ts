import type { Module } from '../../kernel/module.ts'
import { nanoEmail } from './actions/nano-email.ts'

export const email: Module = { name: 'email', actions: [nanoEmail] }

export type { EmailCtx } from './ctx.ts'
export { claimShare } from './domain/claim.ts'
export { followPayment } from './domain/follow.ts'
export { followEmailPayments, forgetEmailPayments, inviteByMail, mailEmailReceipt } from './jobs.ts'
export { emailRoutes } from './routes/api.ts'
export { claimRoutes } from './routes/claim.tsx'
export { EMAIL_CHECK, OWN_EMAIL_PAYMENT } from './answers.ts'
export { emailPages } from './routes/dashboard.tsx'
export { describedEmailRoutes } from './routes/described.ts'
