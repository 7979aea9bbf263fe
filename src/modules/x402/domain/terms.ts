import { fromAddress, toAddress } from '../../../kernel/nano/address.ts'
import { checkAccepted, readAmount } from '../../../kernel/x402/payment-block.ts'
import { convertPrice } from '../../../kernel/x402/price.ts'
import type { Reason } from '../../../kernel/x402/reasons.ts'
import { ASSET, type PaymentTerms, SCHEME, toMembers } from '../../../kernel/x402/wire.ts'
import { textOf } from '../../../kernel/shape.ts'
import { paymentUnavailable } from '../errors.ts'
import { isOffered, saveOffer } from '../store.ts'
import type { Seller } from './facilitation.ts'

/** How long after it was told a price can still be paid: time to sign a block, not to speculate. */
const OFFER_MILLISECONDS = 5 * 60_000

/** What an action costs now. */
export async function currentTerms(seller: Seller, action: string): Promise<PaymentTerms> {
  const { network, payTo, timeoutSeconds } = seller
  const amount = (await amountOf(seller, action)).toString()
  return { scheme: SCHEME, network, amount, asset: ASSET, payTo, maxTimeoutSeconds: timeoutSeconds }
}

/** The same, and it may be paid for a while, on every instance and after a change of the price. */
export async function offerTerms(seller: Seller, action: string): Promise<PaymentTerms> {
  const terms = await currentTerms(seller, action)
  const { payTo, amount } = terms
  const { db, clock, failures } = seller.store
  const lost = failures.lost('x402.offer')
  const now = clock.now()
  // One write in half the time is enough; a store that fails now only costs the time after a change of the price.
  const lasts = await isOffered(db, { action, payTo, amount }, now + OFFER_MILLISECONDS / 2).catch(lost)
  if (lasts === false) await saveOffer(db, { action, payTo, amount }, now + OFFER_MILLISECONDS).catch(lost)
  return terms
}

/** The terms a payer agreed to, if they are ours now or were a moment ago. */
export async function agreedTerms(seller: Seller, action: string, accepted: unknown): Promise<PaymentTerms | Reason> {
  const terms = await currentTerms(seller, action)
  const reason = checkAccepted(accepted, terms)
  if (reason === undefined) return terms
  const { payTo, amount } = toMembers(accepted) ?? {}
  const recipient = fromAddress(textOf(payTo))
  if (recipient === undefined || readAmount(amount) === undefined) return reason
  const earlier = { ...terms, payTo: toAddress(recipient), amount: textOf(amount) }
  if (checkAccepted(accepted, earlier) !== undefined) return reason
  const { db, clock } = seller.store
  const offered = await isOffered(db, { action, payTo: earlier.payTo, amount: earlier.amount }, clock.now())
  return offered ? earlier : reason
}

async function amountOf({ goods, rates, network }: Seller, action: string): Promise<bigint> {
  const price = goods.get(action)?.price
  if (!price) throw new Error(`${action} has no price.`)
  if ('raw' in price) return price.raw
  try {
    const { rate } = await rates!.rate(price.currency)
    const amount = convertPrice(price.value, rate)
    if (amount === undefined) throw new Error(`${rate} is no rate.`)
    return amount
  } catch (error) {
    throw paymentUnavailable(network, error)
  }
}
