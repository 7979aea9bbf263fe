import type { Module } from '../../kernel/module.ts'
import { checkoutReport } from './actions/checkout-report.ts'
import { checkout } from './actions/checkout.ts'

export const checkouts: Module = { name: 'checkout', actions: [checkout, checkoutReport] }

export { checkout as checkoutAction } from './actions/checkout.ts'
export { type CheckoutCtx, toCheckoutCtx } from './ctx.ts'
export { asOrdered } from './domain/as-ordered.ts'
export { type Choice, chooseAmount, isOpenAmount, readChoice } from './domain/choose-amount.ts'
export { deleteCheckout } from './domain/cancel.ts'
export { type LedgerSend } from './domain/baseline.ts'
export { creditSend } from './domain/credit.ts'
export { exportPayments } from './domain/export.ts'
export { cancelCheckout } from './developer/cancel-checkout.ts'
export { expireCheckout } from './developer/expire-checkout.ts'
export { fundAddress } from './developer/fund-address.ts'
export { payCheckout } from './developer/pay-checkout.ts'
export { readBlockHash, readFunding, readWay } from './developer/wire-fields.ts'
export { formatFiat } from './domain/fiat.ts'
export { readMoment } from './domain/period.ts'
export { markPaid } from './domain/mark.ts'
export { type Opened, openCheckout } from './domain/open.ts'
export { lookAt } from './domain/read-ledger.ts'
export { openSale } from './domain/open-sale.ts'
export { type Stats, gatherStats, readOverview, readStats, readStatus } from './domain/report.ts'
export {
  getCheckout,
  getOwn,
  readPageFacts,
  servePage,
  showCheck,
  showOwn,
  showRecord,
  showUnmatched,
  worthOf,
} from './domain/show.ts'
export { updateCheckout } from './domain/update.ts'
export { badField, checkoutNotFound } from './errors.ts'
export { mailReceipt, releaseAmounts, sweepToMerchant } from './jobs.ts'
export { Monitor } from './monitor.ts'
export { findUnmatched, listKeylessPaid, listUnmatched } from './payments-store.ts'
export { type Filter, countByStatus, countLate, listAccountTotals, listCheckouts } from './report-store.ts'
export { checkoutRoutes } from './routes/index.ts'
export { Shares } from './shares.ts'
export { amountToPay, askedRaw, excessOf, paymentLink, toOwnView, toResponse } from './shape.ts'
export { type Checkout, OPEN_STATUSES, SERVICE } from './store.ts'
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
