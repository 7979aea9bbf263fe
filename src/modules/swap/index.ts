export { sandboxSwap } from './sandbox.ts'
