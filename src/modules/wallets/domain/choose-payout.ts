import type { Actor } from '../../../kernel/actor.ts'
import { AppError, missingText } from '../../../kernel/errors.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { BURN_ADDRESS, fromAddress, toAddress } from '../../../kernel/nano/address.ts'
import type { Names } from '../../../kernel/ports.ts'
import { setPayout } from '../../accounts/index.ts'
import type { WalletContext } from '../context.ts'
import { findWalletByAddress } from '../store.ts'
import { createWallet } from './wallets.ts'

interface Choice {
  accountId: string
  actor: Actor
  /** An address or `@name`; undefined makes a wallet. */
  address: string | undefined
  idempotency: Idempotency | undefined
}

/** Sets where the money of an account goes: to an address of its own, or to a wallet that is made for it. */
export async function choosePayout(
  ctx: WalletContext,
  names: Names,
  { address: wish, idempotency, ...who }: Choice,
): Promise<string> {
  const address = wish === undefined ? await makeWallet(ctx, who, idempotency) : await readOwn(ctx, names, who, wish)
  await setPayout(ctx.store, { ...who, address })
  return address
}

/** Makes a wallet that never ends, because payers may pay into it at any time. */
async function makeWallet(
  ctx: WalletContext,
  who: Pick<Choice, 'accountId' | 'actor'>,
  idempotency: Idempotency | undefined,
): Promise<string> {
  const { address } = await createWallet(ctx, { ...who, purpose: 'cloud', metadata: { name: 'Shop' }, idempotency })
  return address
}

/** Resolves a name once: a later holder of the name gets nothing. */
async function readOwn(
  { store }: WalletContext,
  names: Names,
  { accountId }: Pick<Choice, 'accountId'>,
  wish: string,
): Promise<string> {
  const resolved = wish.startsWith('@') ? await names.resolve(wish.slice(1), 'money') : wish
  if (resolved === undefined) {
    throw new AppError('username_not_found', 'Username not found.', { body: { field: 'address' } })
  }
  const key = fromAddress(resolved)
  if (key === undefined) throw refuse(wish === '' ? missingText('address') : 'Bad account number')
  const address = toAddress(key)
  if (address === BURN_ADDRESS) throw refuse('Funds sent to the burn account are lost.')
  const wallet = await findWalletByAddress(store.db, address)
  if (wallet === undefined) return address
  // A wallet of the service itself, or one that ends, would not keep what arrives later.
  if (wallet.purpose !== 'cloud') throw refuse('This address belongs to the service.')
  if (wallet.accountId === accountId && wallet.expiresAt !== null) {
    throw refuse('This wallet has an end. Choose one that stays, or let us make one.')
  }
  return address
}

const refuse = (text: string) => new AppError('invalid_account', text, { body: { field: 'address' } })
