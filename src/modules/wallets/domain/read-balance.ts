import { type Raw, parseRaw, toRaw } from '../../../kernel/money.ts'
import type { NodePort } from '../../../kernel/ports.ts'
import { textOf } from '../../../kernel/shape.ts'
import type { WalletContext } from '../context.ts'
import { type Holding, listHoldings } from '../funds-store.ts'
import type { Wallet } from '../store.ts'

export interface Balance {
  balance: Raw
  /** Confirmed sends that can be received. */
  receivable: Raw
}

/**
 * The balance of a wallet, with its own blocks counted as soon as they are stored: a block is confirmed some time after it is published,
 * and money just received must not be missing meanwhile. Sends from others count once they are confirmed.
 */
export async function readBalance({ store, node }: WalletContext, wallet: Wallet): Promise<Balance> {
  const [holding] = await listHoldings(store.db, [wallet.id])
  // Asked before the sum: a deposit received in between is briefly missing, but is never counted twice.
  const receiving =
    holding?.receiving && (await isWaiting(node, holding.receiving.sourceHash)) ? holding.receiving : undefined
  const { balance = '0', receivable = '0' } = await node.read('account_balance', { account: wallet.address })
  const waiting = (parseRaw(textOf(receivable)) ?? 0n) - (receiving?.amount ?? 0n)
  // For a wallet that another signer has used, only the ledger knows the balance.
  const held = holding && !holding.isFrozen ? holding.balance : parseRaw(textOf(balance))
  if (held === undefined) throw new Error('A node answered account_balance without a balance.')
  return { balance: held, receivable: toRaw(waiting > 0n ? waiting : 0n) }
}

/** Whether the ledger still lists a send as receivable although our block, which the node may not have yet, receives it. */
async function isWaiting(node: NodePort, hash: string): Promise<boolean> {
  const { exists } = await node.read('receivable_exists', { hash, include_active: false, include_only_confirmed: true })
  return exists === '1'
}

/** The same for many wallets, without asking the ledger. */
export async function withOwnBlocks(
  { store }: Pick<WalletContext, 'store'>,
  wallets: readonly Wallet[],
): Promise<Wallet[]> {
  const holdings = await listHoldings(
    store.db,
    wallets.map(({ id }) => id),
  )
  const balances = new Map(holdings.map(({ walletId, balance }: Holding) => [walletId, balance]))
  return wallets.map((wallet) => ({ ...wallet, balance: balances.get(wallet.id) ?? wallet.balance }))
}
