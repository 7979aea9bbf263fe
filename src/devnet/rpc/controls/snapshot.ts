import type { Handler } from '../handler.ts'

/** Keeps the ledger as it is, to come back to. */
export const devnetSnapshot: Handler = async (node) => ({ id: await node.snapshots.take() })
