import { blockNotFound } from '../../kernel/nano/node-refusal.ts'
import { blockDetails } from './block-details.ts'
import type { Handler } from './handler.ts'

export const blockInfo: Handler = (node, request) => {
  const stored = node.ledger.store.findBlock(request.hash())
  if (!stored) throw blockNotFound()
  return blockDetails(node, stored, request.flag('json_block'))
}
