import {
  type AddressState,
  type Waiting,
  isWhole,
  readFirstWaiting,
  readWaiting,
  withFrontiers,
} from '../../../kernel/feed/read-states.ts'
import { believeOne } from '../../../kernel/agreed-read.ts'
import { LedgerRefusal } from '../../../kernel/errors.ts'
import { isHex } from '../../../kernel/nano/hex.ts'
import type { LedgerSend } from '../../../kernel/nano/ledger-send.ts'
import type { NodePort } from '../../../kernel/ports.ts'
import { toList, toObject } from '../../../kernel/shape.ts'

const HASHES_AT_ONCE = 500
export const CHAIN_PAGE = 500
/** Final receivable sends. Hardly any address has more than this, and the rest is ignored there. */
export const WAITING: Waiting = { isFinalOnly: true, max: 10_000 }

/** Reads the sends that events are made from; lists of hashes only say which blocks to read. Blocks that are not final sends are left out. */
export async function readFinalSends(node: NodePort, hashes: readonly string[]): Promise<Map<string, LedgerSend>> {
  return new Map([...(await node.readSends(hashes))].filter(([, { isFinal }]) => isFinal))
}

async function readBlocks(node: NodePort, hashes: readonly string[]): Promise<[string, Record<string, unknown>][]> {
  const found: [string, Record<string, unknown>][] = []
  for (let at = 0; at < hashes.length; at += HASHES_AT_ONCE) {
    const part = hashes.slice(at, at + HASHES_AT_ONCE)
    const answer = await node.read('blocks_info', { hashes: part, json_block: true, include_not_found: true })
    const blocks = toObject(answer.blocks)
    for (const hash of part) found.push([hash, toObject(blocks[hash])])
  }
  return found
}

function toCount(value: unknown): number {
  const count = typeof value === 'string' && value !== '' ? Number(value) : NaN
  return Number.isSafeInteger(count) ? count : 0
}

interface Bounds {
  /** The maximum of receivable sends at one address, and of addresses that need a request of their own because of many. */
  waitingMax: number
  crowdedMax: number
  refuseWaiting(address: string): Error
  refuseCrowded(): Error
}

/**
 * The same with limits, checked as early as possible.
 * A refusal costs the nodes at most one request for each part of the addresses and one for each crowded address.
 */
export async function readStatesWithin(
  node: NodePort,
  parts: readonly (readonly string[])[],
  { waitingMax, crowdedMax, refuseWaiting, refuseCrowded }: Bounds,
): Promise<Map<string, AddressState & { waiting: readonly string[] }>> {
  const waiting = new Map<string, readonly string[]>()
  const crowded: string[] = []
  for (const part of parts) {
    for (const [address, first] of await readFirstWaiting(node, part, WAITING)) {
      waiting.set(address, first)
      if (!isWhole(first)) crowded.push(address)
      if (crowded.length > crowdedMax) throw refuseCrowded()
    }
  }
  for (const account of crowded) {
    const all = await readWaiting(node, account, WAITING, { count: waitingMax + 1 })
    if (all.length > waitingMax) throw refuseWaiting(account)
    waiting.set(account, all)
  }
  const states = new Map<string, AddressState & { waiting: readonly string[] }>()
  // The start of a watch decides about no money, so it need not wait for a node that is unreachable.
  const oneNode = { readAgreed: believeOne((...asked) => node.read(...asked)) }
  for (const part of parts) {
    const own = new Map(part.map((address) => [address, waiting.get(address)!]))
    for (const [address, state] of await withFrontiers(oneNode, own)) states.set(address, state)
  }
  return states
}

/** A block of the address's own chain. */
export interface ChainBlock {
  hash: string
  height: number
  confirmed: boolean
  isSend: boolean
  /** The send that it receives. */
  source: string | undefined
}

/**
 * The blocks of a chain above a known one, the oldest first. Heights must be consecutive: a list with a gap makes the look fail. Undefined
 * when the node does not know the block to start from.
 */
export async function readChainAbove(
  node: NodePort,
  account: string,
  { frontier, height }: { frontier: string | null; height: number },
): Promise<ChainBlock[] | undefined> {
  const from = frontier === null ? {} : { head: frontier, offset: 1 }
  const asked = { account, ...from, count: CHAIN_PAGE, raw: true, reverse: true }
  let history: unknown
  try {
    history = (await node.read('account_history', asked)).history
  } catch (error) {
    if (error instanceof LedgerRefusal) return undefined
    throw error
  }
  return toList(history)
    .map(toObject)
    .map((entry, at) => {
      const block = toChainBlock(entry)
      if (block?.height !== height + 1 + at) throw new Error(`A node leaves out blocks of ${account}.`)
      return block
    })
}

function toChainBlock(entry: Record<string, unknown>): ChainBlock | undefined {
  const { hash, type, subtype, link, source, confirmed } = entry
  if (typeof hash !== 'string' || !isHex(hash, 64)) return undefined
  const received = type === 'state' ? (subtype === 'receive' ? link : undefined) : source
  return {
    hash: hash.toUpperCase(),
    height: toCount(entry.height),
    confirmed: confirmed === 'true',
    isSend: type === 'send' || (type === 'state' && subtype === 'send'),
    source: typeof received === 'string' && isHex(received, 64) ? received.toUpperCase() : undefined,
  }
}

/** The newest final block of each address's chain, and its height. `states` names the newest blocks, which need not be final. */
export async function readFinalHeads(
  node: NodePort,
  states: ReadonlyMap<string, AddressState>,
): Promise<Map<string, { frontier: string | null; height: number }>> {
  const heads = new Map<string, { frontier: string | null; height: number }>()
  const byFrontier = new Map([...states].flatMap(([address, { frontier }]) => (frontier ? [[frontier, address]] : [])))
  for (const address of states.keys()) heads.set(address, { frontier: null, height: 0 })
  for (const [frontier, block] of await readBlocks(node, [...byFrontier.keys()])) {
    const address = byFrontier.get(frontier)!
    const height = toCount(block.height)
    const isFinal = block.confirmed === 'true' && height > 0
    heads.set(address, isFinal ? { frontier, height } : await readFinalHead(node, address))
  }
  return heads
}

async function readFinalHead(node: NodePort, account: string): Promise<{ frontier: string | null; height: number }> {
  const info = await node.read('account_info', { account, include_confirmed: true })
  const { confirmed_height: count, confirmed_frontier: frontier } = info
  const height = toCount(count)
  if (height === 0) return { frontier: null, height: 0 }
  if (typeof frontier !== 'string' || !isHex(frontier, 64)) throw new Error('A node does not say which block is final.')
  return { frontier: frontier.toUpperCase(), height }
}
