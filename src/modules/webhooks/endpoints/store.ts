import { type Actor } from '../../../kernel/actor.ts'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { type Given, prepared } from '../../../kernel/prepared.ts'
import { type Endpoint, endpoint, endpoints } from './endpoint.ts'

export interface OwnEndpoint {
  id: string
  accountId: string
}

/** With the actor of the change. */
export type ChangedEndpoint = OwnEndpoint & { actor: Actor }

/** Counts one more endpoint of an account; false at the maximum. One statement, so that concurrent requests cannot exceed it. */
export async function takePlace(db: Db, accountId: string, max: number): Promise<boolean> {
  const row = await db
    .insertInto('event_positions')
    .values({ account_id: accountId, last: 0, endpoints: 1 })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet({ endpoints: sql<number>`event_positions.endpoints + 1` })
        .where('event_positions.endpoints', '<', max),
    )
    .returning('endpoints')
    .executeTakeFirst()
  return row !== undefined
}

export async function giveBackPlace(db: Db, accountId: string): Promise<void> {
  await db
    .updateTable('event_positions')
    .set(({ eb }) => ({ endpoints: eb('endpoints', '-', 1) }))
    .where('account_id', '=', accountId)
    .where('endpoints', '>', 0)
    .execute()
}

export type Listener = Pick<Endpoint, 'id' | 'events' | 'filter' | 'isEnabled'>

/** All endpoints of an account with what they ask for, including paused and disabled ones. */
export async function listListeners(db: Db, accountId: string): Promise<Listener[]> {
  const rows = await selectListeners(db, { accountId })
  const { events, filter, isEnabled } = endpoint.fields
  return rows.map((row) => ({
    id: row.id,
    events: events.fromColumn(row.events),
    filter: filter.fromColumn(row.filter),
    isEnabled: isEnabled.fromColumn(row.enabled),
  }))
}

const selectListeners = prepared((db, given: Given<{ accountId: string }>) =>
  db
    .selectFrom('webhook_endpoints')
    .select(['id', 'events', 'filter', 'enabled'])
    .where('account_id', '=', given('accountId'))
    .orderBy('id'),
)

/** Replaces the current secret, which still signs for a while; one statement, so that concurrent rotations lose none. */
export async function replaceEndpointSecret(
  db: Db,
  { id, accountId }: OwnEndpoint,
  { sealed, now, previousUntil }: { sealed: string; now: number; previousUntil: number },
): Promise<boolean> {
  const row = await db
    .updateTable('webhook_endpoints')
    .set(({ ref }) => ({ sealed, sealed_at: now, previous_sealed: ref('sealed'), previous_until: previousUntil }))
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Records the time of the first failure since the last success. */
export async function markFailing(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('webhook_endpoints')
    .set({ failing_since: now })
    .where('id', '=', id)
    .where('failing_since', 'is', null)
    .execute()
}

export async function markReached(db: Db, ids: readonly string[]): Promise<void> {
  await db
    .updateTable('webhook_endpoints')
    .set({ failing_since: null })
    .where('id', 'in', [...ids])
    .where('failing_since', 'is not', null)
    .execute()
}

/** Disables a failing endpoint; undefined when it was not enabled, or has not failed for long enough. */
export async function markDisabled(
  db: Db,
  { id, reason, failingBefore }: { id: string; reason: 'failing' | 'gone'; failingBefore?: number },
): Promise<Endpoint | undefined> {
  let query = db
    .updateTable('webhook_endpoints')
    .set({ enabled: 0, disabled_reason: reason })
    .where('id', '=', id)
    .where('enabled', '=', 1)
  if (failingBefore !== undefined) query = query.where('failing_since', '<=', failingBefore)
  const row = await query.returningAll().executeTakeFirst()
  return row && endpoints.toRecord(row)
}
