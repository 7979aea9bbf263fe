import type { Job } from '../../../kernel/job.ts'
import type { WalletContext } from '../context.ts'
import { maySend } from '../domain/may-send.ts'
import { expireDue } from '../domain/end-wallet.ts'
import type { Setbacks } from '../setbacks.ts'
import { listDueWallets } from '../ending-store.ts'
import { listUnsettled } from '../unsettled-store.ts'
import { forEachOf } from './for-each-of.ts'

const BATCH_MAX = 1_000
const WALLETS_AT_ONCE = 16

const list = async (ctx: WalletContext, limit: number) => listUnsettled(ctx.store.db, limit, await maySend(ctx, null))

/** Ends wallets whose lifetime is over, and finishes what crashes and lost replies have left unfinished. */
export const settleWallets = (ctx: WalletContext, setbacks: Setbacks): Job => ({
  kind: 'wallets.settle',
  money: true,
  everyMilliseconds: 5_000,
  isNeeded: async () => {
    const { db, clock } = ctx.store
    const [due, unsettled] = await Promise.all([listDueWallets(db, clock.now(), 1), list(ctx, 1)])
    return due.length + unsettled.length > 0
  },
  run: async (_payload, signal) => {
    const due = await expireDue(ctx, BATCH_MAX)
    const unsettled = new Set([...due, ...(await list(ctx, BATCH_MAX))])
    // A failed wallet is found again, in the next round or after its pause.
    await forEachOf(unsettled, { atOnce: WALLETS_AT_ONCE, signal }, async (id) => {
      if (!setbacks.isBackedOff(id)) await ctx.queue.advance(id)
    })
  },
})
