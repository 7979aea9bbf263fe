import type { MadeWith } from '../../kernel/rights.ts'
import { type Raw, toRaw } from '../../kernel/money.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import type { Invoice } from './invoices/invoice.ts'
import type { AdditionalStatus, CheckoutMode, CheckoutStatus, CheckoutsTable, Marker } from './tables.ts'

/** The owner of all checkouts made without a key (contract 3, rule 4). */
export const ANONYMOUS = 'anonymous'
/** The owner of checkouts by which the service itself sells something. No account can have this id. */
export const SERVICE = 'service'
export const OPEN_STATUSES = ['pending', 'detected', 'partial'] as const satisfies readonly CheckoutStatus[]
/** Prefix of ids of payment links: a checkout made from a link has the link's id as its key id. */
export const LINK_ID = 'lnk'
export const isFromLink = ({ keyId }: Pick<Checkout, 'keyId'>) => keyId?.startsWith(`${LINK_ID}_`) === true
/** Prefix of ids of points of sale, used in the same way. */
export const POS_ID = 'pos'
export const isFromPos = ({ keyId }: Pick<Checkout, 'keyId'>) => keyId?.startsWith(`${POS_ID}_`) === true
/** Anyone who holds the link can make these, so they are counted separately. */
export const isByHolder = ({ keyId }: Pick<Checkout, 'keyId'>) => isFromLink({ keyId }) || isFromPos({ keyId })
/** The plan number of an amount that belongs to no plan. */
export const NO_PLAN = -1

export interface Plan {
  title: string
  /** The price in the currency of the checkout. */
  value: string
  discount: number | false
  /** The amount asked for now. */
  amountRaw: Raw | undefined
}

export interface SeenBlock {
  hash: string
  account: string
  amountRaw: Raw
}

export interface Checkout {
  id: string
  owner: string
  keyId: string | null
  mode: CheckoutMode
  status: CheckoutStatus
  additional: AdditionalStatus
  address: string
  merchantAddress: string
  walletId: string | null
  currency: string
  price: string | null
  priceE8: bigint | undefined
  amountRaw: Raw | undefined
  paidRaw: Raw
  plans: Plan[]
  plan: number | null
  title: string | null
  description: string | null
  image: string | null
  successUrl: string | null
  cancelUrl: string | null
  webhookUrl: string | null
  /** Encrypted. */
  webhookSecret: string | null
  webhookEvents: string[]
  notify: string | null
  metadata: JsonObject
  seq: number
  createdAt: number
  expiresAt: number
  watchedUntil: number
  servedAt: number | null
  seenAt: number | null
  paidAt: number | null
  hiddenAt: number | null
  notifiedAt: number | null
  blockHash: string | null
  payer: string | null
  detected: SeenBlock | undefined
  detectedAt: number | null
  look: number | null
  lookHeight: number | null
  note: string | null
  chosen: string | null
  /** What was refunded, or is being refunded. */
  refundedRaw: Raw
  invoice: Invoice | null
  /** Set when it is paid. */
  invoiceNumber: string | null
  /** Whether the bare price is used as the unique amount, without a tail. */
  barePrice: boolean
  /** The kind of the public key that made it; null where none did. */
  madeWith: MadeWith | null
  /** Whether the event of its completion has the proof of its payment. */
  webhookProof: boolean
}

/** Whether something was paid and all of it was refunded, or is being refunded. */
export const isAllRefunded = ({ paidRaw, refundedRaw }: Pick<Checkout, 'paidRaw' | 'refundedRaw'>): boolean =>
  refundedRaw > 0n && refundedRaw === paidRaw

/** The `additional_status` as it is shown. */
export const markerOf = (checkout: Pick<Checkout, 'additional' | 'paidRaw' | 'refundedRaw'>): Marker => {
  if (checkout.refundedRaw === 0n) return checkout.additional
  return isAllRefunded(checkout) ? 'refunded' : 'partly_refunded'
}

const toAmount = (text: string | null) => (text === null ? undefined : toRaw(BigInt(text)))

interface StoredPlan {
  title: string
  value: string
  discount: number | false
  amount_raw: string | null
}

export const toStoredPlans = (plans: readonly Plan[]) =>
  JSON.stringify(
    plans.map(({ amountRaw, ...plan }): StoredPlan => ({ ...plan, amount_raw: amountRaw?.toString() ?? null })),
  )

export const toStoredBlock = ({ hash, account, amountRaw }: SeenBlock) =>
  JSON.stringify({ hash, account, amount_raw: amountRaw.toString() })

export function toSeenBlock(text: string): SeenBlock {
  const { hash, account, amount_raw: amount } = JSON.parse(text) as Record<'hash' | 'account' | 'amount_raw', string>
  return { hash, account, amountRaw: toRaw(BigInt(amount)) }
}

export function toCheckout(row: CheckoutsTable): Checkout {
  return {
    id: row.id,
    owner: row.owner,
    keyId: row.key_id,
    mode: row.mode,
    status: row.status,
    additional: row.additional_status,
    address: row.address,
    merchantAddress: row.merchant_address,
    walletId: row.wallet_id,
    currency: row.currency,
    price: row.price,
    priceE8: row.price_e8 === null ? undefined : BigInt(row.price_e8),
    amountRaw: toAmount(row.amount_raw),
    paidRaw: toRaw(BigInt(row.paid_raw)),
    plans: (JSON.parse(row.plans) as StoredPlan[]).map(({ amount_raw: amount, ...plan }) => ({
      ...plan,
      amountRaw: toAmount(amount),
    })),
    plan: row.plan,
    title: row.title,
    description: row.description,
    image: row.image,
    successUrl: row.success_url,
    cancelUrl: row.cancel_url,
    webhookUrl: row.webhook_url,
    webhookSecret: row.webhook_secret,
    webhookEvents: JSON.parse(row.webhook_events) as string[],
    notify: row.notify,
    metadata: JSON.parse(row.metadata) as JsonObject,
    seq: row.seq,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    watchedUntil: row.watched_until,
    servedAt: row.served_at,
    seenAt: row.seen_at,
    paidAt: row.paid_at,
    hiddenAt: row.hidden_at,
    notifiedAt: row.notified_at,
    blockHash: row.block_hash,
    payer: row.payer,
    detected: row.detected_block === null ? undefined : toSeenBlock(row.detected_block),
    detectedAt: row.detected_at,
    look: row.look,
    lookHeight: row.look_height,
    note: row.note,
    chosen: row.chosen,
    refundedRaw: toRaw(BigInt(row.refunded_raw)),
    invoice: row.invoice === null ? null : (JSON.parse(row.invoice) as Invoice),
    invoiceNumber: row.invoice_number,
    barePrice: row.bare_price === 1,
    madeWith: row.made_with,
    webhookProof: row.webhook_proof === 1,
  }
}

export function toRow(checkout: Checkout): CheckoutsTable {
  return {
    id: checkout.id,
    owner: checkout.owner,
    key_id: checkout.keyId,
    mode: checkout.mode,
    status: checkout.status,
    additional_status: checkout.additional,
    address: checkout.address,
    merchant_address: checkout.merchantAddress,
    wallet_id: checkout.walletId,
    currency: checkout.currency,
    price: checkout.price,
    price_e8: checkout.priceE8?.toString() ?? null,
    amount_raw: checkout.amountRaw?.toString() ?? null,
    paid_raw: checkout.paidRaw.toString(),
    plans: toStoredPlans(checkout.plans),
    plan: checkout.plan,
    title: checkout.title,
    description: checkout.description,
    image: checkout.image,
    success_url: checkout.successUrl,
    cancel_url: checkout.cancelUrl,
    webhook_url: checkout.webhookUrl,
    webhook_secret: checkout.webhookSecret,
    webhook_events: JSON.stringify(checkout.webhookEvents),
    notify: checkout.notify,
    metadata: JSON.stringify(checkout.metadata),
    seq: checkout.seq,
    created_at: checkout.createdAt,
    expires_at: checkout.expiresAt,
    watched_until: checkout.watchedUntil,
    served_at: checkout.servedAt,
    seen_at: checkout.seenAt,
    paid_at: checkout.paidAt,
    hidden_at: checkout.hiddenAt,
    notified_at: checkout.notifiedAt,
    block_hash: checkout.blockHash,
    payer: checkout.payer,
    detected_block: checkout.detected ? toStoredBlock(checkout.detected) : null,
    detected_at: checkout.detectedAt,
    look: checkout.look,
    look_height: checkout.lookHeight,
    note: checkout.note,
    chosen: checkout.chosen,
    refunded_raw: checkout.refundedRaw.toString(),
    invoice: checkout.invoice === null ? null : JSON.stringify(checkout.invoice),
    invoice_number: checkout.invoiceNumber,
    bare_price: checkout.barePrice ? 1 : 0,
    made_with: checkout.madeWith,
    webhook_proof: checkout.webhookProof ? 1 : 0,
  }
}
