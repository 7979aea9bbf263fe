import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { listUnauthorized } from '../store.ts'
import { type Settlement, giveUpOrder } from './settle.ts'

/** How long a payment waits for the word of whose it is about. */
export const AUTHORIZE_WITHIN = 24 * 3_600_000
const PAGE = 100

/** Sends back what has waited too long, one transaction for each; the next run takes up what this one did not reach. */
export async function giveUpWaiting(settlement: Settlement, ctx: StoreCtx): Promise<void> {
  const faults: unknown[] = []
  for (const id of await listUnauthorized(ctx.db, ctx.clock.now() - AUTHORIZE_WITHIN, PAGE)) {
    try {
      const told = await inTx(ctx, (tx) => giveUpOrder(settlement, tx, id))
      told()
    } catch (error) {
      // One that cannot be sent back must not keep the others from it; the round fails at its end.
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
}
