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
/** What is final and was not received. More than this waits at hardly any address, and is left alone. */
export const WAITING: Waiting = { isFinalOnly: true, max: 10_000 }

/** Everything that is told is taken from here: lists of hashes only say where to look. What is not final, or no send, is left out. */
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
  /** What may wait at one address, and at how many of them so much may wait that it takes a question of its own. */
  waitingMax: number
  crowdedMax: number
  refuseWaiting(address: string): Error
  refuseCrowded(): Error
}

/**
 * The same, where too much is refused: as soon as it is seen, and before anything else is asked. What a refusal costs the nodes is one question for
 * each part of the addresses, and one for each crowded one.
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
  // Where a watch begins is no money: it need not wait for a node that is away.
  const oneNode = { readAgreed: believeOne((...asked) => node.read(...asked)) }
  for (const part of parts) {
    const own = new Map(part.map((address) => [address, waiting.get(address)!]))
    for (const [address, state] of await withFrontiers(oneNode, own)) states.set(address, state)
  }
  return states
}

/** A block of an address's own chain. */
export interface ChainBlock {
  hash: string
  height: number
  confirmed: boolean
  isSend: boolean
  /** The send that it receives. */
  source: string | undefined
}

/**
 * Blocks of a chain above one of them, the oldest first. Heights count one by one: a list that leaves one out is none, and the look fails.
 * Undefined when the node does not know the block from which to go on.
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

/** The newest final blocks of chains that end with these, and their heights. */
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
