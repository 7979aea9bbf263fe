import { dumpState } from '../../state.ts'
import type { Handler } from '../handler.ts'

/** The whole ledger as text. */
export const devnetDump: Handler = (node) => ({ state: { ...dumpState(node) } })
