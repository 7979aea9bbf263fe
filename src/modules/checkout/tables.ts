import type { MadeWith } from '../../kernel/rights.ts'
import type { BuyersTable } from './buyers/tables.ts'

export type CheckoutMode = 'unique_amount' | 'unique_address' | 'generated_wallet'
/** `refunded` is never stored: it is shown for an order from the service whose payment was refunded. */
export type CheckoutStatus = 'pending' | 'detected' | 'partial' | 'complete' | 'expired' | 'cancelled' | 'refunded'
export const ADDITIONAL_STATUSES = ['none', 'overpaid', 'paid_late', 'marked'] as const
export type AdditionalStatus = (typeof ADDITIONAL_STATUSES)[number]
/** Shown instead of the stored additional status once the merchant has refunded something. */
export const REFUND_MARKERS = ['refunded', 'partly_refunded'] as const
export type Marker = AdditionalStatus | (typeof REFUND_MARKERS)[number]

/** A request for money, and what became of it. */
export interface CheckoutsTable {
  id: string
  /** The account that made it; all checkouts without a key share one owner. */
  owner: string
  key_id: string | null
  mode: CheckoutMode
  status: CheckoutStatus
  additional_status: AdditionalStatus
  /** The address the payer pays to. */
  address: string
  /** The address that finally receives the money; it differs only with a generated wallet. */
  merchant_address: string
  wallet_id: string | null
  currency: string
  /** The price in its currency, as it was given; null where the payer decides. */
  price: string | null
  /** A fiat price in units of 10^-8, so that it can be summed. */
  price_e8: string | null
  /** The amount asked for now, in raw. */
  amount_raw: string | null
  paid_raw: string
  /** JSON list. */
  plans: string
  /** Which of the plans was bought. */
  plan: number | null
  title: string | null
  description: string | null
  image: string | null
  success_url: string | null
  cancel_url: string | null
  webhook_url: string | null
  /** Encrypted. */
  webhook_secret: string | null
  webhook_events: string
  notify: string | null
  /** JSON object. */
  metadata: string
  /** The number of its last timeline entry. */
  seq: number
  created_at: number
  expires_at: number
  /** Until when payments are recorded and its amounts stay reserved. */
  watched_until: number
  /** When its page was first shown. */
  served_at: number | null
  /** When the first block for it was seen. */
  seen_at: number | null
  paid_at: number | null
  hidden_at: number | null
  notified_at: number | null
  /** The send that completed it, and its sender. */
  block_hash: string | null
  payer: string | null
  /** JSON of the detected block that is not confirmed yet. */
  detected_block: string | null
  detected_at: number | null
  /** The number of the look made at its address before it, and the chain's length then; null in a store of 0.1. */
  look: number | null
  look_height: number | null
  /** The merchant's private note. */
  note: string | null
  /** Where the merchant set no price: the price that the payer typed and paid, in the currency. */
  chosen: string | null
  /** What the merchant has refunded, or is refunding; never more than was paid. */
  refunded_raw: string
  /** JSON object: the invoice as the merchant entered it. */
  invoice: string | null
  /** Set when it is paid. */
  invoice_number: string | null
  /** Whether to ask for the bare price, where no other checkout has reserved it. */
  bare_price: number
  /** The kind of the public key that made it; null where none did. */
  made_with: MadeWith | null
  /** Whether the event of its completion has the proof of its payment. */
  webhook_proof: number
}

/** Listed by name, because a prepared statement must not change when a column is added. */
export const CHECKOUT_COLUMNS = [
  'id',
  'owner',
  'key_id',
  'mode',
  'status',
  'additional_status',
  'address',
  'merchant_address',
  'wallet_id',
  'currency',
  'price',
  'price_e8',
  'amount_raw',
  'paid_raw',
  'plans',
  'plan',
  'title',
  'description',
  'image',
  'success_url',
  'cancel_url',
  'webhook_url',
  'webhook_secret',
  'webhook_events',
  'notify',
  'metadata',
  'seq',
  'created_at',
  'expires_at',
  'watched_until',
  'served_at',
  'seen_at',
  'paid_at',
  'hidden_at',
  'notified_at',
  'block_hash',
  'payer',
  'detected_block',
  'detected_at',
  'look',
  'look_height',
  'note',
  'chosen',
  'refunded_raw',
  'invoice',
  'invoice_number',
  'bare_price',
  'made_with',
  'webhook_proof',
] as const satisfies readonly (keyof CheckoutsTable)[]

/** An exact amount at an address, reserved for one checkout of an owner. */
export interface CheckoutReservationsTable {
  address: string
  amount_raw: string
  owner: string
  checkout_id: string
  plan: number
  /** The quote for which it was reserved; null where the price is in nano. */
  quote: number | null
  /** The price was changed before anyone saw it: the merchant decides about a payment of this amount. */
  superseded: number
  /** Where the merchant set no price: what a payer typed, and a fingerprint of that payer. */
  chosen: string | null
  chosen_by: string | null
  created_at: number
  release_at: number
}

/** The amount of nano for a fiat price, valid for a limited time. */
export interface CheckoutQuotesTable {
  checkout_id: string
  plan: number
  seq: number
  rate: string
  source: string
  rate_at: number
  amount_raw: string
  created_at: number
  expires_at: number
}

/** A confirmed send as it concerns one owner. */
export interface CheckoutPaymentsTable {
  owner: string
  block_hash: string
  /** The checkout it paid, or the one it may be meant for while it is unmatched. */
  checkout_id: string | null
  kind: 'counted' | 'late' | 'unmatched'
  address: string
  payer: string
  amount_raw: string
  plan: number | null
  rate: string | null
  rate_source: string | null
  /** When the send was first known, here or to the node. */
  at: number
  created_at: number
}

/** The proof that the network has confirmed a payment. */
interface CheckoutProofsTable {
  checkout_id: string
  block_hash: string
  proof: string
  created_at: number
}

export interface CheckoutTimelineTable {
  checkout_id: string
  seq: number
  status: CheckoutStatus
  additional_status: AdditionalStatus
  reason: string
  block_hash: string | null
  at: number
}

/** A merchant's refund of a checkout, paid by one send of a wallet. */
export interface CheckoutRefundsTable {
  id: string
  checkout_id: string
  owner: string
  /** By link, `sent` means that the money waits behind the link, and `claimed` that the payer has it. */
  status: 'created' | 'sending' | 'sent' | 'failed' | 'claimed'
  given_as: 'send' | 'link'
  /** What the request asked for: everything, an amount of nano, or one of a currency. The same again within a minute is the same refund. */
  asked: string
  /** The Idempotency-Key of the request with its owner; it stays bound to this refund for ever. */
  reference: string | null
  amount_raw: string
  /** The part that was paid beyond the price. */
  excess_raw: string
  currency: string
  /** The part of a fiat price that it refunds, in units of 10^-8; null where the price is in nano. */
  fiat_e8: string | null
  rate: string | null
  rate_source: string | null
  /** The recipient; null for a link that was not claimed. */
  address: string | null
  /** The wallet that pays. */
  wallet_id: string
  from_address: string
  /** The send in that wallet's outbox. */
  block_id: string
  hash: string | null
  /** The claim that its link opens. */
  claim_id: string | null
  reason: string | null
  failure: string | null
  created_at: number
  sent_at: number | null
  ended_at: number | null
  /** When the job looks at it again; null once it is over. */
  due_at: number | null
}

/** An owner who waits for payments at an address. */
interface CheckoutWatchersTable {
  address: string
  owner: string
  since: number
  watched_until: number
  /** The look at the address from which the owner waits there; null in a store of 0.1. */
  look: number | null
  look_height: number | null
}

/** Addresses that the poller scans, and how far it has come. */
export interface WatchedAddressesTable {
  address: string
  since: number
  /** When the newest checkout there was made, which sets the pace of the scans. */
  fresh_at: number
  watched_until: number
  /** When the last complete scan began; a checkout expires only after a scan that began after its end. */
  scanned_at: number
  next_scan_at: number
  /** The newest block of the address's history that was scanned. */
  frontier: string | null
  /** Counts the looks at what is on the address, one for each checkout made there. */
  looks: number
  /** The chain's length at the first look: blocks up to there never count. Null in a store of 0.1. */
  floor_height: number | null
}

/** A send that lay on an address before later checkouts were made there, so it cannot pay those. */
interface CheckoutSightingsTable {
  address: string
  hash: string
  /** The first look that saw it; 0 for sends that a node's own time proved old. */
  look: number
}

/** Totals of an account's checkouts by the day they were made, split into parts that are added up. */
interface CheckoutSumsTable {
  owner: string
  /** Empty for checkouts without a key. */
  key_id: string
  /** Whole days since 1970, in UTC. */
  day: number
  status: CheckoutStatus
  currency: string
  part: number
  count: number
  raw: string
  e8: string
}

/** Totals of complete checkouts by the day they were paid. */
interface CheckoutPaidSumsTable {
  owner: string
  day: number
  currency: string
  part: number
  count: number
  raw: string
  e8: string
}

/** The last invoice number of an account. */
interface InvoiceCountersTable {
  owner: string
  last: number
}

export interface CheckoutTables {
  checkouts: CheckoutsTable
  checkout_buyers: BuyersTable
  checkout_reservations: CheckoutReservationsTable
  checkout_quotes: CheckoutQuotesTable
  checkout_payments: CheckoutPaymentsTable
  checkout_proofs: CheckoutProofsTable
  checkout_refunds: CheckoutRefundsTable
  checkout_timeline: CheckoutTimelineTable
  checkout_watchers: CheckoutWatchersTable
  watched_addresses: WatchedAddressesTable
  checkout_sightings: CheckoutSightingsTable
  checkout_sums: CheckoutSumsTable
  checkout_paid_sums: CheckoutPaidSumsTable
  invoice_counters: InvoiceCountersTable
}

/** Ordered so that every table comes after the tables that it refers to. Sums are left out, because each store computes its own. */
export const CHECKOUT_TABLES = [
  'checkouts',
  'checkout_buyers',
  'checkout_reservations',
  'checkout_quotes',
  'checkout_payments',
  'checkout_proofs',
  'checkout_refunds',
  'checkout_timeline',
  'checkout_watchers',
  'watched_addresses',
  'checkout_sightings',
  'invoice_counters',
] as const satisfies readonly (keyof CheckoutTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends CheckoutTables {}
}
