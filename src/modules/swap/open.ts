import type { Retention } from '../../kernel/retention.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import { type Module, offer } from '../../kernel/module.ts'
import { nanoSwapStatus } from './actions/nano-swap-status.ts'
import { nanoSwap } from './actions/nano-swap.ts'
import { followSwaps, forgetSwaps } from './jobs.ts'
import type { SwapContext } from './context.ts'
import { swapRoutes } from './routes.ts'

export const SWAP_ACTIONS = [nanoSwap, nanoSwapStatus]

interface SwapPorts extends SwapContext {
  store: StoreCtx
  /** Currencies that have a rate. */
  fiat: readonly string[]
}

export interface SwapModule extends Module, SwapContext {}

/** Opens the swap module: exchanges of other currencies into nano and back, where a provider offers them. */
export function openSwap({ store, swaps, fiat }: SwapPorts, kept: Pick<Retention, 'keepUnpaid'>): SwapModule {
  return {
    ...offer<SwapContext>('swap', { swaps }, SWAP_ACTIONS),
    swaps,
    routes: swapRoutes({ fiat, swaps, failures: store.failures }),
    jobs: [...(swaps ? [followSwaps(store, swaps)] : []), forgetSwaps(store, kept)],
  }
}
