import { isHex } from '../nano/hex.ts'
import { LedgerRefusal } from '../errors.ts'
import type { NodeAnswer, NodeParams, NodePort } from '../ports.ts'
import { textOf, toObject } from '../shape.ts'

const PAGE = 1_000

/** Which receivable sends to read, and how many of one address are too many to list. */
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
  /** Undefined while nodes report different ones. */
  frontier: string | null | undefined
  /** Hashes of the receivable sends; undefined when there are too many. */
  waiting: readonly string[] | undefined
}

/**
 * Reads receivable sends first, then frontiers: a send that is received in between is missing in the first list but
 * visible in the second.
 */
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

/** Whether the first page contains all receivable sends. */
export const isWhole = (first: readonly string[]): boolean => first.length < PAGE

/** The first thousand receivable sends of each address, read with one request. */
export async function readFirstWaiting(
  node: NodePort,
  addresses: readonly string[],
  asked: Waiting,
): Promise<Map<string, string[]>> {
  const params = { accounts: addresses, count: PAGE, ...toAsked(asked) }
  const lists = await readLists(node, 'accounts_receivable', params)
  return new Map(addresses.map((address) => [address, hashesOf(lists.map((blocks) => toObject(blocks)[address]))]))
}

/** The sends that any node lists. An invented one is found out later; one that a node hides is listed by another. */
async function readLists(node: NodePort, action: string, params: NodeParams): Promise<unknown[]> {
  const { answers } = await node.readAgreed(action, params, () => [])
  const lists = answers.filter(({ error }) => error === undefined)
  // A node that refuses the question does not say that nothing is receivable.
  if (lists.length === 0) throw new LedgerRefusal(textOf(answers[0]?.error))
  return lists.map(({ blocks }) => blocks)
}

/** All receivable sends of an address; undefined if there are too many. */
export async function readAllWaiting(node: NodePort, account: string, asked: Waiting): Promise<string[] | undefined> {
  const found = new Set<string>()
  for (let offset = 0; offset < asked.max; offset += PAGE) {
    const page = await readWaiting(node, account, asked, { offset })
    for (const hash of page) found.add(hash)
    if (isWhole(page)) return [...found]
  }
  return undefined
}

export async function readWaiting(
  node: NodePort,
  account: string,
  asked: Waiting,
  { count = PAGE, offset = 0 }: { count?: number; offset?: number } = {},
): Promise<string[]> {
  return hashesOf(await readLists(node, 'receivable', { account, count, offset, ...toAsked(asked) }))
}

export async function withFrontiers<W extends readonly string[] | undefined>(
  node: Pick<NodePort, 'readAgreed'>,
  waiting: ReadonlyMap<string, W>,
): Promise<Map<string, { frontier: string | null | undefined; waiting: W }>> {
  const addresses = [...waiting.keys()]
  const toFacts = ({ frontiers }: NodeAnswer) => addresses.map((address) => `${address} ${headOf(frontiers, address)}`)
  const { facts, answers } = await node.readAgreed('accounts_frontiers', { accounts: addresses }, toFacts)
  return new Map(
    addresses.map((address) => {
      const heads = answers.map(({ frontiers }) => headOf(frontiers, address))
      const frontier = heads.find((head) => facts.has(`${address} ${head}`))
      return [address, { frontier, waiting: waiting.get(address)! }]
    }),
  )
}

function headOf(frontiers: unknown, address: string): string | null {
  const head = toObject(frontiers)[address]
  return typeof head === 'string' && isHex(head, 64) ? head.toUpperCase() : null
}

const hashesOf = (lists: readonly unknown[]) => [
  ...new Set(
    lists
      .flatMap((blocks) => Object.keys(toObject(blocks)))
      .filter((hash) => isHex(hash, 64))
      .map((hash) => hash.toUpperCase()),
  ),
]
