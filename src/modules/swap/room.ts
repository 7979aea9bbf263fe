import type { SwapProvider } from '../../kernel/swap.ts'

/** Who exchanges currencies. */
export interface SwapRoom {
  /** Absent where nobody does. */
  swaps: SwapProvider | undefined
}
