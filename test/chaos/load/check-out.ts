import type { AskedCheckout } from '../made.ts'
import { type Caller, PRICES } from './caller.ts'
import { planRefund } from './refund.ts'

/** Makes a checkout. */
export async function openCheckout(caller: Caller, terms: object = {}): Promise<AskedCheckout | undefined> {
  const { client, random, money, webhookUrl, webhookSecret } = caller.options
  const mode = random.below(4) === 0 ? 'generated_wallet' : 'unique_amount'
  const notify = random.below(3) === 0
  const request = {
    action: 'checkout',
    address: random.pick(money.merchants).address,
    amount: random.pick(PRICES),
    mode,
    webhook_url: webhookUrl,
    webhook_secret: webhookSecret,
    webhook_events: ['checkout.expired', 'payment.late', 'refund.sent', 'refund.failed', 'refund.claimed'],
    ...(notify && { notify: 'shop@example.com' }),
    ...terms,
  }
  const key = caller.nextKey('checkout')
  const answer = await caller.untilClear(request, key)
  if (!answer) return undefined
  const { id, address, amount_raw: amount } = answer.body as Record<string, string>
  if (id === undefined || address === undefined || amount === undefined) {
    caller.complain('no checkout', answer)
    return undefined
  }
  if (random.below(3) === 0) await caller.repeat(request, key, 'id', id)
  const before = await client.get(`/check/${id}`)
  if (before?.status === 404) caller.complain(`checkout ${id} was acknowledged and is not there`, before)
  if (before?.status === 200 && before.body.success !== false) caller.complain('paid before anybody paid', before)
  return { id, address, amountRaw: BigInt(amount), mode, notify, paidBy: undefined }
}

/** Pays a checkout if the purse has enough: through a gateway, or directly at the node. */
export async function payCheckout(caller: Caller, checkout: AskedCheckout): Promise<void> {
  const { client, random, made, payer, over } = caller.options
  const through = random.below(2) === 0 ? client : undefined
  if (payer.balance < checkout.amountRaw) made.unaffordable++
  else checkout.paidBy = await payer.pay(checkout.address, checkout.amountRaw, { through, over })
}

/** Makes a checkout and pays it; some of it may be refunded later. */
export async function checkOut(caller: Caller): Promise<void> {
  const { random, made } = caller.options
  const checkout = await openCheckout(caller)
  if (!checkout) return
  made.checkouts.push(checkout)
  // Some are never paid and must never be reported as paid.
  if (random.below(8) === 0) return
  await payCheckout(caller, checkout)
  if (checkout.paidBy !== undefined && random.below(2) === 0) planRefund(caller, checkout)
}
