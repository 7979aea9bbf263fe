import type { Module } from '../../kernel/module.ts'
import { checkoutReport } from './actions/checkout-report.ts'
import { checkout } from './actions/checkout.ts'

export const checkouts: Module = { name: 'checkout', actions: [checkout, checkoutReport] }

export { checkout as checkoutAction } from './actions/checkout.ts'
export { type CheckoutCtx, toCheckoutCtx } from './ctx.ts'
export { deleteCheckout } from './domain/cancel.ts'
export { type LedgerSend } from './domain/baseline.ts'
export { creditSend } from './domain/credit.ts'
export { formatFiat } from './domain/fiat.ts'
export { markPaid } from './domain/mark.ts'
export { openCheckout } from './domain/open.ts'
export { lookAt } from './domain/read-ledger.ts'
export { openSale } from './domain/open-sale.ts'
export { type Stats, gatherStats, readStats } from './domain/report.ts'
export { getCheckout, showCheck } from './domain/show.ts'
export { mailReceipt, releaseAmounts, sweepToMerchant } from './jobs.ts'
export { Monitor } from './monitor.ts'
export { findUnmatched, listKeylessPaid, listUnmatched } from './payments-store.ts'
export { type Filter, countLate, listAccountTotals, listCheckouts } from './report-store.ts'
export { checkoutRoutes } from './routes/index.ts'
export { Shares } from './shares.ts'
export { type Checkout, SERVICE } from './store.ts'
export { readCheckout, toCheckoutId } from './wire-fields.ts'
export {
  CHECK,
  CHECKOUT_EVENT,
  CHECKOUT_WALLET,
  MADE_CHECKOUT,
  MOMENT,
  OVERVIEW,
  OWN_CHECKOUT,
  PAYMENT,
  RECORD,
  STATS,
} from './answers.ts'
export { checkoutPages } from './routes/dashboard.tsx'
export { developerPages } from './routes/developer-dashboard.tsx'
