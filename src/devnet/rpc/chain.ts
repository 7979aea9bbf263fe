import { ZERO_HASH, previousOf } from '../../kernel/nano/block.ts'
import type { LedgerNode } from '../node.ts'
import type { NodeRequest } from '../../kernel/nano/node-request.ts'
import type { Handler } from './handler.ts'

export const chain: Handler = (node, request) => walk(node, request, request.flag('reverse'))

export const successors: Handler = (node, request) => walk(node, request, !request.flag('reverse'))

function walk(node: LedgerNode, request: NodeRequest, forward: boolean) {
  let hash = request.hash('block')
  const count = request.count()
  let offset = request.offset()
  const blocks: string[] = []
  while (hash !== ZERO_HASH && BigInt(blocks.length) < count) {
    const stored = node.ledger.store.findBlock(hash)
    if (!stored) break
    if (offset > 0n) offset--
    else blocks.push(hash)
    hash = forward ? stored.successor : previousOf(stored.block)
  }
  return { blocks }
}
