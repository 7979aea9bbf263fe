import type { Db } from '../../../kernel/db.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { MadeWith } from '../../../kernel/rights.ts'
import { type JsonObject, textOf } from '../../../kernel/shape.ts'
import { beginDelivery } from '../domain/wake-delivery.ts'
import { EVERY_KIND } from './endpoint.ts'
import { type Listener, listListeners } from './store.ts'

interface RecordedEvent {
  id: string
  accountId: string
  type: string
  /** What filters compare. */
  metadata: JsonObject | undefined
  madeWith: MadeWith | null
  /** The only endpoint that gets the event; undefined means every endpoint that asks for it. */
  endpointId?: string | undefined
}

export function wantsKind({ events }: Pick<Listener, 'events'>, type: string): boolean {
  return events.includes(EVERY_KIND) || events.includes(type)
}

/**
 * Whether an endpoint asks for an event: by its type, by every member of its metadata filter, and by who made the checkout. Anyone can use an
 * unbound public key to make a checkout, so events of those go only to endpoints that ask for them.
 */
export function isMatch(listener: Listener, event: Pick<RecordedEvent, 'type' | 'metadata' | 'madeWith'>): boolean {
  const { type, metadata, madeWith } = event
  if (!wantsKind(listener, type)) return false
  const { metadata: wanted, made_with: by } = listener.filter
  if (by === null ? madeWith === 'public_key' : by !== 'any' && madeWith === null) return false
  if (wanted === null) return true
  return Object.entries(wanted).every(([name, value]) => {
    const found = metadata !== undefined && Object.hasOwn(metadata, name) ? metadata[name] : undefined
    // A client's metadata may contain an object that cannot be converted to text.
    return found !== undefined && typeof found !== 'object' && textOf(found) === textOf(value)
  })
}

/** Queues an event's delivery to every endpoint that asks for it, in the transaction that records it. */
export async function fanOut(
  tx: StoreCtx,
  { id: eventId, accountId, endpointId, ...event }: RecordedEvent,
): Promise<void> {
  const now = tx.clock.now()
  for (const listener of await listListeners(tx.db, accountId)) {
    if (!listener.isEnabled) continue
    if (endpointId === undefined ? !isMatch(listener, event) : !isMeant(listener, endpointId, event.type)) continue
    await beginDelivery(tx, { eventId, endpointId: listener.id, cause: 'event', now, nextAt: now })
  }
}

const isMeant = (listener: Listener, endpointId: string, type: string) =>
  listener.id === endpointId && wantsKind(listener, type)

/**
 * Whether an endpoint of the account asks for a type that would not be recorded otherwise. Paused and disabled endpoints count: what they
 * miss must exist, so that it can be replayed.
 */
export async function isAskedFor(db: Db, accountId: string, type: string): Promise<boolean> {
  return (await listListeners(db, accountId)).some((listener) => wantsKind(listener, type))
}
