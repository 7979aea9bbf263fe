import type { MadeWith } from '../../kernel/rights.ts'
import { type Raw, toRaw } from '../../kernel/money.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import type { Invoice } from './invoices/invoice.ts'
import {
  type RecordIn,
  type RowIn,
  big,
  column,
  columns,
  flag,
  json,
  named,
  orNull,
  orUndefined,
  plain,
  raw,
} from '../../kernel/resource/columns.ts'

export type CheckoutMode = 'unique_amount' | 'unique_address' | 'generated_wallet'
/** `refunded` is never stored: it is shown for an order from the service whose payment was refunded. */
export type CheckoutStatus = 'pending' | 'detected' | 'partial' | 'complete' | 'expired' | 'cancelled' | 'refunded'
export const ADDITIONAL_STATUSES = ['none', 'overpaid', 'paid_late', 'marked'] as const
export type AdditionalStatus = (typeof ADDITIONAL_STATUSES)[number]
/** Shown instead of the stored additional status once the merchant has refunded something. */
export const REFUND_MARKERS = ['refunded', 'partly_refunded'] as const
export type Marker = AdditionalStatus | (typeof REFUND_MARKERS)[number]

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

/** Whether something was paid and all of it was refunded, or is being refunded. */
export const isAllRefunded = ({ paidRaw, refundedRaw }: Pick<Checkout, 'paidRaw' | 'refundedRaw'>): boolean =>
  refundedRaw > 0n && refundedRaw === paidRaw

/** The `additional_status` as it is shown. */
export const markerOf = (checkout: Pick<Checkout, 'additional' | 'paidRaw' | 'refundedRaw'>): Marker => {
  if (checkout.refundedRaw === 0n) return checkout.additional
  return isAllRefunded(checkout) ? 'refunded' : 'partly_refunded'
}

interface StoredPlan {
  title: string
  value: string
  discount: number | false
  amount_raw: string | null
}

const plans = column<Plan[], string>({
  toColumn: (value) =>
    JSON.stringify(
      value.map(({ amountRaw, ...plan }): StoredPlan => ({ ...plan, amount_raw: amountRaw?.toString() ?? null })),
    ),
  fromColumn: (stored) =>
    (JSON.parse(stored) as StoredPlan[]).map(({ amount_raw: amount, ...plan }) => ({
      ...plan,
      amountRaw: amount === null ? undefined : toRaw(BigInt(amount)),
    })),
})

export const toStoredBlock = ({ hash, account, amountRaw }: SeenBlock) =>
  JSON.stringify({ hash, account, amount_raw: amountRaw.toString() })

export function toSeenBlock(text: string): SeenBlock {
  const { hash, account, amount_raw: amount } = JSON.parse(text) as Record<'hash' | 'account' | 'amount_raw', string>
  return { hash, account, amountRaw: toRaw(BigInt(amount)) }
}

const seenBlock = column({ toColumn: toStoredBlock, fromColumn: toSeenBlock })

/** A request for money, and what became of it. */
export const CHECKOUT = columns({
  id: plain<string>(),
  /** The account that made it; all checkouts without a key share one owner. */
  owner: plain<string>(),
  keyId: plain<string | null>(),
  mode: plain<CheckoutMode>(),
  status: plain<CheckoutStatus>(),
  additional: named('additional_status', plain<AdditionalStatus>()),
  /** The address the payer pays to. */
  address: plain<string>(),
  /** The address that finally receives the money; it differs only with a generated wallet. */
  merchantAddress: plain<string>(),
  walletId: plain<string | null>(),
  currency: plain<string>(),
  /** The price in its currency, as it was given; null where the payer decides. */
  price: plain<string | null>(),
  /** A fiat price in units of 10^-8, so that it can be summed. */
  priceE8: orUndefined(big()),
  /** The amount asked for now. */
  amountRaw: orUndefined(raw()),
  paidRaw: raw(),
  plans,
  /** Which of the plans was bought. */
  plan: plain<number | null>(),
  title: plain<string | null>(),
  description: plain<string | null>(),
  image: plain<string | null>(),
  successUrl: plain<string | null>(),
  cancelUrl: plain<string | null>(),
  webhookUrl: plain<string | null>(),
  /** Encrypted. */
  webhookSecret: plain<string | null>(),
  webhookEvents: json<string[]>(),
  notify: plain<string | null>(),
  metadata: json<JsonObject>(),
  /** The number of its last timeline entry. */
  seq: plain<number>(),
  createdAt: plain<number>(),
  expiresAt: plain<number>(),
  /** Until when payments are recorded and its amounts stay reserved. */
  watchedUntil: plain<number>(),
  /** When its page was first shown. */
  servedAt: plain<number | null>(),
  /** When the first block for it was seen. */
  seenAt: plain<number | null>(),
  paidAt: plain<number | null>(),
  hiddenAt: plain<number | null>(),
  notifiedAt: plain<number | null>(),
  /** The send that completed it, and its sender. */
  blockHash: plain<string | null>(),
  payer: plain<string | null>(),
  /** The detected block that is not confirmed yet. */
  detected: named('detected_block', orUndefined(seenBlock)),
  detectedAt: plain<number | null>(),
  /** The number of the look made at its address before it, and the chain's length then; null in a store of 0.1. */
  look: plain<number | null>(),
  lookHeight: plain<number | null>(),
  /** The merchant's private note. */
  note: plain<string | null>(),
  /** Where the merchant set no price: the price that the payer typed and paid, in the currency. */
  chosen: plain<string | null>(),
  /** What the merchant has refunded, or is refunding; never more than was paid. */
  refundedRaw: raw(),
  /** The invoice as the merchant entered it. */
  invoice: orNull(json<Invoice>()),
  /** Set when it is paid. */
  invoiceNumber: plain<string | null>(),
  /** Whether to ask for the bare price, without a tail, where no other checkout has reserved it. */
  barePrice: flag(),
  /** The kind of the public key that made it; null where none did. */
  madeWith: plain<MadeWith | null>(),
  /** Whether the event of its completion has the proof of its payment. */
  webhookProof: flag(),
})

export type Checkout = RecordIn<typeof CHECKOUT>
export type CheckoutsTable = RowIn<typeof CHECKOUT>
export const toCheckout = CHECKOUT.toRecord
export const CHECKOUT_COLUMNS = CHECKOUT.names
