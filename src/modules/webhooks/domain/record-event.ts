import { insertDelivery } from '../deliveries-store.ts'
import { insertEvent, takePosition } from '../store.ts'
import { type SecretCtx, ensureAccountSecret } from './account-secret.ts'
import { placeOfEventSecret } from './signing-secrets.ts'
import { enqueueDelivery } from './wake-delivery.ts'

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
  /** Null: it is there to be pulled only. */
  url: string | null
  /** The checkout's own secret; null: the default secret of the account. */
  secret: string | null
}

/**
 * Records an event and puts its delivery on the way, in the caller's transaction: it exists if and only if what it tells
 * about does. False when it was recorded before.
 */
export async function recordEvent(tx: SecretCtx, event: NewEvent): Promise<boolean> {
  const { db, clock, ids, secrets } = tx
  const { id, accountId, subject, type, dedupeKey, body, url, secret } = event
  if (url !== null && secret === null) {
    if (accountId === null) throw new Error('An event without an owner needs a secret: nothing is sent unsigned.')
    await ensureAccountSecret(tx, accountId)
  }
  const now = clock.now()
  // The position comes first: two transactions that record the same event then wait for one another in the same order.
  const isNew = await insertEvent(db, {
    id,
    account_id: accountId,
    position: accountId === null ? null : await takePosition(db, accountId),
    subject,
    type,
    dedupe_key: dedupeKey,
    body,
    url,
    sealed_secret: secret === null ? null : secrets.seal(placeOfEventSecret(id), secret),
    created_at: now,
  })
  if (!isNew || url === null) return isNew
  const deliveryId = ids.next('dlv')
  await insertDelivery(db, { id: deliveryId, eventId: id, cause: 'event', now })
  await enqueueDelivery(tx, deliveryId)
  return true
}
