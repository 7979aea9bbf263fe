import type { Deed } from '../../../kernel/deed.ts'
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
  { accountId, url, deed }: { accountId: string; url: string; deed?: Deed | undefined },
): Promise<EventWithDeliveries> {
  const made = deed?.made as { id: string } | undefined
  if (made) return getEvent(ctx, { accountId, eventId: made.id })
  const refused = ctx.outbound.check(url)
  if (refused !== undefined) throw urlRefused('url', refused)
  return inTx(ctx, async (tx) => {
    const id = tx.ids.next('evt')
    const body = JSON.stringify({ id, type: PING, created_unix: Math.floor(tx.clock.now() / 1000) })
    await recordEvent(tx, { id, accountId, subject: accountId, type: PING, dedupeKey: id, body, url, secret: null })
    await deed?.record(tx.db, { id })
    return getEvent(tx, { accountId, eventId: id })
  })
}
