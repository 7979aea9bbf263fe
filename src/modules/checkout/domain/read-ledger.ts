import { parseRaw } from '../../../kernel/money.ts'
import { fromAddress, toAddress } from '../../../kernel/nano/address.ts'
import { isHex } from '../../../kernel/nano/hex.ts'
import type { NodePort } from '../../../kernel/ports.ts'
import { readOrEmpty } from '../../../kernel/read-or-empty.ts'
import { toList, toObject } from '../../../kernel/shape.ts'
import type { LedgerSend } from './credit.ts'

const HASHES_AT_ONCE = 500
const RECEIVABLE_PAGE = 1_000
const HISTORY_PAGE = 500
/** Beyond this something is wrong, and a look that is not complete must not count as one. */
const PAGES_MAX = 200

interface SeenSend extends LedgerSend {
  confirmed: boolean
}

/**
 * Reads blocks and keeps the sends among them. Everything that money depends on is taken from here: a node's word by
 * websocket only says where to look. The destination is the decoded link.
 */
export async function readSends(node: NodePort, hashes: readonly string[], now: number): Promise<SeenSend[]> {
  const sends: SeenSend[] = []
  for (let at = 0; at < hashes.length; at += HASHES_AT_ONCE) {
    const part = hashes.slice(at, at + HASHES_AT_ONCE)
    const answer = await node.read('blocks_info', { hashes: part, json_block: true, include_not_found: true })
    const blocks = toObject(answer.blocks)
    for (const hash of part) {
      const send = toSend(hash, toObject(blocks[hash]), now)
      if (send) sends.push(send)
    }
  }
  return sends
}

function toSend(hash: string, block: Record<string, unknown>, now: number): SeenSend | undefined {
  const contents = toObject(block.contents)
  if (block.subtype !== 'send' || typeof contents.link !== 'string' || !isHex(contents.link, 64)) return undefined
  const amountRaw = typeof block.amount === 'string' ? parseRaw(block.amount) : undefined
  const sender = typeof block.block_account === 'string' ? fromAddress(block.block_account) : undefined
  if (amountRaw === undefined || amountRaw === 0n || sender === undefined) return undefined
  const from = toAddress(sender)
  const to = toAddress(contents.link.toUpperCase())
  // Sending to oneself pays nobody.
  if (from === to) return undefined
  const seconds = typeof block.local_timestamp === 'string' ? Number(block.local_timestamp) : 0
  // A block whose time the node does not know is an old one: it pays for nothing that was made since.
  const at = seconds > 0 ? Math.min(now, seconds * 1_000) : 0
  return { hash, from, to, amountRaw, at, confirmed: block.confirmed === 'true' }
}

interface AddressState {
  address: string
  frontier: string | null
  /** Hashes of sends that wait for the address, confirmed or not. */
  waiting: string[]
}

/** What waits for many addresses, and whether their chains have moved, in two questions. */
export async function readStates(node: NodePort, addresses: readonly string[]): Promise<AddressState[]> {
  const receivable = await readOrEmpty(node, 'accounts_receivable', {
    accounts: addresses,
    count: RECEIVABLE_PAGE,
    threshold: '1',
    source: true,
    include_active: true,
    include_only_confirmed: false,
  })
  // Only then: what is received in between has left the first list and must show in the second.
  const frontiers = await readOrEmpty(node, 'accounts_frontiers', { accounts: addresses })
  const blocks = toObject(receivable.blocks)
  const heads = toObject(frontiers.frontiers)
  const states: AddressState[] = []
  for (const address of addresses) {
    const first = Object.keys(toObject(blocks[address]))
    const waiting = first.length < RECEIVABLE_PAGE ? first : await readAllWaiting(node, address)
    const head = heads[address]
    states.push({ address, waiting, frontier: typeof head === 'string' ? head : null })
  }
  return states
}

async function readAllWaiting(node: NodePort, account: string): Promise<string[]> {
  const found = new Set<string>()
  for (let page = 0; page < PAGES_MAX; page++) {
    const { blocks } = await readOrEmpty(node, 'receivable', {
      account,
      count: RECEIVABLE_PAGE,
      offset: page * RECEIVABLE_PAGE,
      threshold: '1',
      source: true,
      include_active: true,
      include_only_confirmed: false,
    })
    const hashes = Object.keys(toObject(blocks))
    for (const hash of hashes) found.add(hash)
    if (hashes.length < RECEIVABLE_PAGE) return [...found]
  }
  throw new Error(`More waits for ${account} than can be looked through.`)
}

/**
 * The sends that an address has received since a block of its own, or since a time: each receive names its send. A
 * receive comes after its send, so that nothing sent since then can lie further back. Also the newest block that was
 * seen, which is where the next look begins: another node may know more than the one that answered.
 */
export async function readReceived(
  node: NodePort,
  account: string,
  { knownHead, since }: { knownHead: string | null; since: number },
): Promise<{ sends: string[]; newest: string | null }> {
  const sends: string[] = []
  let newest: string | null = null
  let head: string | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const from = head === undefined ? { account } : { head }
    const answer = await readOrEmpty(node, 'account_history', { ...from, count: HISTORY_PAGE, raw: true })
    for (const entry of toList(answer.history).map(toObject)) {
      if (newest === null && typeof entry.hash === 'string') newest = entry.hash
      if (entry.hash === knownHead || Number(entry.local_timestamp) * 1_000 < since) return { sends, newest }
      const source = entry.type === 'state' ? entry.subtype === 'receive' && entry.link : entry.source
      if (typeof source === 'string' && isHex(source, 64)) sends.push(source.toUpperCase())
    }
    if (typeof answer.previous !== 'string') return { sends, newest }
    head = answer.previous
  }
  throw new Error(`The history of ${account} is longer than can be looked through.`)
}
