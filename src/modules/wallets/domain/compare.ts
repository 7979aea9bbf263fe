import type { WalletContext } from '../context.ts'
import { findOwnBlock, isFollowed } from '../outbox-store.ts'
import type { Wallet } from '../store.ts'
import { type Chain, findLedgerBlock, findSuccessor } from './chain.ts'

/**
 * The first block of a wallet's chain that our record does not know; `none` when ledger and record agree, and `behind` when the node that answered
 * lacks blocks that we know to be confirmed. For such a node any earlier block may be the last one, even a block that we did not sign: one taken over
 * when the wallet was unfrozen, or an upgrade by the network. So only a block that follows our frontier, or that replaces a confirmed block of ours,
 * counts as foreign.
 */
export async function findForeign(
  { store, node }: Pick<WalletContext, 'store' | 'node'>,
  { id, address, frontier, balance }: Wallet,
  chain: Chain,
): Promise<string> {
  if (chain.frontier === frontier) return chain.balance === balance ? 'none' : frontier
  // An unopened account has no frontier: a node that reports this after our first block is behind.
  if (chain.representative === undefined) return 'behind'
  const own = await findOwnBlock(store.db, id, chain.frontier)
  if (own && own.status !== 'lost' && own.status !== 'void') return 'behind'
  if (await isFollowed(store.db, id, chain.frontier)) return 'behind'
  const successor = await findSuccessor(node, address, frontier)
  if (successor !== undefined) return successor
  const last = await findLedgerBlock(node, chain.frontier)
  return last && (await isFollowed(store.db, id, last.previous)) ? chain.frontier : 'behind'
}
