import type { SwapProvider } from '../../kernel/swap.ts'

/** The provider of exchanges. */
export interface SwapContext {
  /** Undefined where there is no provider. */
  swaps: SwapProvider | undefined
}
