import { isHex } from '../nano/hex.ts'
import type { NodePort } from '../ports.ts'
import { readOrEmpty } from '../read-or-empty.ts'
import { toObject } from '../shape.ts'

const PAGE = 1_000

/** What of the sends that wait for addresses is asked for, and from how many on it is given up to tell those of one address apart. */
export interface Waiting {
  isFinalOnly: boolean
  max: number
}

const toAsked = ({ isFinalOnly }: Waiting) => ({
  threshold: '1',
  source: true,
  include_only_confirmed: isFinalOnly,
  ...(!isFinalOnly && { include_active: true }),
})

export interface AddressState {
  frontier: string | null
  /** Hashes of the sends that wait for the address; undefined when these are too many. */
  waiting: readonly string[] | undefined
}

/** What waits for addresses, then where their chains end: what is received in between has left the first and shows in the second. */
export async function readStates(
  node: NodePort,
  addresses: readonly string[],
  asked: Waiting,
): Promise<Map<string, AddressState>> {
  const waiting = new Map<string, readonly string[] | undefined>()
  for (const [address, first] of await readFirstWaiting(node, addresses, asked)) {
    waiting.set(address, isWhole(first) ? first : await readAllWaiting(node, address, asked))
  }
  return withFrontiers(node, waiting)
}

/** Whether the first page of what waits is all of it. */
export const isWhole = (first: readonly string[]): boolean => first.length < PAGE

/** The first thousand that wait for each of some addresses: one question for all of them. */
export async function readFirstWaiting(
  node: NodePort,
  addresses: readonly string[],
  asked: Waiting,
): Promise<Map<string, string[]>> {
  // A node that refuses the question has not said that nothing waits.
  const receivable = await node.read('accounts_receivable', { accounts: addresses, count: PAGE, ...toAsked(asked) })
  const blocks = toObject(receivable.blocks)
  return new Map(addresses.map((address) => [address, hashesOf(blocks[address])]))
}

/** Everything that waits for one; undefined when that is too much. */
export async function readAllWaiting(node: NodePort, account: string, asked: Waiting): Promise<string[] | undefined> {
  const found = new Set<string>()
  for (let offset = 0; offset < asked.max; offset += PAGE) {
    const page = await readWaiting(node, account, asked, { offset })
    for (const hash of page) found.add(hash)
    if (isWhole(page)) return [...found]
  }
  return undefined
}

/** Some of what waits for one. */
export async function readWaiting(
  node: NodePort,
  account: string,
  asked: Waiting,
  { count = PAGE, offset = 0 }: { count?: number; offset?: number } = {},
): Promise<string[]> {
  return hashesOf((await node.read('receivable', { account, count, offset, ...toAsked(asked) })).blocks)
}

export async function withFrontiers<W extends readonly string[] | undefined>(
  node: NodePort,
  waiting: ReadonlyMap<string, W>,
): Promise<Map<string, { frontier: string | null; waiting: W }>> {
  const addresses = [...waiting.keys()]
  const { frontiers } = await readOrEmpty(node, 'accounts_frontiers', { accounts: addresses })
  const heads = toObject(frontiers)
  return new Map(
    addresses.map((address) => {
      const head = heads[address]
      const frontier = typeof head === 'string' && isHex(head, 64) ? head.toUpperCase() : null
      return [address, { frontier, waiting: waiting.get(address)! }]
    }),
  )
}

const hashesOf = (blocks: unknown) =>
  Object.keys(toObject(blocks))
    .filter((hash) => isHex(hash, 64))
    .map((hash) => hash.toUpperCase())
