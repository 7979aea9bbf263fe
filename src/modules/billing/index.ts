import type { Module } from '../../kernel/module.ts'
import { buyRpc } from './actions/buy-rpc.ts'

export const billing: Module = { name: 'billing', actions: [buyRpc] }

export { type Learn, describeOrder } from './domain/describe.ts'
export { listWaiting } from './domain/list-waiting.ts'
export { type NewOrder, openOrder } from './domain/open-order.ts'
export { releasePayment } from './domain/release.ts'
export { CREDITS, giveCredits, offerCredits } from './domain/sell-credits.ts'
export { type Fulfil, type Settlement, resumeOrder, settlePayment } from './domain/settle.ts'
export { refundUnauthorized } from './jobs.ts'
export { OFFERED, OFFERED_PLAN, toOffer } from './shape-offer.ts'
export { lockOrder, updateDetail } from './store.ts'
export { creditPages } from './routes/dashboard.tsx'
