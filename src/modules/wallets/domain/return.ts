import { actorOf } from '../../../kernel/actor.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { insertAudit, releaseSpends } from '../../accounts/index.ts'
import { type WalletContext, notifyWallet } from '../context.ts'
import type { OutboxBlock } from '../outbox-store.ts'
import { cancelPlan, findOpenPlan } from '../plans-store.ts'
import { type Wallet, moveFrontier } from '../store.ts'
import { markVoid, restoreVoid } from '../void-store.ts'
import type { Step } from './step.ts'
import { readStored, sourceOf } from './stored-block.ts'

/** Thrown inside the transaction when another instance was faster. */
class Overtaken extends Error {}

/**
 * Restores a void block that is final after all: the nodes that denied it were wrong. The block is ours, so the wallet continues from it. A
 * block signed in its place meanwhile can never be confirmed and becomes void.
 */
export async function returnBlock(
  ctx: WalletContext,
  wallet: Wallet,
  { own, instead }: { own: OutboxBlock; instead?: OutboxBlock },
): Promise<Step> {
  const { store, alarm, queue } = ctx
  const { id, address, accountId } = wallet
  const { previous, balance } = readStored(own)
  const hash = own.hash!
  if (previous !== wallet.frontier) return 'waiting'
  try {
    await inTx(store, async (tx) => {
      const { db, clock } = tx
      const now = clock.now()
      if (instead) {
        if (!(await markVoid(db, instead, 'send_void'))) throw new Overtaken()
        await releaseSpends(db, [instead.id])
      }
      if (!(await restoreVoid(db, own, { previous, sourceHash: sourceOf(own) }, now))) throw new Overtaken()
      if (!(await moveFrontier(db, wallet, { frontier: hash, balance }))) throw new Overtaken()
      const plan = await findOpenPlan(db, id)
      if (plan !== undefined) await cancelPlan(db, plan, now)
      const detail = { id, address, hash, instead: instead?.hash ?? null }
      await insertAudit(tx, { actor: actorOf.service('service'), accountId, what: 'wallet.returned', detail })
    })
  } catch (error) {
    if (error instanceof Overtaken) return 'waiting'
    throw error
  }
  const lost = instead ? `; ${instead.hash} can never be confirmed in its place` : ''
  alarm('void', { walletId: id, reason: `Block ${hash} was released, and is on the ledger after all${lost}.` })
  for (const { id: blockId } of instead ? [own, instead] : [own]) queue.reportBlock(blockId)
  notifyWallet(ctx, wallet)
  return 'moved'
}
