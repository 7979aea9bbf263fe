import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import type { SwapProvider } from '../../kernel/ports.ts'
import { listOpenSwaps, markSwap } from './store.ts'

const SWAPS_AT_ONCE = 50

/** Asks the provider how the open swaps stand. One that fails keeps nobody else from being asked. */
export const followSwaps = (
  { db, clock }: StoreCtx,
  provider: SwapProvider,
  onFailure: (reason: string) => void,
): Job => ({
  kind: 'swap.follow',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: 10_000,
  async run() {
    for (const swap of await listOpenSwaps(db, provider.name, SWAPS_AT_ONCE)) {
      const next = await provider.follow(swap).catch((error: unknown) => {
        onFailure(error instanceof Error ? error.message : String(error))
        return swap.status
      })
      await markSwap(db, swap, next, clock.now())
    }
  },
})
