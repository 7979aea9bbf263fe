import { type Raw, parseRaw, toRaw } from '../../../kernel/money.ts'
import type { NodePort } from '../../../kernel/ports.ts'
import { textOf } from '../../../kernel/shape.ts'
import type { WalletRoom } from '../room.ts'
import { type Holding, listHoldings } from '../funds-store.ts'
import type { Wallet } from '../store.ts'

export interface Balance {
  balance: Raw
  /** Confirmed sends that wait to be received. */
  receivable: Raw
}

/**
 * What a wallet holds, its own blocks counted as soon as they are committed: on a live network a block is confirmed some
 * time after it is published, and money that was just received must not be nowhere meanwhile. What comes from others
 * counts once it is confirmed.
 */
export async function readBalance({ store, node }: WalletRoom, wallet: Wallet): Promise<Balance> {
  const [holding] = await listHoldings(store.db, [wallet.id])
  // Asked before the sum: what leaves it in between is missing for a moment, and never counted twice.
  const receiving =
    holding?.receiving && (await isWaiting(node, holding.receiving.sourceHash)) ? holding.receiving : undefined
  const { balance = '0', receivable = '0' } = await node.read('account_balance', { account: wallet.address })
  const waiting = (parseRaw(textOf(receivable)) ?? 0n) - (receiving?.amount ?? 0n)
  // Where another signer has signed, only the ledger knows.
  const held = holding && !holding.isFrozen ? holding.balance : parseRaw(textOf(balance))
  if (held === undefined) throw new Error('A node answered account_balance without a balance.')
  return { balance: held, receivable: toRaw(waiting > 0n ? waiting : 0n) }
}

/** Whether the ledger still offers a send that a block of ours, which it may not have yet, receives. */
async function isWaiting(node: NodePort, hash: string): Promise<boolean> {
  const { exists } = await node.read('receivable_exists', { hash, include_active: false, include_only_confirmed: true })
  return exists === '1'
}

/** The same for many, without asking the ledger. */
export async function withOwnBlocks(
  { store }: Pick<WalletRoom, 'store'>,
  wallets: readonly Wallet[],
): Promise<Wallet[]> {
  const holdings = await listHoldings(
    store.db,
    wallets.map(({ id }) => id),
  )
  const balances = new Map(holdings.map(({ walletId, balance }: Holding) => [walletId, balance]))
  return wallets.map((wallet) => ({ ...wallet, balance: balances.get(wallet.id) ?? wallet.balance }))
}
