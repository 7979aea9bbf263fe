import { type Job, forEachDue } from '../../../kernel/job.ts'
import type { CheckoutContext } from '../context.ts'
import { followRefund } from './follow.ts'
import { listDueRefunds, postponeRefund } from './store.ts'

const AT_ONCE = 200

/** Follows refunds that are not over. */
export const followRefunds = (ctx: CheckoutContext): Job => ({
  kind: 'checkout.refunds',
  money: true,
  everyMilliseconds: 5_000,
  isNeeded: async () => (await listDueRefunds(ctx.db, ctx.clock.now(), 1)).length > 0,
  async run(_payload, signal) {
    const { db, clock, failures } = ctx
    const postpone = (id: string, milliseconds: number) => postponeRefund(db, id, clock.now() + milliseconds)
    const failed = (refundId: string) => failures.failed('checkout.refunds', { refundId })
    const due = await listDueRefunds(db, clock.now(), AT_ONCE)
    await forEachDue(due, { signal, failed, postpone }, (id) => followRefund(ctx, id))
  },
})
