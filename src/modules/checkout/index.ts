export type { CheckoutContext } from './context.ts'
export { decimalsOf, formatFiat } from './domain/fiat.ts'
export { openSale } from './domain/open-sale.ts'
export { type Stats, gatherStats } from './domain/report.ts'
export { getCheckout, readPageFacts, servePage } from './domain/show.ts'
export { paymentLink } from './shape.ts'
export { openCheckout, requirePayout } from './domain/open.ts'
export { announce } from './domain/events.ts'
export { parseFiat } from './domain/fiat.ts'
export { checkout as checkoutAction } from './actions/checkout.ts'
export { hasGeneratedWallets, requireGeneratedWallets } from './domain/generated-wallet.ts'
export type { LinkSales } from './ports.ts'
export { readTypedInvoice } from './invoices/fields.ts'
export { type TypedTax, WHOLE, partOf, toThousandths } from './invoices/percent.ts'
export {
  type Plan,
  amount,
  currency,
  events,
  lifetime,
  metadata,
  payout,
  plans,
  price,
  proofWanted,
  signingSecret,
  webhookUrl,
} from './resource-fields.ts'
export { readPrice } from './price-fields.ts'
export { listCheckouts } from './report-store.ts'
export { secretContext as checkoutSecretContext } from './secret-context.ts'
export { countUnmatched, findUnmatched, listUnmatched } from './payments-store.ts'
export { showDay, showNanoShort, showSum, toPaymentRows } from './payment-row.ts'
export { type Takings, addTakings, byDate, datesUntil, listTakings } from './statement/takings.ts'
export { countLate, sumRefundsByKey } from './report-store.ts'
export { listAccountTotals } from './sums-store.ts'
export type { OrderStanding, ServicePayment } from './service-sales.ts'
export type { CheckoutPorts } from './ports.ts'
export { type Checkout, LINK_ID, OPEN_STATUSES, POS_ID, SERVICE, markerOf } from './record.ts'
export { findCheckout, findOwnCheckout, findUsualAddress } from './store.ts'
export { findBuyer } from './buyers/store.ts'
export { LANGUAGES, type Voice, fill, languagesOf, negotiate } from './texts/index.ts'
export { showMoney, showNano } from '../../web/formats.ts'
export { readCheckout, readMode, toCheckoutId } from './wire-fields.ts'
export { EVENT_KINDS } from './event-kinds.ts'
export type { CheckoutModule } from './open.ts'
export { CHECKOUT_EVENT } from './answers.ts'
export { CHECK, OWN_CHECKOUT, RECORD, payment as checkoutPayment } from './views.ts'
