import type { CheckoutRoom } from '../room.ts'
import { hasFeature } from '../../accounts/index.ts'
import { textOf } from '../../../kernel/shape.ts'
import type { NewWallet, Wallet } from '../../wallets/index.ts'
import { walletsDisabled } from '../errors.ts'
import type { Checkout } from '../record.ts'

/** Whether an account may have checkouts with wallets of their own: by its operator's word, else by the settings. */
export function hasGeneratedWallets(
  { ports, db }: Pick<CheckoutRoom, 'ports' | 'db'>,
  owner: string,
): Promise<boolean> {
  const { generatedWallets } = ports.rules
  const isSet = generatedWallets.includes('all') || generatedWallets.includes(owner)
  return hasFeature(db, owner, 'generated_wallets', isSet)
}

export async function requireGeneratedWallets(ctx: Pick<CheckoutRoom, 'ports' | 'db'>, owner: string): Promise<void> {
  if (!(await hasGeneratedWallets(ctx, owner))) throw walletsDisabled()
}

const REFERENCE = 'checkout:'

/** The checkout that a wallet was made for. */
export const checkoutOf = ({ metadata }: Pick<Wallet, 'metadata'>) =>
  textOf(metadata?.reference).slice(REFERENCE.length)

/** Makes the wallet that takes the payments of one checkout along with it. Its key is committed before anybody learns its address. */
export async function alongCheckoutWallet<T>(
  { ports, db }: CheckoutRoom,
  { id, owner, merchantAddress }: Checkout,
  run: (wallet: NewWallet) => Promise<T>,
): Promise<T> {
  await requireGeneratedWallets({ ports, db }, owner)
  return ports.wallets.along({ destination: merchantAddress, reference: `${REFERENCE}${id}` }, run)
}

/** The queue's word for funds that are to be brought to the merchant. */
export const SWEEP = 'checkout.sweep'

/** Brings what a checkout's wallet holds to the merchant; the wallet itself makes sure that it happens once. */
export async function sweepCheckout({ ports }: CheckoutRoom, { walletId }: Checkout): Promise<void> {
  if (walletId !== null) await ports.wallets.sweep(walletId)
}
