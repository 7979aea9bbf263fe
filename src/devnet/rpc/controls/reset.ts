import type { Handler } from '../handler.ts'

/** Back to the genesis: no block, snapshot, fault or other time is left. */
export const devnetReset: Handler = async (node) => {
  await node.snapshots.replaceBy(() => node.ledger.startOver())
  return { success: '' }
}
