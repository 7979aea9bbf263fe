export { SWAP_ACTIONS, type SwapModule, openSwap } from './open.ts'
export { sandboxSwap } from './sandbox.ts'
export { describedSwapRoutes } from './routes.ts'
