import type { Handler } from '../handler.ts'
import { requireHash } from './fields.ts'

/** Takes back a block, confirmed or not, and everything built on it. */
export const devnetRollback: Handler = async (node, request) => ({
  rolled_back: await node.rollBack(requireHash(request)),
})
