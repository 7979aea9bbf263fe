import type { MadeWith } from '../../../kernel/rights.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { fanOut } from '../endpoints/fan-out.ts'
import { insertEvent, takePosition } from '../store.ts'
import { type SecretCtx, ensureAccountSecret } from './account-secret.ts'
import { placeOfEventSecret } from './signing-secrets.ts'
import { beginDelivery } from './wake-delivery.ts'

export interface NewEvent {
  /** `evt_…`, made by the caller, because it stands in the body. */
  id: string
  /** The owner; null for what was made without a key. */
  accountId: string | null
  /** What it is about: the id of a checkout. */
  subject: string
  type: string
  /** One event for each subject, type and this: recording it again does nothing. */
  dedupeKey: string
  /** Serialised once; exactly these bytes are sent on every attempt. */
  body: string
  /** Null: it is there to be pulled only, and for endpoints. */
  url: string | null
  /** The checkout's own secret; null: the default secret of the account. */
  secret: string | null
  /** What endpoints may filter by. */
  metadata?: JsonObject
  /** The kind of the public key that made what it is about. */
  madeWith?: MadeWith | null
  /** The only endpoint that is told; undefined is each that asks for it. */
  endpointId?: string
}

/**
 * Records an event and puts its deliveries on the way, in the caller's transaction: it exists if and only if what it tells
 * about does. False when it was recorded before.
 */
export async function recordEvent(tx: SecretCtx, event: NewEvent): Promise<boolean> {
  const recorded = await insertNew(tx, event)
  if (!recorded) return false
  const { id, accountId, url } = event
  if (url !== null) {
    const now = tx.clock.now()
    await beginDelivery(tx, { eventId: id, endpointId: null, cause: 'event', now, nextAt: now })
  }
  if (recorded.endpoints > 0) {
    const { type, metadata, madeWith = null, endpointId } = event
    await fanOut(tx, { id, accountId: accountId!, type, metadata, madeWith, endpointId })
  }
  return true
}

/** The event alone, and how many endpoints its account has; undefined when it was recorded before. */
export async function insertNew(tx: SecretCtx, event: NewEvent): Promise<{ endpoints: number } | undefined> {
  const { db, clock, secrets } = tx
  const { id, accountId, subject, type, dedupeKey, body, url, secret } = event
  if (url !== null && secret === null) {
    if (accountId === null) throw new Error('An event without an owner needs a secret: nothing is sent unsigned.')
    await ensureAccountSecret(tx, accountId)
  }
  // The position comes first: two transactions that record the same event then wait for one another in the same order.
  const taken = accountId === null ? undefined : await takePosition(db, accountId)
  const isNew = await insertEvent(db, {
    id,
    account_id: accountId,
    position: taken?.last ?? null,
    subject,
    type,
    dedupe_key: dedupeKey,
    body,
    url,
    sealed_secret: secret === null ? null : secrets.seal(placeOfEventSecret(id), secret),
    created_at: clock.now(),
    endpoint_id: event.endpointId ?? null,
  })
  if (isNew && accountId !== null) tx.tellAccount(accountId, ['webhooks'])
  return isNew ? { endpoints: taken?.endpoints ?? 0 } : undefined
}
