import type { Answers, OwnCheckout } from '../client/index.ts'
import { NanoPaymentError } from './errors.ts'
import { type Price, scale } from './price.ts'
import type { Data, SessionStatus } from './shapes.ts'

/** A refund in Medusa's data. */
export interface KnownRefund {
  /** The gateway's id. */
  id: string
  /** Medusa's id. */
  refund_id: string
  amount: string
}

/**
 * The data of a payment session. Shops send it to browsers, so it contains no secrets, and nothing in it is trusted.
 */
export interface Session extends Price {
  session_id: string
  checkout_id: string
  refunds: readonly KnownRefund[]
}

/** A visitor may add members to a new session, so every member that is read later is set here. */
export function toSession(
  sessionId: string,
  { currency, amount }: Price,
  made: Answers['checkout'],
  gatewayUrl: string,
): Session & Data {
  return {
    session_id: sessionId,
    checkout_id: made.id,
    currency,
    amount,
    /** URL of the payment page. */
    url: made.browser,
    /** The script for `<button data-nano-checkout>`, an alternative to the page. */
    button_script: `${gatewayUrl}/button.js`,
    address: made.address,
    nano_amount: made.amount ?? null,
    link: made.link ?? null,
    rate: made.rate ?? null,
    rate_source: made.rate_source ?? null,
    expires_unix: made.expires_unix,
    checkout_status: made.status,
    refunds: [],
  }
}

/** Undefined if no checkout was made. */
export function readSession(data: Data = {}): Session | undefined {
  const { session_id, checkout_id, currency, amount, refunds } = data
  const texts = [session_id, checkout_id, currency, amount]
  if (!texts.every((text) => typeof text === 'string' && text !== '')) return undefined
  const known = Array.isArray(refunds) ? (refunds as KnownRefund[]) : []
  return { session_id, checkout_id, currency, amount, refunds: known } as unknown as Session
}

/**
 * The checkout must be the one made for this session at this price. A paid checkout of another order does not count.
 */
export function requireSame(session: Session, { id, metadata, currency, price }: OwnCheckout): void {
  const isSame =
    metadata.session_id === session.session_id &&
    currency === session.currency &&
    price !== null &&
    scale(price) === scale(session.amount)
  if (isSame) return
  throw new NanoPaymentError('not_allowed', `Checkout ${id} is not that of session ${session.session_id}.`, {
    code: 'foreign_checkout',
  })
}

/** What the payer has paid and not got back, in raw. */
const heldOf = ({ amount_paid_raw: paid, amount_refunded_raw: refunded = 0n }: OwnCheckout) => paid - refunded

/** Whether the checkout must be kept, because it has received money or money is on its way. */
export const holdsMoney = (checkout: OwnCheckout) => checkout.status === 'detected' || heldOf(checkout) > 0n

/** Confirmed nano is final, so a paid session counts as captured. */
export function statusOf(checkout: OwnCheckout): SessionStatus {
  switch (checkout.status) {
    case 'complete':
      return heldOf(checkout) > 0n ? 'captured' : 'canceled'
    case 'pending':
    case 'detected':
      return 'pending'
    case 'partial':
      return 'requires_more'
    default:
      return 'canceled'
  }
}

/** Facts about the payment, for storefront and administrator. */
export const showPayment = (checkout: OwnCheckout): Data => ({
  checkout_status: checkout.status,
  additional_status: checkout.additional_status,
  amount_paid: checkout.amount_paid,
  amount_excess: checkout.amount_excess ?? null,
  amount_refunded: checkout.amount_refunded ?? null,
  block_hash: checkout.block_hash,
  payer: checkout.payer,
})
