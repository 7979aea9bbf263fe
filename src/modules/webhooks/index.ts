import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { JsonObject } from '../../kernel/shape.ts'

export interface NewEvent {
  id: string
  accountId: string | null
  subject: string
  type: string
  dedupeKey: string
  /** The exact bytes that every attempt sends. */
  body: string
  url: string | null
  /** Sealed; null leaves it to the account's own. */
  secret: string | null
}

/** Stands in for the outbox: it keeps the rule that an event is recorded once, in the jobs table. */
export async function recordEvent({ db, clock }: StoreCtx, event: NewEvent): Promise<boolean> {
  const id = `event:${event.subject}:${event.type}:${event.dedupeKey}`
  const now = clock.now()
  const row = await db
    .insertInto('jobs')
    .values({
      id,
      kind: 'webhooks.recorded',
      key: null,
      payload: JSON.stringify(event),
      status: 'done',
      run_at: now,
      attempts: 0,
      attempts_max: 1,
      locked_until: null,
      fence: 0,
      last_error: null,
      created_at: now,
      finished_at: null,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Events of one subject, oldest first, each with its deliveries. */
export async function listEventsOf(
  { db }: StoreCtx,
  { subject, accountId }: { subject: string; accountId: string | null },
): Promise<JsonObject[]> {
  const rows = await db
    .selectFrom('jobs')
    .select(['payload'])
    .where('kind', '=', 'webhooks.recorded')
    .where('id', 'like', `event:${subject}:%`)
    .orderBy('created_at')
    .execute()
  return rows
    .map(({ payload }) => JSON.parse(payload) as NewEvent)
    .filter((event) => event.accountId === accountId)
    .map(({ id, type }) => ({ id, type, deliveries: [] }))
}

/** Delivers an event again; nothing is delivered yet. */
export function redeliver(_ctx: StoreCtx, _event: { accountId: string; eventId: string }): Promise<void> {
  return Promise.resolve()
}
