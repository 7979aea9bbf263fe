import type { Idempotency } from '../../../kernel/idempotency.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import type { Outbound } from '../../../kernel/ports.ts'
import { urlRefused } from '../errors.ts'
import type { SecretCtx } from './account-secret.ts'
import { PING } from './deliver.ts'
import { type EventWithDeliveries, getEvent } from './list-events.ts'
import { recordEvent } from './record-event.ts'

/** Sends a test event to an address, signed with the account's secret. It is tried once. */
export async function ping(
  ctx: SecretCtx & { outbound: Outbound },
  { accountId, url, idempotency }: { accountId: string; url: string; idempotency?: Idempotency | undefined },
): Promise<EventWithDeliveries> {
  const made = idempotency?.made as { id: string } | undefined
  if (made) return getEvent(ctx, { accountId, eventId: made.id })
  const refused = ctx.outbound.check(url)
  if (refused !== undefined) throw urlRefused('url', refused)
  return inTx(ctx, async (tx) => {
    const id = tx.ids.next('evt')
    const body = JSON.stringify({ id, type: PING, created_unix: Math.floor(tx.clock.now() / 1000) })
    await recordEvent(tx, { id, accountId, subject: accountId, type: PING, dedupeKey: id, body, url, secret: null })
    await idempotency?.record(tx.db, { id })
    return getEvent(tx, { accountId, eventId: id })
  })
}
