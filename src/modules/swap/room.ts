import type { SwapProvider } from '../../kernel/swap.ts'

/** Who exchanges currencies. */
export interface SwapRoom {
  /** Absent where no provider does. */
  swaps: SwapProvider | undefined
}
