import type { SwapProvider } from '../../kernel/swap.ts'

/** The provider of exchanges. */
export interface SwapRoom {
  /** Undefined where there is no provider. */
  swaps: SwapProvider | undefined
}
