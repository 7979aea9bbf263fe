import type { WalletCtx } from '../ctx.ts'
import { blockRefused, notSent, outcomeOpen, refusedSend, walletBusy, walletFrozen } from '../errors.ts'
import { markRefused } from '../outbox-moves-store.ts'
import { type OutboxBlock, findBlock } from '../outbox-store.ts'
import { waitAtMost } from './patience.ts'

/** How often a wallet is looked at that waits for somebody else: another instance, or a confirmation. */
const LOOK_EVERY = 200

/**
 * Waits until a send is on the ledger, or says for certain that it never will be. Giving up takes the wish back in one
 * statement; what was signed before cannot be taken back any more and goes out by itself. When a node refuses it meanwhile,
 * whoever waits hears the node's words at once, because only an operator can help.
 */
export async function untilLeft(
  ctx: WalletCtx,
  { id, walletId }: { id: string; walletId: string },
): Promise<OutboxBlock> {
  const { store, custody } = ctx
  const { db, clock } = store
  const until = clock.now() + custody.rules.waitMilliseconds
  const watch = custody.watchBlock(id)
  let failure: unknown
  try {
    for (;;) {
      const block = await findBlock(db, id)
      if (!block) throw walletBusy()
      if (block.status === 'broadcast' || block.status === 'confirmed') return block
      if (block.status === 'refused') throw refusedSend(block.refusal)
      if (block.status === 'lost') throw walletFrozen()
      if (failure !== undefined || clock.now() >= until) return await giveUp(ctx, block, failure)
      try {
        const progress = Promise.race([custody.advance(walletId), watch.settled])
        await waitAtMost(clock, until - clock.now(), progress)
      } catch (error) {
        failure = error
        continue
      }
      const now = await findBlock(db, id)
      const refusal = custody.refusalOf(id)
      if (now?.status === 'signed' && refusal?.lasting === true) throw blockRefused(refusal)
      if (now?.status === 'queued' || now?.status === 'signed') {
        await waitAtMost(clock, Math.min(LOOK_EVERY, until - clock.now()), watch.settled)
      }
    }
  } finally {
    watch.forget()
  }
}

async function giveUp({ store, custody }: WalletCtx, block: OutboxBlock, failure: unknown): Promise<OutboxBlock> {
  if (
    block.status === 'queued' &&
    block.deadlineAt !== null &&
    (await markRefused(store.db, block.id, 'wallet_busy'))
  ) {
    custody.tellBlock(block.id)
    throw notSent(failure)
  }
  const now = await findBlock(store.db, block.id)
  if (now?.status === 'broadcast' || now?.status === 'confirmed') return now
  if (now && now.hash !== null) {
    const refusal = custody.refusalOf(now.id)
    throw refusal ? blockRefused(refusal) : outcomeOpen(now.hash, failure)
  }
  throw notSent(failure)
}
