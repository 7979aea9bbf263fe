import type { WalletRoom } from '../room.ts'
import { markConfirmed } from '../outbox-moves-store.ts'
import { type OutboxBlock } from '../outbox-store.ts'
import { type Wallet, updateFrontier } from '../store.ts'
import { broadcastBlock } from './broadcast.ts'
import { findLedgerBlock } from './chain.ts'
import type { Step } from './step.ts'

/** How long a block may go unconfirmed before it is brought to the ledger again. */
const REBROADCAST_MILLISECONDS = 10_000

/** Takes note of a confirmation: the wallet stands on this block from now on. Repeated tellings change nothing. */
export async function confirmBlock(ctx: WalletRoom, wallet: Wallet, open: OutboxBlock): Promise<Step> {
  const { store, node } = ctx
  const found = await findLedgerBlock(node, open.hash!)
  if (found?.confirmed) {
    await store.db.transaction().execute(async (tx) => {
      if (!(await markConfirmed(tx, open.id, store.clock.now()))) return
      await updateFrontier(tx, wallet.id, open.hash!, open.balance!)
    })
    return 'moved'
  }
  const isOld = (open.broadcastAt ?? 0) + REBROADCAST_MILLISECONDS <= store.clock.now()
  // A node may forget an unconfirmed block; the same bytes bring it back.
  if (!found || isOld) {
    const step = await broadcastBlock(ctx, wallet, open)
    return step === 'moved' ? 'waiting' : step
  }
  return 'waiting'
}
