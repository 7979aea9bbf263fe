import { answer } from '../../kernel/answers.ts'
import { checkout as checkoutAction } from './actions/checkout.ts'
import { OPTIONAL_KINDS } from './event-kinds.ts'
import { ADDITIONAL_STATUSES, REFUND_MARKERS } from './record.ts'
import { eventRefund } from './refunds/shape.ts'

/* Parts of the answers about checkouts, and answers without a record. */

const { text, bool, integer, raw, nano, unix, url, address, hash, optional, orNull, list, record, words, map } = answer

const STATUSES = ['pending', 'detected', 'partial', 'complete', 'expired', 'cancelled'] as const
export const STATUS = words(...STATUSES, 'refunded')
export const ADDITIONAL = words(...ADDITIONAL_STATUSES, ...REFUND_MARKERS)
export const MODE = words('unique_amount', 'unique_address', 'generated_wallet')
export const DISCOUNT = answer.oneOf(answer.number, bool)

/** Only for checkouts that a public key made. */
export const MAKER = { made_with: optional(words('public_key')), key_id: optional(text), key_bound: optional(bool) }
export const BLOCK = record({ hash, account: address, amount: nano, amount_raw: raw })
export const BOUGHT = record({ title: text, value: text, value_raw: optional(raw), discount: DISCOUNT })

/** What the service sold, and what it refunded. */
export const ORDERED = {
  order: optional(answer.object),
  error: optional(text),
  refund: optional(record({ hash: orNull(hash), amount: nano, amount_raw: raw, address: orNull(address) })),
}

export const CHECKOUT_WALLET = record({
  id: text,
  address,
  status: words('active', 'held', 'expiring', 'ended', 'deleted'),
  balance: raw,
  balance_nano: nano,
})

/** `net` may be below zero in a currency: a refund at today's rate can be worth more than the payment was. */
export const REVENUE = map(
  record({
    count: integer,
    amount: text,
    amount_raw: raw,
    gross: text,
    refunded: text,
    refunded_raw: raw,
    net: text,
    net_raw: raw,
  }),
)
const DAY_REVENUE = map(record({ count: integer, amount: text, amount_raw: raw }))

export const BY_ADDITIONAL = record({ refunded: integer, partly_refunded: integer })

const COUNTED = {
  total: integer,
  by_status: record(Object.fromEntries(STATUSES.map((status) => [status, integer]))),
  by_additional_status: optional(BY_ADDITIONAL),
  revenue: REVENUE,
  series: list(record({ date: text, count: integer, amount: nano, amount_raw: raw, revenue: DAY_REVENUE })),
}

export const STATS = record(COUNTED)

export const OVERVIEW = record({
  ...COUNTED,
  accounts: list(record({ account: orNull(text), total: integer, complete: integer, amount: nano, amount_raw: raw })),
})

/** What the maker of a checkout gets, from the action and from REST alike. */
export const MADE_CHECKOUT = checkoutAction.output

const PROOF_BLOCK = record({ hash, contents: map(text) })

/** The proof that the network has confirmed a payment. */
export const PROOF = record({
  version: integer,
  from: address,
  to: address,
  amount_raw: raw,
  block: PROOF_BLOCK,
  previous: PROOF_BLOCK,
  votes: list(record({ account: address, timestamp: text, duration: text, blocks: list(hash), signature: text })),
  weights: map(raw),
  quorum_raw: raw,
  online_raw: raw,
  source: list(text),
  taken_unix: integer,
  complete: answer.bool,
  checksum: hash,
})

/** The body sent to a webhook (contract 6). */
export const CHECKOUT_EVENT = record({
  id: text,
  type: words('payment.completed', ...OPTIONAL_KINDS),
  created_unix: unix,
  checkout_id: text,
  checkout: url,
  status: STATUS,
  ...MAKER,
  address,
  payment: record({ address, amount: nano, amount_raw: raw }),
  block: optional(record({ hash, account: address, amount: nano, amount_raw: raw, confirmed: answer.flag })),
  refund: optional(eventRefund.schema),
  subscription: optional(
    record({
      id: text,
      payment_link: text,
      status: words('active', 'due', 'lapsed', 'ended'),
      every: text,
      plan: orNull(text),
      email: orNull(text),
      periods: integer,
      paid_until_unix: orNull(unix),
    }),
  ),
  currency: optional(text),
  fiat_amount: optional(orNull(text)),
  rate: optional(orNull(text)),
  rate_source: optional(orNull(text)),
  plan: record({ title: text, value: nano, discount: DISCOUNT, value_raw: raw }),
  metadata: answer.object,
  proof: optional(orNull(PROOF)),
})
