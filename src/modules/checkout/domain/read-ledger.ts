import {
  type Waiting,
  isWhole,
  readAllWaiting,
  readStates as readAddresses,
  readWaiting,
} from '../../../kernel/feed/read-states.ts'
import { LedgerRefusal, isDisagreement } from '../../../kernel/errors.ts'
import { isHex } from '../../../kernel/nano/hex.ts'
import type { LedgerSend } from '../../../kernel/nano/ledger-send.ts'
import { readAgreedAnswer } from '../../../kernel/agreed-read.ts'
import type { Clock, NodeAnswer, NodeParams, NodePort } from '../../../kernel/ports.ts'
import { textOf, toList, toObject } from '../../../kernel/shape.ts'
import type { AddressLook } from '../ports.ts'
import { ledgerInMotion, tooMuchWaits } from '../errors.ts'
import type { IncomingSend } from './baseline.ts'

const HISTORY_PAGE = 500
/** A send received just now is near the end of its receiver's chain. */
const NEWEST_PAGE = 50
/** More pages than this mean that something is wrong; an incomplete look must not count as complete. */
const PAGES_MAX = 200
const TRIES_MAX = 5
const AGAIN_AFTER = 50
/** Every receivable send, confirmed or not. */
const WAITING: Waiting = { isFinalOnly: false, max: 200_000 }

interface SeenSend extends Omit<IncomingSend, 'receivedAt'> {
  confirmed: boolean
  /** Whether the send is still receivable. Undefined where nodes contradict each other. */
  waits: boolean | undefined
}

/** Reads the sends among blocks from the ledger; a node's list or a websocket message only says which blocks to read. */
export async function readSends(
  node: NodePort,
  hashes: readonly string[],
  now: number,
  previous?: readonly string[],
): Promise<SeenSend[]> {
  const sends = await node.readSends(hashes, previous)
  // A send to the sender's own address pays no merchant.
  return [...sends.values()].filter(({ from, to }) => from !== to).map((send) => toSeen(send, now))
}

function toSeen({ hash, from, to, amountRaw, seconds, isFinal, waits }: LedgerSend, now: number): SeenSend {
  const at = seconds > 0 ? Math.min(now, seconds * 1_000) : 0
  return { hash, from, to, amountRaw, at, knownAt: now, confirmed: isFinal, waits }
}

/**
 * For each send the height at which its receiver's chain has received it; null while the send is receivable. A send is left out if it was received
 * before the newest blocks of that chain, or if nodes contradict each other about it.
 */
export async function readPlaces(node: NodePort, sends: readonly SeenSend[]): Promise<Map<string, number | null>> {
  const places = new Map<string, number | null>()
  const receivers = new Set<string>()
  for (const { hash, to, waits } of sends) {
    if (waits === true) places.set(hash, null)
    else if (waits === false) receivers.add(to)
  }
  for (const account of receivers) {
    const { entries } = await readHistory(node, { account, count: NEWEST_PAGE })
    for (const { entry, isAgreed } of entries) {
      const received = isAgreed ? toReceived(entry) : undefined
      if (received) places.set(received.hash, received.height)
    }
  }
  return places
}

/** What is receivable at many addresses, and whether their chains have moved, in two requests. */
export async function readStates(
  node: NodePort,
  addresses: readonly string[],
): Promise<{ address: string; frontier: string | null | undefined; waiting: readonly string[] }[]> {
  const states = await readAddresses(node, addresses, WAITING)
  return addresses.map((address) => {
    const { frontier, waiting } = states.get(address)!
    if (!waiting) throw tooMuchWaits(WAITING.max)
    return { address, frontier, waiting }
  })
}

/**
 * What is on an address: first what is receivable, then the length of its chain. In this order, because a send received in between has
 * left the first and must show in the second.
 */
export async function lookAt(node: NodePort, address: string, clock: Pick<Clock, 'after'>): Promise<AddressLook> {
  const waiting = await readWaiting(node, address, WAITING)
  if (isWhole(waiting)) return { ...(await readChain(node, address, clock)), waiting }
  // A receive between two pages shifts the later pages, so sends could be missed: the chain must not have moved.
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const before = await readChain(node, address, clock)
    const all = await readAllWaiting(node, address, WAITING)
    if (!all) throw tooMuchWaits(WAITING.max)
    const after = await readChain(node, address, clock)
    if (after.frontier === before.frontier) return { ...after, waiting: all }
  }
  throw ledgerInMotion()
}

/** Payments received up to this height never count, so no single node may decide it. Nodes learn of a block one after another, hence the retries. */
async function readChain(
  node: NodePort,
  account: string,
  clock: Pick<Clock, 'after'>,
): Promise<Pick<AddressLook, 'frontier' | 'height'>> {
  for (let tries = 1; ; tries++) {
    try {
      const { frontier, block_count: count } = await readAgreedAnswer(node, 'account_info', { account }, toPlace)
      const height = typeof count === 'string' && count !== '' ? Number(count) : NaN
      if (typeof frontier !== 'string' || !Number.isSafeInteger(height))
        throw new Error('A node does not count blocks.')
      return { frontier, height }
    } catch (error) {
      if (error instanceof LedgerRefusal && error.message === 'Account not found') return { frontier: null, height: 0 }
      if (!isDisagreement(error) || tries === TRIES_MAX) throw error
      await new Promise<void>((resolve) => void clock.after(tries * AGAIN_AFTER, resolve))
    }
  }
}

const toPlace = ({ error, frontier, block_count: count }: NodeAnswer) => [error, frontier, count].map(textOf).join(' ')

interface History {
  /** The newest first. Nodes that agree may differ by one block at the beginning. */
  entries: readonly { entry: Record<string, unknown>; isAgreed: boolean }[]
  /** The block where the next page begins. */
  previous: string | undefined
  isPreviousAgreed: boolean
}

/** One page of a chain, from the node whose list the other nodes agree with most. */
async function readHistory(node: NodePort, params: NodeParams): Promise<History> {
  const { facts, answers } = await node.readAgreed('account_history', { ...params, raw: true }, toHistoryFacts)
  const histories = answers.map(({ history, previous: given }): History => {
    const entries = toList(history)
      .map(toObject)
      .map((entry) => ({ entry, isAgreed: facts.has(toEntryFact(entry)) }))
    const previous = typeof given === 'string' ? given : undefined
    return { entries, previous, isPreviousAgreed: facts.has(previous ?? NO_PREVIOUS) }
  })
  const countAgreed = ({ entries }: History) => entries.filter(({ isAgreed }) => isAgreed).length
  return histories.reduce((most, one) => (countAgreed(one) > countAgreed(most) ? one : most))
}

const NO_PREVIOUS = 'the first block'

const toEntryFact = ({ hash, height, type, subtype, link, source }: Record<string, unknown>) =>
  [hash, height, type, subtype, link, source].map(textOf).join(' ')

const toHistoryFacts = ({ history, previous }: NodeAnswer) => [
  ...toList(history).map(toObject).map(toEntryFact),
  typeof previous === 'string' ? previous : NO_PREVIOUS,
]

/** A send that was received, and the height of its receive block. */
interface Received {
  hash: string
  height: number
}

/**
 * The sends that an address has received since one of its own blocks, or above a height; each receive names its send. A
 * receive comes after its send, so sends since then cannot be further back. Also returns the newest block that was
 * seen, where the next look begins, because another node may know more than the one that answered. It is null if nodes
 * contradict each other, so that the next look begins where this one did.
 */
export async function readReceived(
  node: NodePort,
  account: string,
  { knownHead, floor, since }: { knownHead: string | null; floor: number | undefined; since: number },
): Promise<{ sends: Received[]; newest: string | null }> {
  const sends: Received[] = []
  let newest: string | null = null
  let head: string | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const from = head === undefined ? { account } : { head }
    const { entries, previous, isPreviousAgreed } = await readHistory(node, { ...from, count: HISTORY_PAGE })
    for (const { entry, isAgreed } of entries) {
      // A newest block that only some nodes have is left to the next look; further back all nodes must agree, or one lies.
      if (!isAgreed && newest === null) continue
      if (!isAgreed) return { sends, newest: null }
      if (newest === null && typeof entry.hash === 'string') newest = entry.hash
      const isOld = floor === undefined ? toTime(entry) < since : Number(entry.height) <= floor
      if (entry.hash === knownHead || isOld) return { sends, newest }
      const received = toReceived(entry)
      if (received) sends.push(received)
    }
    if (!isPreviousAgreed) return { sends, newest: null }
    if (previous === undefined) return { sends, newest }
    head = previous
  }
  throw new Error(`The history of ${account} is longer than can be looked through.`)
}

const toTime = ({ local_timestamp: seconds }: Record<string, unknown>) => Number(seconds) * 1_000

function toReceived(entry: Record<string, unknown>): Received | undefined {
  const source = entry.type === 'state' ? entry.subtype === 'receive' && entry.link : entry.source
  const height = Number(entry.height)
  if (typeof source !== 'string' || !isHex(source, 64) || !Number.isSafeInteger(height)) return undefined
  return { hash: source.toUpperCase(), height }
}
