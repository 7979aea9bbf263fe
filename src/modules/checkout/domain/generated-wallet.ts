import type { CheckoutContext } from '../context.ts'
import { hasFeature } from '../../accounts/index.ts'
import { textOf } from '../../../kernel/shape.ts'
import type { NewWallet, Wallet } from '../../wallets/index.ts'
import { walletsDisabled } from '../errors.ts'
import type { Checkout } from '../record.ts'

/** Whether an account may have checkouts with generated wallets: the operator's choice for this account, otherwise the settings. */
export function hasGeneratedWallets(
  { ports, db }: Pick<CheckoutContext, 'ports' | 'db'>,
  owner: string,
): Promise<boolean> {
  const { generatedWallets } = ports.rules
  const isSet = generatedWallets.includes('all') || generatedWallets.includes(owner)
  return hasFeature(db, owner, 'generated_wallets', isSet)
}

export async function requireGeneratedWallets(
  ctx: Pick<CheckoutContext, 'ports' | 'db'>,
  owner: string,
): Promise<void> {
  if (!(await hasGeneratedWallets(ctx, owner))) throw walletsDisabled()
}

const REFERENCE = 'checkout:'

/** The checkout that a wallet was made for. */
export const checkoutOf = ({ metadata }: Pick<Wallet, 'metadata'>) =>
  textOf(metadata?.reference).slice(REFERENCE.length)

/** Generates the wallet of a checkout and runs `run` with it. The wallet's key is committed before anyone can learn its address. */
export async function alongCheckoutWallet<T>(
  { ports, db }: CheckoutContext,
  { id, owner, merchantAddress }: Checkout,
  run: (wallet: NewWallet) => Promise<T>,
): Promise<T> {
  await requireGeneratedWallets({ ports, db }, owner)
  return ports.wallets.along({ destination: merchantAddress, reference: `${REFERENCE}${id}` }, run)
}

/** Name of the job that brings the wallet's funds to the merchant. */
export const SWEEP = 'checkout.sweep'

/** Brings the funds of a checkout's wallet to the merchant; safe to repeat, because the wallet never sends its funds twice. */
export async function sweepCheckout({ ports }: CheckoutContext, { walletId }: Checkout): Promise<void> {
  if (walletId !== null) await ports.wallets.sweep(walletId)
}
