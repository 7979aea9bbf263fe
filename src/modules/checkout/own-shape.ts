import { answer } from '../../kernel/answers.ts'
import { formatNano } from '../../kernel/money.ts'
import { nano, raw, unix, unixOrNull, view } from '../../kernel/view.ts'
import { ADDITIONAL, BOUGHT, DISCOUNT, MAKER, MODE, ORDERED, STATUS } from './answers.ts'
import type { TimelineEntry } from './changes-store.ts'
import type { Payment } from './payments-store.ts'
import type { CheckoutPorts } from './ports.ts'
import { ANONYMOUS, type Checkout, markerOf } from './record.ts'
import { listedRefund } from './refunds/shape.ts'
import { askedRaw, boughtPlan, excess, invoiceUrl, priceShown, showMaker } from './shape.ts'

/* A checkout, its payments and its history as its merchant gets them. */

const { text, bool, integer, url, address, hash, optional, orNull, list, record, words } = answer

/** The invoice as its merchant entered it, with its number once it is paid. */
const INVOICE = record({
  number: orNull(text),
  seller: orNull(text),
  buyer: orNull(record({ name: orNull(text), address: orNull(text), tax_id: orNull(text) })),
  lines: list(record({ title: text, quantity: text, price: text })),
  tax: list(record({ title: text, amount: text })),
})

/** Without secrets. */
export const ownCheckout = view<Checkout, CheckoutPorts>()({
  id: text,
  account: [orNull(text), ({ owner }) => (owner === ANONYMOUS ? null : owner)],
  status: STATUS,
  additional_status: [ADDITIONAL, markerOf],
  mode: MODE,
  made_with: [MAKER.made_with, (checkout) => showMaker(checkout).made_with],
  key_id: [MAKER.key_id, (checkout) => showMaker(checkout).key_id],
  key_bound: [MAKER.key_bound, (checkout) => showMaker(checkout).key_bound],
  address,
  merchant_address: [optional(address), (of) => (of.merchantAddress === of.address ? undefined : of.merchantAddress)],
  currency: text,
  price: [orNull(text), priceShown],
  fiat_amount: [optional(orNull(text)), (of) => (of.currency === 'NANO' ? undefined : priceShown(of))],
  amount: [
    orNull(answer.nano),
    (of) => {
      const asked = askedRaw(of)
      return asked === undefined ? null : formatNano(asked)
    },
  ],
  amount_raw: [orNull(answer.raw), (of) => askedRaw(of)?.toString() ?? null],
  amount_paid: nano('paidRaw'),
  amount_paid_raw: raw('paidRaw'),
  amount_excess: [optional(answer.nano), (of) => excess(of).amount_excess],
  amount_excess_raw: [optional(answer.raw), (of) => excess(of).amount_excess_raw],
  plans: [
    list(record({ title: text, value: text, discount: DISCOUNT, value_raw: orNull(answer.raw) })),
    ({ plans }) => plans.map(({ amountRaw, ...plan }) => ({ ...plan, value_raw: amountRaw?.toString() ?? null })),
  ],
  plan: [optional(BOUGHT), (of) => boughtPlan(of).plan],
  title: orNull(text),
  description: orNull(text),
  image: orNull(text),
  success_url: orNull(text),
  cancel_url: orNull(text),
  webhook_url: orNull(text),
  webhook_events: list(text),
  webhook_secret_set: [bool, ({ webhookSecret }) => webhookSecret !== null],
  webhook_proof: [optional(bool), ({ webhookProof }) => webhookProof || undefined],
  notify: orNull(text),
  metadata: answer.object,
  note: orNull(text),
  block_hash: orNull(hash),
  payer: orNull(address),
  hidden: [bool, ({ hiddenAt }) => hiddenAt !== null],
  created_unix: unix('createdAt'),
  expires_unix: unix('expiresAt'),
  paid_unix: unixOrNull('paidAt'),
  invoice_url: [optional(url), (of, ports) => invoiceUrl(ports, of).invoice_url],
  invoice: [
    optional(INVOICE),
    ({ invoice, invoiceNumber }) => {
      if (invoice === null) return undefined
      const { number, seller, buyer, lines, tax } = invoice
      return {
        number: invoiceNumber ?? number,
        seller,
        buyer: buyer && { name: buyer.name, address: buyer.address, tax_id: buyer.taxId },
        lines: lines.map((line) => ({ ...line })),
        tax: tax.map((line) => ({ ...line })),
      }
    },
  ],
  browser: [url, ({ id }, { links }) => links.pay(id)],
  check: [url, ({ id }, { links }) => links.check(id)],
  json: [url, ({ id }, { links }) => links.record(id)],
})

export const OWN_CHECKOUT = record({
  ...ownCheckout.schema.properties,
  buyer: optional(record({ name: orNull(text), email: orNull(text) })),
  amount_refunded: optional(answer.nano),
  amount_refunded_raw: optional(answer.raw),
  refunds: optional(list(listedRefund.schema)),
  ...ORDERED,
})

export const payment = view<Payment, CheckoutPorts>()({
  block_hash: hash,
  block_url: [text, ({ blockHash }, { links }) => links.block(blockHash)],
  kind: words('counted', 'late', 'unmatched'),
  checkout_id: orNull(text),
  address,
  payer: address,
  amount: nano('amountRaw'),
  amount_raw: raw('amountRaw'),
  rate: orNull(text),
  rate_source: orNull(text),
  at_unix: unix('at'),
})

export const moment = view<TimelineEntry>()({
  seq: integer,
  status: STATUS,
  additional_status: [ADDITIONAL, ({ additional }) => additional],
  at_unix: unix('at'),
  reason: text,
  block_hash: [optional(hash), ({ blockHash }) => blockHash ?? undefined],
})
