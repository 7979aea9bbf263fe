import type { Handler } from '../handler.ts'
import { requireText } from './fields.ts'

/** Puts the ledger back to a snapshot, which stays unless `end` says that it is done with. */
export const devnetRevert: Handler = async (node, request) => {
  await node.snapshots.revert(requireText(request, 'id'), { end: request.flag('end') })
  return { success: '' }
}
