import { forkBlock } from '../../fork-block.ts'
import type { Handler } from '../handler.ts'
import { findWhole, requireHash } from './fields.ts'

const HOUR = 3_600_000

/** Gives an unconfirmed block a rival that wins after a while, at once unless told. */
export const devnetForkBlock: Handler = async (node, request) => {
  const hash = requireHash(request)
  return { hash: await forkBlock(node, hash, findWhole(request, 'wins_after_ms', HOUR) ?? 0) }
}
