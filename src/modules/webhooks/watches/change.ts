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
import type { WatchContext } from './context.ts'
import { countWatches, deleteWatches, insertWatches, listWatchedOf } from './store.ts'
import type { Floor } from './watch.ts'

const ADDRESSES_AT_ONCE = 100
/** The most sends that may be receivable when the watch begins: each is stored, so that it can be told from later ones. */
const WAITING_BEFORE_MAX = 2_000
/** Each address with many receivable sends costs the nodes a request of its own. */
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
  /** Counts of the endpoint and of the whole account. */
  watched: number
  total: number
  /** What happens at these addresses from now on comes after this position in the list of events. */
  position: number
}

export const showAdded = ({ endpointId, added, watched, total, position }: Added): JsonObject => ({
  endpoint: endpointId,
  added,
  watched,
  total,
  cursor: toCursor(position),
})

/** Adds addresses to an endpoint, which gets their events from now on. Addresses it watches already stay as they are. */
export async function addWatches(
  context: WatchContext,
  { accountId, actor, endpointId, addresses }: Asked,
  idempotency?: Idempotency,
): Promise<Added> {
  const made = idempotency?.made as Added | undefined
  if (made) return made
  const own = { accountId, endpointId }
  const endpoint = await getEndpoint(context, { id: endpointId, accountId })
  if (!(Object.keys(ADDRESS_KINDS) as AddressKind[]).some((kind) => wantsKind(endpoint, kind))) throw kindsNotAsked()
  const there = await listWatchedOf(context.db, own, addresses)
  const fresh = addresses.filter((address) => !there.has(address))
  const { addressesMax: max } = context
  // Checked before the nodes are asked, so that an account at its limit costs them nothing.
  if ((await countWatches(context.db, { accountId })) + fresh.length > max) throw tooManyWatches(max)
  const floors = await readFloors(context.node, fresh)
  const result = await inTx(context, async (tx) => {
    // Locks the account, so that concurrent requests count each other.
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
  if (fresh.length > 0) context.watch(fresh)
  return result
}

/** The current state of addresses: what is final by now causes no event. */
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

/** Final sends whose receives are not final yet: they are neither receivable nor below the floor. */
async function readTaken(node: NodePort, address: string, head: Pick<Floor, 'frontier' | 'height'>): Promise<string[]> {
  const chain = (await readChainAbove(node, address, head)) ?? []
  const sends = await readFinalSends(
    node,
    chain.flatMap(({ source }) => source ?? []),
  )
  return [...sends.keys()]
}

/** Removes addresses from an endpoint; returns how many there were. */
export async function removeWatches(
  context: WatchContext,
  { accountId, actor, endpointId, addresses }: Asked,
): Promise<{ removed: number; watched: number }> {
  await getEndpoint(context, { id: endpointId, accountId })
  return inTx(context, async (tx) => {
    const removed = await deleteWatches(tx.db, { accountId, endpointId, addresses })
    if (removed > 0) {
      const detail = { id: endpointId, count: removed }
      await insertAudit(tx, { actor, accountId, what: 'endpoint.unwatched', detail })
    }
    return { removed, watched: await countWatches(tx.db, { accountId, endpointId }) }
  })
}
