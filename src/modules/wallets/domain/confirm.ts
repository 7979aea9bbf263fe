import { allOrNone } from '../../../kernel/store-connection.ts'
import type { LedgerBlock } from '../../../kernel/nano/ledger-send.ts'
import { type WalletContext, notifyWallet } from '../context.ts'
import { markConfirmed } from '../outbox-moves-store.ts'
import { type OutboxBlock } from '../outbox-store.ts'
import { type Wallet, updateFreeFrontier, updateFrontier } from '../store.ts'
import { broadcastBlock } from './broadcast.ts'
import type { Step } from './step.ts'

/** After this time without confirmation, a block is published again. */
const REBROADCAST_MILLISECONDS = 10_000

/**
 * Does what `confirmBlock` does, without taking the lock, for a block that only waits: the statement that moves the wallet holds its row and
 * succeeds only while no instance has the lock. Undefined when an instance has it, or more must be done.
 */
export async function confirmFree(ctx: WalletContext, wallet: Wallet, open: OutboxBlock): Promise<Step | undefined> {
  const { db, clock } = ctx.store
  const found = await readOwnBlock(ctx, open)
  const now = clock.now()
  if (!found || (!found.isFinal && isOld(open, now))) return undefined
  if (!found.isFinal) return 'waiting'
  const to = { id: wallet.id, frontier: open.hash!, balance: open.balance!, now }
  const [isFree, isFirst] = await allOrNone(db, (tx) => [updateFreeFrontier(tx, to), markConfirmed(tx, open.id, now)])
  if (!isFree || !isFirst) return undefined
  notifyWallet(ctx, wallet)
  return 'moved'
}

/** Records a confirmation: the wallet's state is now that after this block. Safe to repeat. */
export async function confirmBlock(ctx: WalletContext, wallet: Wallet, open: OutboxBlock): Promise<Step> {
  const { store } = ctx
  const found = await readOwnBlock(ctx, open)
  if (found?.isFinal) {
    await store.db.transaction().execute(async (tx) => {
      if (!(await markConfirmed(tx, open.id, store.clock.now()))) return
      await updateFrontier(tx, wallet.id, open.hash!, open.balance!)
    })
    notifyWallet(ctx, wallet)
    return 'moved'
  }
  // A node may drop an unconfirmed block; publishing the same bytes brings it back.
  if (found && !isOld(open, store.clock.now())) return 'waiting'
  const step = await broadcastBlock(ctx, wallet, open)
  return step === 'sent' ? 'waiting' : step
}

/** The next block is signed on this one, so the required number of nodes must report it confirmed. */
async function readOwnBlock(
  { node, queue, store }: WalletContext,
  open: OutboxBlock,
): Promise<LedgerBlock | undefined> {
  const found = (await node.readBlocks([open.hash!])).get(open.hash!)
  // Nodes confirm a block at different moments, and only the first confirmation is an event, so look again soon.
  if (found && !found.isFinal && found.confirmedBy > 0 && !isOld(open, store.clock.now())) queue.lookSoon(open.walletId)
  return found
}

const isOld = ({ broadcastAt }: OutboxBlock, now: number) => (broadcastAt ?? 0) + REBROADCAST_MILLISECONDS <= now
