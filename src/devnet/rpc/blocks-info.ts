import { toAddress } from '../../kernel/nano/address.ts'
import { ZERO_HASH } from '../../kernel/nano/block.ts'
import type { Answer, Members } from '../answer.ts'
import { members } from '../answer.ts'
import { badHashNumber, blockNotFound } from '../../kernel/nano/node-refusal.ts'
import type { LedgerNode } from '../node.ts'
import { type NodeRequest, toHash } from '../../kernel/nano/node-request.ts'
import type { StoredBlock } from '../records.ts'
import { blockContents, blockDetails } from './block-details.ts'
import type { Handler } from './handler.ts'

export const blocksInfo: Handler = (node, request) => {
  const asObject = request.flag('json_block')
  return forEachHash(node, request, (stored) => {
    const details: Members = blockDetails(node, stored, asObject)
    Object.assign(details, receivableDetails(node, request, stored))
    if (request.flag('source')) details.source_account = sourceAccount(node, stored)
    return details
  })
}

export const blocks: Handler = (node, request) =>
  forEachHash(node, request, ({ block }) => blockContents(block, request.flag('json_block')))

/** One unknown hash fails the whole request unless `include_not_found` asks for a list of them. */
function forEachHash(node: LedgerNode, request: NodeRequest, answer: (stored: StoredBlock) => Answer): Answer {
  const includeNotFound = request.flag('include_not_found')
  const found = members()
  const missing: string[] = []
  for (const given of request.list('hashes')) {
    const stored = node.ledger.store.findBlock(toHash(given, badHashNumber))
    if (stored) found[given] = answer(stored)
    else if (includeNotFound) missing.push(given)
    else throw blockNotFound()
  }
  return { blocks: found, ...(includeNotFound && { blocks_not_found: missing }) }
}

function receivableDetails(node: LedgerNode, request: NodeRequest, { block, subtype, hash }: StoredBlock): Members {
  const details: Members = {}
  const sends = subtype === 'send' && block.type === 'state'
  const waits = sends && node.ledger.store.findReceivable(block.link, hash) !== undefined
  if (request.flag('receivable', request.flag('pending'))) {
    Object.assign(details, { pending: waits ? '1' : '0', receivable: waits ? '1' : '0' })
  }
  if (request.flag('receive_hash')) {
    details.receive_hash = (sends && !waits && node.ledger.store.findReceive(hash)?.hash) || ZERO_HASH
  }
  return details
}

function sourceAccount(node: LedgerNode, { block, subtype }: StoredBlock): string {
  const source = subtype === 'receive' && block.type === 'state' ? node.ledger.store.findBlock(block.link) : undefined
  return source ? toAddress(source.account) : '0'
}
