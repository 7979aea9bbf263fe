import { isOutage } from '../../../kernel/failures.ts'
import type { Job } from '../../../kernel/job.ts'
import type { CheckoutRoom } from '../room.ts'
import { followRefund } from './follow.ts'
import { listDueRefunds, postponeRefund } from './store.ts'

const AT_ONCE = 200
const RETRY_AFTER = 30_000

/** Looks at refunds that are not over. One that fails keeps nobody else waiting. */
export const followRefunds = (ctx: CheckoutRoom): Job => ({
  kind: 'checkout.refunds',
  money: true,
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: 5_000,
  async run(_payload, signal) {
    const { db, clock, failures } = ctx
    const faults: unknown[] = []
    for (const id of await listDueRefunds(db, clock.now(), AT_ONCE)) {
      if (signal.aborted) return
      try {
        await followRefund(ctx, id)
      } catch (error) {
        failures.failed('checkout.refunds', { refundId: id })(error)
        await postponeRefund(db, id, clock.now() + RETRY_AFTER)
        if (!isOutage(error)) faults.push(error)
      }
    }
    // A round in which one of our own faults showed is not done.
    if (faults.length > 0) throw faults[0]
  },
})
