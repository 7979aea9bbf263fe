import type { CheckoutCtx } from '../ctx.ts'
import { walletsDisabled } from '../errors.ts'
import type { Checkout } from '../store.ts'

/** Makes the wallet that takes the payments of one checkout. Its address is stored before anybody learns it. */
export async function createCheckoutWallet(
  { till }: CheckoutCtx,
  checkoutId: string,
): Promise<{ id: string; address: string }> {
  if (!till.wallets) throw walletsDisabled()
  return till.wallets.create({ purpose: 'checkout', reference: `checkout:${checkoutId}` })
}

/** The queue's word for funds that are to be brought to the merchant. */
export const SWEEP = 'checkout.sweep'

/** Brings what a checkout's wallet holds to the merchant. Safe to repeat: the wallet knows what it has sent. */
export async function sweepCheckout({ till }: CheckoutCtx, checkout: Checkout): Promise<void> {
  if (checkout.walletId === null) return
  if (!till.wallets) throw walletsDisabled()
  await till.wallets.sweep({
    walletId: checkout.walletId,
    destinations: [checkout.merchantAddress],
    reference: `checkout:${checkout.id}`,
  })
}
