import { type AddressState, readStates } from '../../../kernel/feed/read-states.ts'
import type { LedgerSend } from '../../../kernel/nano/ledger-send.ts'
import { Known } from './known.ts'
import { listReported, dedupeKeyOf, markStep } from './looks-store.ts'
import { CHAIN_PAGE, type ChainBlock, WAITING, readChainAbove, readFinalSends } from './read-ledger.ts'
import type { WatchContext } from './context.ts'
import type { Floor, Trouble, Watch } from './watch.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { formatNano } from '../../../kernel/money.ts'
import { recordEvent } from '../domain/record-event.ts'
import { wantsKind } from '../endpoints/fan-out.ts'
import { endpoints } from '../endpoints/endpoint.ts'
import type { AddressKind } from './event-kinds.ts'

/** The maximum of chain pages in one look; a longer chain continues in the next look. */
const PAGES_MAX = 20
/** Each event takes several statements, and other writers wait for one transaction. */
const EVENTS_AT_ONCE = 20

export interface Looked {
  /** Whether everything found was recorded. */
  isComplete: boolean
  /** Sends that were recorded or cause no event. */
  settled: ReadonlySet<string>
  /** Whether any event was recorded. */
  isActive: boolean
  trouble: Trouble | null
}

interface Look {
  context: WatchContext
  watch: Watch
  state: AddressState
  /** Hashes that the event stream announced: they are looked for in the ledger, and never trusted. */
  announced: ReadonlySet<string>
  settled: Set<string>
}

/**
 * Records what happened at an address since the last look: the new blocks of its chain in order, and its receivable sends. The ledger is the
 * only source; each step is one transaction that begins where the previous one ended.
 */
export async function lookAt(
  context: WatchContext,
  { watch: before, state, announced }: { watch: Watch; state: AddressState; announced: ReadonlySet<string> },
): Promise<Looked> {
  const settled = new Set<string>()
  let watch = before
  const crowded = state.waiting === undefined ? 'too_much_waits' : null
  const over = (isComplete: boolean, trouble: Trouble | null = crowded): Looked => ({
    isComplete,
    settled,
    isActive: watch.told > before.told,
    trouble,
  })
  for (let page = 0; page < PAGES_MAX; page++) {
    const chain = state.frontier === watch.frontier ? [] : await readChainAbove(context.node, watch.address, watch)
    if (!chain) return over(false, 'unknown_floor')
    const isLast = chain.length < CHAIN_PAGE || !chain.at(-1)!.confirmed
    // Read again, so that a send confirmed while the chain was read does not come after it.
    const now = isLast && chain.length > 0 ? await withWaitingNow(context, watch.address, state) : state
    const look = { context, watch, state: now, announced, settled }
    const { happenings, floor, isComplete } = await judge(look, { chain, isLast })
    const after = await reportInParts(context, watch, { happenings, floor })
    if (!after) return over(false)
    watch = after
    for (const { send } of happenings) settled.add(send.hash)
    if (isLast || !isComplete) return over(isComplete)
  }
  return over(false)
}

async function withWaitingNow({ node }: WatchContext, address: string, state: AddressState): Promise<AddressState> {
  const { waiting } = (await readStates(node, [address], WAITING)).get(address)!
  return { ...state, waiting: state.waiting && waiting && [...new Set([...state.waiting, ...waiting])] }
}

/** Records many events in several transactions, of which the last moves the floor. */
async function reportInParts(
  context: WatchContext,
  watch: Watch,
  { happenings, floor }: { happenings: readonly Happening[]; floor: Floor },
): Promise<Watch | undefined> {
  const isSame = floor.height === watch.height && floor.known === watch.known
  if (happenings.length === 0 && isSame) return watch
  let at = 0
  let now: Watch | undefined = watch
  for (; now && happenings.length - at > EVENTS_AT_ONCE; at += EVENTS_AT_ONCE) {
    const { frontier, height, known }: Floor = now
    now = await reportAll(context, now, {
      happenings: happenings.slice(at, at + EVENTS_AT_ONCE),
      floor: { frontier, height, known },
    })
  }
  return now && reportAll(context, now, { happenings: happenings.slice(at), floor })
}

/** Decides which blocks of a part of the chain, and which receivable sends, cause events, and up to where the address is processed then. */
async function judge(
  { context, watch, state, announced, settled }: Look,
  { chain, isLast }: { chain: readonly ChainBlock[]; isLast: boolean },
): Promise<{ happenings: Happening[]; floor: Floor; isComplete: boolean }> {
  const { address } = watch
  const known = new Known(watch.known)
  const waiting = isLast ? (state.waiting ?? [...announced]) : []
  const sent = chain.filter(({ isSend }) => isSend).map(({ hash }) => hash)
  const incoming = new Set([...chain.flatMap(({ source }) => source ?? []), ...waiting])
  for (const hash of announced) if (known.has(hash)) settled.add(hash)
  const received = [...incoming].filter((hash) => !known.has(hash))
  const reportedSent = await listReported(context.db, watch, { type: 'address.sent', hashes: sent })
  const reportedReceived = await listReported(context.db, watch, { type: 'address.received', hashes: received })
  for (const hash of [...reportedSent, ...reportedReceived]) settled.add(hash)
  const newSent = sent.filter((hash) => !reportedSent.has(hash))
  const newReceived = received.filter((hash) => !reportedReceived.has(hash))
  const sends = await readFinalSends(context.node, [...new Set([...newSent, ...newReceived])])
  const happenings = inOrder([
    ...pick(sends, newSent, ({ from }) => from === address).map((send) => ({ type: 'address.sent' as const, send })),
    ...pick(sends, newReceived, ({ to }) => to === address).map((send) => ({
      type: 'address.received' as const,
      send,
    })),
  ])
  // A send that the node lists, but does not report as final when asked, is looked at again.
  const isOpen = (hash: string) => !sends.has(hash) && !known.has(hash) && !reportedReceived.has(hash)
  const isDone = ({ hash, confirmed, isSend, source }: ChainBlock) =>
    confirmed && (!isSend || sends.has(hash) || reportedSent.has(hash)) && (source === undefined || !isOpen(source))
  const end = chain.findIndex((block) => !isDone(block))
  const done = end === -1 ? chain : chain.slice(0, end)
  const last = done.at(-1)
  // The next look finds receives that are not final, and receivable sends, once more: neither may cause a second event.
  const again = [...chain.slice(done.length).flatMap(({ source }) => source ?? []), ...waiting]
  const isKept = isLast && state.waiting !== undefined && again.length <= WAITING.max
  // A final send stops being receivable only when it is received. One that a node no longer lists stays known; otherwise it would cause a
  // second event once a node lists it again.
  const taken = done.flatMap(({ source }) => source ?? [])
  const floor = {
    frontier: last?.hash ?? watch.frontier,
    height: last?.height ?? watch.height,
    known: known.repacked({ taken, more: isKept ? again.filter((hash) => !isOpen(hash)) : [] }),
  }
  const isOver = chain.slice(done.length).every(({ confirmed }) => !confirmed)
  return { happenings, floor, isComplete: isOver && !waiting.some(isOpen) }
}

const pick = (
  sends: ReadonlyMap<string, LedgerSend>,
  hashes: readonly string[],
  isMeant: (send: LedgerSend) => boolean,
): LedgerSend[] =>
  hashes.flatMap((hash) => {
    const send = sends.get(hash)
    // A block of the ledger's first years may send nothing.
    return send && send.amountRaw > 0n && isMeant(send) ? [send] : []
  })

/**
 * Ordered by the time at which the node saw the blocks, with two constraints: an account's sends stay in the order of its chain, and incoming
 * sends come before outgoing ones.
 */
function inOrder(happenings: readonly Happening[]): Happening[] {
  const latest = new Map<string, number>()
  const byChain = happenings.toSorted(
    ({ send: one }, { send: other }) => compare(one.from, other.from) || one.height - other.height,
  )
  const timed = byChain.map((happening) => {
    const { from, seconds } = happening.send
    const at = Math.max(seconds, latest.get(from) ?? 0)
    latest.set(from, at)
    return { happening, at }
  })
  return timed
    .sort((one, other) => one.at - other.at || compare(one.happening.type, other.happening.type))
    .map(({ happening }) => happening)
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

interface Happening {
  type: AddressKind
  send: LedgerSend
}

/**
 * Records the events of an address, in this order, together with the floor that follows: a crash undoes both, and an instance whose lease has
 * ended records neither. Returns the watch as it is now; undefined when another instance has it, or it is gone.
 */
async function reportAll(
  context: WatchContext,
  watch: Watch,
  { happenings, floor }: { happenings: readonly Happening[]; floor: Floor },
): Promise<Watch | undefined> {
  return inTx(context, async (tx) => {
    const endpoint = await endpoints.find(tx.db, watch.endpointId)
    const wanted = endpoint ? happenings.filter(({ type }) => wantsKind(endpoint, type)) : []
    const activeAt = happenings.length > 0 ? tx.clock.now() : watch.activeAt
    const after = { ...watch, ...floor, told: watch.told + wanted.length, activeAt }
    if (!(await markStep(tx.db, watch, after))) return undefined
    for (const [at, { type, send }] of wanted.entries()) {
      const id = tx.ids.next('evt')
      const { accountId, endpointId, address } = watch
      const sequence = watch.told + at + 1
      await recordEvent(tx, {
        id,
        accountId,
        subject: address,
        type,
        dedupeKey: dedupeKeyOf(endpointId, send.hash),
        body: JSON.stringify({
          id,
          type,
          created_unix: Math.floor(tx.clock.now() / 1000),
          endpoint: endpointId,
          hash: send.hash,
          account: address,
          source: send.from,
          destination: send.to,
          amount: formatNano(send.amountRaw),
          amount_raw: send.amountRaw.toString(),
          confirmed: 'true',
          sequence,
        }),
        url: null,
        secret: null,
        endpointId,
      })
    }
    return after
  })
}
