import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import type { SwapProvider } from '../../kernel/swap.ts'
import { providerFailed } from './errors.ts'
import { type Retention, inSteps } from '../../kernel/retention.ts'
import { deleteExpiredSwaps, listOpenSwaps, markSwap } from './store.ts'

const SWAPS_MAX = 500
const SWAPS_AT_ONCE = 8

/** Asks the provider for the status of open swaps, some at a time. A failing or slow one does not delay the others. */
export const followSwaps = ({ db, clock, failures }: StoreCtx, provider: SwapProvider): Job => ({
  kind: 'swap.follow',
  money: true,
  everyMilliseconds: 10_000,
  isNeeded: async () => (await listOpenSwaps(db, provider.name, 1)).length > 0,
  async run(_payload, signal) {
    const swaps = (await listOpenSwaps(db, provider.name, SWAPS_MAX)).values()
    const follow = async () => {
      for (let next = swaps.next(); !next.done && !signal.aborted; next = swaps.next()) {
        const swap = next.value
        const status = await provider.follow(swap).catch((error: unknown) => {
          failures.failed('swap.provider')(providerFailed(error))
          return swap.status
        })
        await markSwap(db, swap, status, clock.now())
      }
    }
    await Promise.all(Array.from({ length: SWAPS_AT_ONCE }, follow))
  },
})

/** Deletes unpaid swaps. */
export const forgetSwaps = ({ db, clock }: StoreCtx, { keepUnpaid }: Pick<Retention, 'keepUnpaid'>): Job => ({
  kind: 'swap.forget',
  everyMilliseconds: 3_600_000,
  async run(_payload, signal) {
    if (keepUnpaid === undefined) return
    const before = clock.now() - keepUnpaid
    await inSteps((limit) => deleteExpiredSwaps(db, before, limit), signal)
  },
})
