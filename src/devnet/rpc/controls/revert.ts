import type { Handler } from '../handler.ts'
import { requireText } from './fields.ts'

/** Puts the ledger back to a snapshot. */
export const devnetRevert: Handler = async (node, request) => {
  await node.snapshots.revert(requireText(request, 'id'))
  return { success: '' }
}
