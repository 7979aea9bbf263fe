import { type Actor } from '../../../kernel/actor.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import type { NodePort } from '../../../kernel/ports.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { insertAudit, lockAccount } from '../../accounts/index.ts'
import { wantsKind } from '../endpoints/fan-out.ts'
import { getEndpoint } from '../endpoints/secret.ts'
import { findPositionBefore } from '../store.ts'
import { toCursor } from '../wire-fields.ts'
import { kindsNotAsked, tooManyCrowded, tooManyWatches, tooMuchWaits } from '../errors.ts'
import { ADDRESS_KINDS, type AddressKind } from './event-kinds.ts'
import { packKnown } from './known.ts'
import { readChainAbove, readFinalHeads, readFinalSends, readStatesWithin } from './read-ledger.ts'
import type { WatchRoom } from './room.ts'
import { countWatches, deleteWatches, insertWatches, listWatchedOf } from './store.ts'
import type { Floor } from './watch.ts'

const ADDRESSES_AT_ONCE = 100
/** What waits at an address before it is watched must be told apart from what comes. */
const WAITING_BEFORE_MAX = 2_000
/** Each costs the nodes a question of its own. */
const CROWDED_MAX = 20

interface Asked {
  accountId: string
  actor: Actor
  endpointId: string
  addresses: readonly string[]
}

interface Added {
  endpointId: string
  added: number
  /** Of the endpoint, and of the whole account. */
  watched: number
  total: number
  /** From here on the feed has what happens at these addresses. */
  position: number
}

export const showAdded = ({ endpointId, added, watched, total, position }: Added): JsonObject => ({
  endpoint: endpointId,
  added,
  watched,
  total,
  cursor: toCursor(position),
})

/** Has an endpoint told what happens at addresses from now on. Those that it is told about already stay as they are. */
export async function addWatches(
  room: WatchRoom,
  { accountId, actor, endpointId, addresses }: Asked,
  idempotency?: Idempotency,
): Promise<Added> {
  const made = idempotency?.made as Added | undefined
  if (made) return made
  const own = { accountId, endpointId }
  const endpoint = await getEndpoint(room, { id: endpointId, accountId })
  if (!(Object.keys(ADDRESS_KINDS) as AddressKind[]).some((kind) => wantsKind(endpoint, kind))) throw kindsNotAsked()
  const there = await listWatchedOf(room.db, own, addresses)
  const fresh = addresses.filter((address) => !there.has(address))
  const { addressesMax: max } = room
  // Before the ledger is asked: who has enough already should not cost the nodes anything.
  if ((await countWatches(room.db, { accountId })) + fresh.length > max) throw tooManyWatches(max)
  const floors = await readFloors(room.node, fresh)
  const result = await inTx(room, async (tx) => {
    // One at a time for each account: those that come at once must count each other.
    await lockAccount(tx.db, accountId)
    await getEndpoint(tx, { id: endpointId, accountId })
    const added = await insertWatches(tx.db, { ...own, floors, now: tx.clock.now() })
    const total = await countWatches(tx.db, { accountId })
    if (added > 0 && total > max) throw tooManyWatches(max)
    if (added > 0) {
      await insertAudit(tx, {
        actor,
        accountId,
        what: 'endpoint.watched',
        detail: { id: endpointId, count: added },
      })
    }
    const position = await findPositionBefore(tx.db, accountId, Number.MAX_SAFE_INTEGER)
    const watched = await countWatches(tx.db, own)
    const done: Added = { endpointId, added, watched, total, position }
    await idempotency?.record(tx.db, { ...done })
    return done
  })
  if (fresh.length > 0) room.heed(fresh)
  return result
}

/** Where addresses stand now: what is final by now needs no telling. */
async function readFloors(node: NodePort, addresses: readonly string[]): Promise<Map<string, Floor>> {
  const floors = new Map<string, Floor>()
  const parts: (readonly string[])[] = []
  for (let at = 0; at < addresses.length; at += ADDRESSES_AT_ONCE)
    parts.push(addresses.slice(at, at + ADDRESSES_AT_ONCE))
  const states = await readStatesWithin(node, parts, {
    waitingMax: WAITING_BEFORE_MAX,
    crowdedMax: CROWDED_MAX,
    refuseWaiting: (address) => tooMuchWaits(address, WAITING_BEFORE_MAX),
    refuseCrowded: () => tooManyCrowded(CROWDED_MAX),
  })
  const heads = await readFinalHeads(node, states)
  for (const [address, { waiting, frontier }] of states) {
    const head = heads.get(address)!
    const taken = head.frontier === frontier ? [] : await readTaken(node, address, head)
    floors.set(address, { ...head, known: packKnown([...waiting, ...taken]) })
  }
  return floors
}

/** Final sends that receives have taken which are not final themselves: these neither wait nor lie below the floor. */
async function readTaken(node: NodePort, address: string, head: Pick<Floor, 'frontier' | 'height'>): Promise<string[]> {
  const chain = (await readChainAbove(node, address, head)) ?? []
  const sends = await readFinalSends(
    node,
    chain.flatMap(({ source }) => source ?? []),
  )
  return [...sends.keys()]
}

/** An endpoint is told nothing more about addresses; answers how many there were. */
export async function removeWatches(
  room: WatchRoom,
  { accountId, actor, endpointId, addresses }: Asked,
): Promise<{ removed: number; watched: number }> {
  await getEndpoint(room, { id: endpointId, accountId })
  return inTx(room, async (tx) => {
    const removed = await deleteWatches(tx.db, { accountId, endpointId, addresses })
    if (removed > 0) {
      const detail = { id: endpointId, count: removed }
      await insertAudit(tx, { actor, accountId, what: 'endpoint.unwatched', detail })
    }
    return { removed, watched: await countWatches(tx.db, { accountId, endpointId }) }
  })
}
