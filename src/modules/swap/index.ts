import type { Module } from '../../kernel/module.ts'
import { nanoSwapStatus } from './actions/nano-swap-status.ts'
import { nanoSwap } from './actions/nano-swap.ts'

export const swap: Module = { name: 'swap', actions: [nanoSwap, nanoSwapStatus] }

export { followSwaps } from './jobs.ts'
export { sandboxSwap } from './sandbox.ts'
export { describedSwapRoutes, swapRoutes } from './routes.ts'
