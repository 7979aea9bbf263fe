import type { Handler } from '../handler.ts'

/** Confirms a block with everything it stands on. */
export const devnetConfirm: Handler = async (node, request) => {
  await node.confirm(request.hash())
  return { success: '' }
}
