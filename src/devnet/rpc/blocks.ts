import { toAddress } from '../../kernel/nano/address.ts'
import { type Block, ZERO_HASH, hashBlock, parseHex, previousOf, rootOf, toBlockJson } from '../../kernel/nano/block.ts'
import { type NodeRequest, badHashNumber, blockNotFound, refusal, toHash } from '../../kernel/nano/node-request.ts'
import { type Answer, Entries, type Members, writeNodeAnswer } from '../../kernel/nano/node-answer.ts'
import type { LedgerNode } from '../node.ts'
import type { StoredBlock } from '../records.ts'
import type { Handler } from './handler.ts'

export const blockAccount: Handler = (node, request) => {
  const stored = node.ledger.store.findBlock(request.hash())
  if (!stored) throw blockNotFound()
  return { account: toAddress(stored.account) }
}

export const blockConfirm: Handler = (node, request) => {
  const stored = node.ledger.store.findBlock(request.hash())
  if (!stored) throw blockNotFound()
  node.requestElection(stored)
  return { started: '1' }
}

export const blockHash: Handler = (_node, request) => ({ hash: hashBlock(request.block()) })

export const blockInfo: Handler = (node, request) => {
  const stored = node.ledger.store.findBlock(request.hash())
  if (!stored) throw blockNotFound()
  return blockDetails(node, stored, request.flag('json_block'))
}

export const blocksInfo: Handler = (node, request) => {
  const asObject = request.flag('json_block')
  return forEachHash(node, request, (stored) => {
    const details: Members = blockDetails(node, stored, asObject)
    Object.assign(details, receivableDetails(node, request, stored))
    if (request.flag('source')) details.source_account = sourceAccount(node, stored)
    return details
  })
}

/** A hash that is repeated in the request is repeated in the answer, except for contents inside a string. */
export const blocks: Handler = (node, request) => {
  const asObject = request.flag('json_block')
  return forEachHash(node, request, ({ block }) => blockContents(block, asObject), asObject)
}

/** An unknown hash fails the whole request, unless `include_not_found` asks for a list of unknown ones. */
function forEachHash(
  node: LedgerNode,
  request: NodeRequest,
  answer: (stored: StoredBlock) => Answer,
  repeats = true,
): Answer {
  const includeNotFound = request.flag('include_not_found')
  const found = new Entries()
  const missing: string[] = []
  for (const given of request.list('hashes')) {
    const stored = node.ledger.store.findBlock(toHash(given, badHashNumber))
    if (stored && repeats) found.add(given, answer(stored))
    else if (stored) found.put(given, answer(stored))
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

/** In each election the node also counts a placeholder account as a voter. */
const PLACEHOLDER_VOTER = 'nano_1111111111111111111111111111111111111111111111111113b8661hfk'
const QUORUM_PERCENT = 67n

export const confirmationQuorum: Handler = (node, request) => ({
  quorum_delta: ((node.onlineWeight * QUORUM_PERCENT) / 100n).toString(),
  online_weight_quorum_percent: QUORUM_PERCENT.toString(),
  online_weight_minimum: '1',
  online_stake_total: node.onlineWeight.toString(),
  trended_stake_total: '1',
  peers_stake_total: '0',
  ...(request.flag('peer_details') && { peers: '' }),
})

/** All tallies are zero, because representatives vote only when an election ends. */
export const confirmationInfo: Handler = (node, request) => {
  const root = parseHex(request.text('root'), 128)
  if (root === undefined) throw refusal('Invalid root hash')
  const stored = findElection(node, root)
  if (!stored) throw refusal('Active confirmation not found')
  const entry: Members = { tally: '0' }
  if (request.flag('contents', true)) entry.contents = blockContents(stored.block, request.flag('json_block'))
  if (request.flag('representatives')) entry.representatives = { [PLACEHOLDER_VOTER]: '0' }
  const blocks = { [stored.hash]: entry }
  return { announcements: '0', voters: '1', last_winner: stored.hash, total_tally: '0', final_tally: '0', blocks }
}

/** Confirmations since the start, with a duration of zero. */
export const confirmationHistory: Handler = (node, request) => {
  const wanted = request.find('hash')
  const elections = node.elections.past.filter(({ hash }) => wanted === undefined || hash === wanted.toUpperCase())
  const confirmations = elections.map(({ hash, at, tally }) => ({
    hash,
    duration: '0',
    time: `${at}`,
    tally: `${tally}`,
    final: `${tally}`,
    blocks: '1',
    voters: `${node.listOnline().length + 1}`,
    request_count: '0',
  }))
  return {
    confirmation_stats: { count: `${confirmations.length}`, ...(confirmations.length > 0 && { average: '0' }) },
    confirmations: confirmations.length === 0 ? '' : confirmations,
  }
}

function findElection(node: LedgerNode, qualifiedRoot: string): StoredBlock | undefined {
  return node.ledger
    .listUnconfirmed()
    .find((stored) => rootOf(stored.block) + previousOf(stored.block) === qualifiedRoot && node.isActive(stored))
}

/** A block's contents: an object when `json_block` was asked for, else JSON inside a string. */
export function blockContents(block: Block, asObject: boolean): Answer {
  return asObject ? toBlockJson(block) : writeNodeAnswer(toBlockJson(block))
}

/** The members that `block_info` and `blocks_info` share. */
function blockDetails(node: LedgerNode, stored: StoredBlock, asObject: boolean): { [name: string]: Answer } {
  const { account, amount, balance, height, timestamp, successor, block, subtype } = stored
  return {
    block_account: toAddress(account),
    amount: amount.toString(),
    balance: balance.toString(),
    height: height.toString(),
    local_timestamp: timestamp.toString(),
    successor,
    confirmed: String(node.ledger.isConfirmed(stored)),
    contents: blockContents(block, asObject),
    ...(subtype && { subtype }),
  }
}
