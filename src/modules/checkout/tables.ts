import type { MadeWith } from '../../kernel/rights.ts'

export type CheckoutMode = 'unique_amount' | 'unique_address' | 'generated_wallet'
/** `refunded` is never stored: it is how an order of the service is shown whose money went back. */
export type CheckoutStatus = 'pending' | 'detected' | 'partial' | 'complete' | 'expired' | 'cancelled' | 'refunded'
export const ADDITIONAL_STATUSES = ['none', 'overpaid', 'paid_late', 'marked'] as const
export type AdditionalStatus = (typeof ADDITIONAL_STATUSES)[number]
/** What is shown in its place once its merchant has given something back; what was given back says so. */
export const REFUND_MARKERS = ['refunded', 'partly_refunded'] as const
export type Marker = AdditionalStatus | (typeof REFUND_MARKERS)[number]

/** A request for money, and what has come of it. */
export interface CheckoutsTable {
  id: string
  /** The account that made it; all made without a key share one owner. */
  owner: string
  key_id: string | null
  mode: CheckoutMode
  status: CheckoutStatus
  additional_status: AdditionalStatus
  /** Where the payer pays. */
  address: string
  /** Where the money ends: another address only with a generated wallet. */
  merchant_address: string
  wallet_id: string | null
  currency: string
  /** The price in the currency, as it was given; none where the payer decides. */
  price: string | null
  /** The same for money of states, in units of 10^-8, so that it can be summed. */
  price_e8: string | null
  /** What is asked for now, in raw. */
  amount_raw: string | null
  paid_raw: string
  /** JSON list. */
  plans: string
  /** Which of them was bought. */
  plan: number | null
  title: string | null
  description: string | null
  image: string | null
  success_url: string | null
  cancel_url: string | null
  webhook_url: string | null
  /** Sealed. */
  webhook_secret: string | null
  /** JSON list. */
  webhook_events: string
  notify: string | null
  /** JSON object. */
  metadata: string
  /** Counts the entries of its timeline. */
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
  /** The send that completed it, and who sent it. */
  block_hash: string | null
  payer: string | null
  /** JSON of the block that is seen and not confirmed yet. */
  detected_block: string | null
  detected_at: number | null
  /** Which look at its address came before it, and how long the chain of the address was; none in a store of 0.1. */
  look: number | null
  look_height: number | null
  /** What its merchant wants to remember about it. */
  note: string | null
  /** Where the merchant named no price: the one that its payer typed and paid, in the currency. */
  chosen: string | null
  /** What its merchant has given back, or is about to; never more than was paid. */
  refunded_raw: string
  /** JSON object: what its merchant put on its invoice. */
  invoice: string | null
  /** Of its invoice, since it is paid. */
  invoice_number: string | null
  /** Whether its amounts are to be the bare prices, where these are free. */
  bare_price: number
  /** The kind of the public key that made it; null where none did. */
  made_with: MadeWith | null
  /** Whether the event of its completion has the proof of its payment. */
  webhook_proof: number
}

/** Every column, by its name: a statement that is prepared must not change when a column is added. */
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

/** An exact amount at an address belongs to one checkout of an owner. */
export interface CheckoutReservationsTable {
  address: string
  amount_raw: string
  owner: string
  checkout_id: string
  plan: number
  /** The quote it was made for; none where the price is in nano. */
  quote: number | null
  /** The price was changed before anybody saw it: a payment of this amount is for the merchant to look at. */
  superseded: number
  /** What a payer typed, where the merchant named no price, and a fingerprint of who that was. */
  chosen: string | null
  chosen_by: string | null
  created_at: number
  release_at: number
}

/** What a fiat price is in nano, for a while. */
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

/** A confirmed send that concerns an owner, once. */
export interface CheckoutPaymentsTable {
  owner: string
  block_hash: string
  /** Whose it is, or whose it may be as long as it is unmatched. */
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

/** What proves that the network has confirmed a payment. */
interface CheckoutProofsTable {
  checkout_id: string
  block_hash: string
  /** JSON. */
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

/** What a merchant gives back of a checkout. One of them is one send of a wallet. */
export interface CheckoutRefundsTable {
  id: string
  checkout_id: string
  owner: string
  /** By link it is `sent` when the money lies ready, and `claimed` when the payer has fetched it. */
  status: 'created' | 'sending' | 'sent' | 'failed' | 'claimed'
  given_as: 'send' | 'link'
  /** How the amount was asked for: everything, in nano, or in a currency. The same within a minute is the same refund. */
  asked: string
  /** The Idempotency-Key it was asked for with, and whose: it is this refund for ever. */
  reference: string | null
  amount_raw: string
  /** What of it was paid beyond the price. */
  excess_raw: string
  currency: string
  /** What it gives back of the price, in units of 10^-8 of its currency; none where that is nano. */
  fiat_e8: string | null
  rate: string | null
  rate_source: string | null
  /** Where it goes; none for a link that was not used. */
  address: string | null
  /** The wallet that pays. */
  wallet_id: string
  from_address: string
  /** The send in the outbox of that wallet. */
  block_id: string
  hash: string | null
  /** What a link opens. */
  claim_id: string | null
  reason: string | null
  /** Why it failed. */
  failure: string | null
  created_at: number
  sent_at: number | null
  ended_at: number | null
  /** When the job has to look at it again; none once it is over. */
  due_at: number | null
}

/** Who waits for payments at an address. */
interface CheckoutWatchersTable {
  address: string
  owner: string
  since: number
  watched_until: number
  /** The look at the address with which the owner began to wait there; none in a store of 0.1. */
  look: number | null
  look_height: number | null
}

/** Addresses that the poller looks at, and how far it has looked. */
export interface WatchedAddressesTable {
  address: string
  since: number
  /** When the newest checkout was made, which sets the pace. */
  fresh_at: number
  watched_until: number
  /** When the last complete look at the ledger began; nothing expires before one that began after its end. */
  scanned_at: number
  next_scan_at: number
  /** The newest block of the address whose history was looked through. */
  frontier: string | null
  /** Counts the looks at what lies on the address, one for each checkout that was made there. */
  looks: number
  /** How long the chain was at the first of them: nothing up to there is of interest. None in a store of 0.1. */
  floor_height: number | null
}

/** A send that lay on an address before anybody could mean it for a checkout that was made since. */
interface CheckoutSightingsTable {
  address: string
  hash: string
  /** The first look that saw it; 0 for what the time of a node once proved old. */
  look: number
}

/** What the checkouts of an account come to by the day on which they were made; parts of one sum are added up. */
interface CheckoutSumsTable {
  owner: string
  /** Empty for none. */
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

/** What complete ones come to by the day on which they were paid. */
interface CheckoutPaidSumsTable {
  owner: string
  day: number
  currency: string
  part: number
  count: number
  raw: string
  e8: string
}

/** The last number that an account has given to an invoice. */
interface InvoiceCountersTable {
  owner: string
  last: number
}

export interface CheckoutTables {
  checkouts: CheckoutsTable
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

/** In an order in which references are already there. Sums are not among them: every store keeps its own. */
export const CHECKOUT_TABLES = [
  'checkouts',
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
