import { answer } from '../../kernel/answers.ts'
import { formatNano } from '../../kernel/money.ts'
import { nano, raw, unix, unixOrNull, view } from '../../kernel/view.ts'
import { ADDITIONAL, BLOCK, BOUGHT, DISCOUNT, MAKER, MODE, ORDERED, STATUS } from './answers.ts'
import type { Choice } from './domain/choose-amount.ts'
import type { TimelineEntry } from './changes-store.ts'
import type { Payment } from './payments-store.ts'
import type { CheckoutPorts } from './ports.ts'
import { ANONYMOUS, type Checkout, type SeenBlock, markerOf } from './record.ts'
import { ownRefund, publicRefund } from './refunds/shape.ts'
import {
  askedRaw,
  boughtPlan,
  excess,
  fiat,
  invoiceUrl,
  paymentLink,
  priceShown,
  showMaker,
  showPlans,
} from './shape.ts'

/* What answers show of a checkout: to anyone who knows its id, and to its merchant. */

const { text, bool, integer, url, address, hash, optional, orNull, list, record, words } = answer

const shownNano = (amount: bigint | undefined) => (amount === undefined ? null : formatNano(amount))
const EXCESS = {
  amount_paid: nano('paidRaw'),
  amount_paid_raw: raw('paidRaw'),
  amount_excess: [optional(answer.nano), (of: Checkout) => excess(of).amount_excess] as const,
  amount_excess_raw: [optional(answer.raw), (of: Checkout) => excess(of).amount_excess_raw] as const,
}
const MADE = {
  made_with: [MAKER.made_with, (of: Checkout) => showMaker(of).made_with] as const,
  key_id: [MAKER.key_id, (of: Checkout) => showMaker(of).key_id] as const,
  key_bound: [MAKER.key_bound, (of: Checkout) => showMaker(of).key_bound] as const,
}
const REFUNDED = { amount_refunded: optional(answer.nano), amount_refunded_raw: optional(answer.raw) }

/** A checkout as a visitor sees it, with the payments of a complete one. */
type Visited = Checkout & {
  payments: readonly Payment[]
  /** The amount that this visitor chose. */
  choice?: Choice | undefined
}

const amountFor = (of: Visited) => (of.choice && of.status !== 'complete' ? of.choice.amountRaw : askedRaw(of))

function dueFrom(of: Visited): bigint {
  const amount = amountFor(of)
  const isOver = of.status === 'complete' || of.status === 'refunded'
  return isOver || amount === undefined || of.paidRaw >= amount ? 0n : amount - of.paidRaw
}

const showBlock = ({ hash, account, amountRaw }: SeenBlock) => ({
  hash,
  account,
  amount: formatNano(amountRaw),
  amount_raw: amountRaw.toString(),
})

/** The block that completed a checkout; its amount is what was paid, unless several sends made up the sum. */
function completingBlock({ status, blockHash, payments }: Visited) {
  const paid = status === 'complete' ? payments.find((one) => one.blockHash === blockHash) : undefined
  return paid && showBlock({ hash: paid.blockHash, account: paid.payer, amountRaw: paid.amountRaw })
}

/** The payment status, public to anyone who knows the id (contract 2, Checkout status). */
export const check = view<Visited, CheckoutPorts>()({
  id: text,
  status: STATUS,
  additional_status: [ADDITIONAL, markerOf],
  success: [bool, ({ status }) => status === 'complete'],
  address,
  amount: [orNull(answer.nano), (of) => shownNano(amountFor(of))],
  amount_raw: [orNull(answer.raw), (of) => amountFor(of)?.toString() ?? null],
  ...EXCESS,
  amount_due_raw: [answer.raw, (of) => dueFrom(of).toString()],
  expires_unix: unix('expiresAt'),
  json: [url, ({ id }, { links }) => links.record(id)],
  browser: [url, ({ id }, { links }) => links.pay(id)],
  message: [optional(text), ({ status }) => (status === 'complete' ? 'Payment received.' : undefined)],
  block: [optional(BLOCK), completingBlock],
  plan: [optional(BOUGHT), (of) => (of.status === 'complete' ? boughtPlan(of).plan : undefined)],
  detected_block: [
    optional(BLOCK),
    ({ status, detected }) => (status === 'detected' && detected ? showBlock(detected) : undefined),
  ],
  expired: [optional(bool), ({ status }) => status === 'expired' || undefined],
  error: [optional(text), ({ status }) => (status === 'expired' ? 'Expired checkout.' : undefined)],
})

export const CHECK = record({
  ...check.schema.properties,
  ...REFUNDED,
  refunds: optional(list(publicRefund.schema)),
  ...ORDERED,
})

/** The public record that the page shows, without webhooks, mail or metadata (contract 2, rule 17). */
export const publicRecord = view<Visited, CheckoutPorts>()({
  ...check.members,
  browser: [url, ({ id, choice }, { links }) => links.pay(id) + (choice ? `?choice=${choice.amountRaw}` : '')],
  check: [url, ({ id }, { links }) => links.check(id)],
  mode: MODE,
  ...MADE,
  currency: text,
  fiat_amount: [optional(text), (of) => fiat(of).fiat_amount],
  note: [optional(text), (of) => fiat(of).note],
  title: [optional(text), ({ title }) => title ?? undefined],
  description: [optional(text), ({ description }) => description ?? undefined],
  image: [optional(text), ({ image }) => image ?? undefined],
  success_url: [optional(text), ({ successUrl }) => successUrl ?? undefined],
  cancel_url: [optional(text), ({ cancelUrl }) => cancelUrl ?? undefined],
  plans: [
    optional(
      list(
        record({
          title: text,
          value: text,
          value_raw: optional(answer.raw),
          fiat_amount: optional(text),
          discount: DISCOUNT,
          link: optional(answer.paymentUri),
          qrcode: answer.png,
        }),
      ),
    ),
    (of, ports) => showPlans(ports, of).plans,
  ],
  link: [optional(answer.paymentUri), (of) => linkFor(of)],
  qrcode: [answer.png, (of, ports) => ports.qrPng(linkFor(of) ?? ports.links.pay(of.id))],
  created_unix: unix('createdAt'),
  paid_unix: [optional(answer.unix), ({ paidAt }) => (paidAt === null ? undefined : Math.floor(paidAt / 1000))],
})

const linkFor = ({ choice, ...checkout }: Visited) =>
  paymentLink({ ...checkout, amountRaw: choice?.amountRaw ?? checkout.amountRaw })

export const RECORD = record({
  ...CHECK.properties,
  ...publicRecord.schema.properties,
  merchant: optional(
    record({
      name: text,
      logo: optional(url),
      website: optional(url),
      support_email: optional(text),
      support_url: optional(url),
      terms_url: optional(url),
    }),
  ),
})

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
  ...MADE,
  address,
  merchant_address: [optional(address), (of) => (of.merchantAddress === of.address ? undefined : of.merchantAddress)],
  currency: text,
  price: [orNull(text), priceShown],
  fiat_amount: [optional(orNull(text)), (of) => (of.currency === 'NANO' ? undefined : priceShown(of))],
  amount: [orNull(answer.nano), (of) => shownNano(askedRaw(of))],
  amount_raw: [orNull(answer.raw), (of) => askedRaw(of)?.toString() ?? null],
  ...EXCESS,
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
  ...REFUNDED,
  refunds: optional(list(ownRefund.schema)),
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
