import { together } from '../../../kernel/in-tx.ts'
import type { MadeWith } from '../../../kernel/rights.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { fanOut } from '../endpoints/fan-out.ts'
import { insertEvent, takePosition } from '../store.ts'
import { type SecretCtx, ensureAccountSecret } from './account-secret.ts'
import { eventSecretContext } from '../tables.ts'
import { beginDelivery } from './wake-delivery.ts'

export interface NewEvent {
  /** `evt_…`, made by the caller, because the body contains it. */
  id: string
  /** The owner; null for checkouts made without a key. */
  accountId: string | null
  /** What the event is about, such as the id of a checkout. */
  subject: string
  type: string
  /** Subject, type and this key identify an event: recording it again does nothing. */
  dedupeKey: string
  /** Serialised once; exactly these bytes are sent on every attempt. */
  body: string
  /** Null when no URL is named: the event can be fetched, and goes to endpoints. */
  url: string | null
  /** The checkout's own secret; null means the account's default secret. */
  secret: string | null
  /** What filters of endpoints compare. */
  metadata?: JsonObject
  /** The kind of the public key that made the checkout. */
  madeWith?: MadeWith | null
  /** The only endpoint that gets the event; undefined means every endpoint that asks for it. */
  endpointId?: string
}

/**
 * Records an event and queues its deliveries in the caller's transaction, so it exists exactly if the change that it reports does. False when
 * it was recorded before.
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

/** Records the event alone and returns how many endpoints its account has; undefined when it was recorded before. */
export async function insertNew(tx: SecretCtx, event: NewEvent): Promise<{ endpoints: number } | undefined> {
  const { db, clock, secrets } = tx
  const { id, accountId, subject, type, dedupeKey, body, url, secret } = event
  if (url !== null && secret === null) {
    if (accountId === null) throw new Error('An event without an owner needs a secret: nothing is sent unsigned.')
    await ensureAccountSecret(tx, accountId)
  }
  const [taken, isNew] = await together([
    // First, so that two transactions that record the same event lock rows in the same order.
    accountId === null ? undefined : takePosition(db, accountId),
    insertEvent(db, {
      id,
      account_id: accountId,
      subject,
      type,
      dedupe_key: dedupeKey,
      body,
      url,
      sealed_secret: secret === null ? null : secrets.encrypt(eventSecretContext(id), secret),
      created_at: clock.now(),
      endpoint_id: event.endpointId ?? null,
    }),
  ])
  if (isNew && accountId !== null) tx.notifyAccount(accountId, ['webhooks'])
  return isNew ? { endpoints: taken?.endpoints ?? 0 } : undefined
}
