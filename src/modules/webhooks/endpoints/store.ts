import { type Actor } from '../../../kernel/actor.ts'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { type Given, prepared } from '../../../kernel/prepared.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import type { SealedSecret } from '../secrets-store.ts'
import type { WebhookEndpointsTable } from '../tables.ts'

export interface Endpoint {
  id: string
  accountId: string
  url: string
  /** Kinds, or `*` for all of them. */
  events: string[]
  /** What the metadata of an event must say; null takes everything. */
  metadata: JsonObject | null
  /** `any` takes also, and `public_key` only, what public keys made; null nothing that unbound ones made. */
  madeWith: 'any' | 'public_key' | null
  description: string | null
  isEnabled: boolean
  disabledReason: WebhookEndpointsTable['disabled_reason']
  failingSince: number | null
  secret: SealedSecret
  createdAt: number
  updatedAt: number
}

export interface OwnEndpoint {
  id: string
  accountId: string
}

/** With who changes something of it. */
export type ChangedEndpoint = OwnEndpoint & { actor: Actor }

const toEndpoint = (row: WebhookEndpointsTable): Endpoint => ({
  id: row.id,
  accountId: row.account_id,
  url: row.url,
  events: JSON.parse(row.events) as string[],
  ...toFilter(row),
  description: row.description,
  isEnabled: row.enabled === 1,
  disabledReason: row.disabled_reason,
  failingSince: row.failing_since,
  secret: toSecret(row),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** A filter without metadata says null of them: the version before reads nothing else. */
interface StoredFilter {
  metadata: JsonObject | null
  made_with?: Endpoint['madeWith']
}

function toFilter({ filter }: Pick<WebhookEndpointsTable, 'filter'>): Pick<Endpoint, 'metadata' | 'madeWith'> {
  if (filter === null) return { metadata: null, madeWith: null }
  const { metadata, made_with: madeWith = null } = JSON.parse(filter) as StoredFilter
  return { metadata, madeWith }
}

function fromFilter({ metadata, madeWith }: Pick<Endpoint, 'metadata' | 'madeWith'>): string | null {
  if (metadata === null && madeWith === null) return null
  return JSON.stringify({ metadata, ...(madeWith && { made_with: madeWith }) } satisfies StoredFilter)
}

const toSecret = (row: WebhookEndpointsTable): SealedSecret => ({
  sealed: row.sealed,
  createdAt: row.sealed_at,
  previousSealed: row.previous_sealed,
  previousUntil: row.previous_until,
})

/** What its owner may change. */
const toTerms = ({ url, events, description, isEnabled, disabledReason, failingSince, ...filter }: Endpoint) => ({
  url,
  events: JSON.stringify(events),
  filter: fromFilter(filter),
  description,
  enabled: isEnabled ? 1 : 0,
  disabled_reason: disabledReason,
  failing_since: failingSince,
})

/** One more endpoint of an account; false when it has as many as it may. One statement, however many come at once. */
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

export async function insertEndpoint(db: Db, endpoint: Endpoint): Promise<void> {
  const { id, accountId, secret, createdAt, updatedAt } = endpoint
  await db
    .insertInto('webhook_endpoints')
    .values({
      id,
      account_id: accountId,
      ...toTerms(endpoint),
      sealed: secret.sealed,
      sealed_at: secret.createdAt,
      previous_sealed: null,
      previous_until: null,
      created_at: createdAt,
      updated_at: updatedAt,
    })
    .execute()
}

export async function findEndpoint(db: Db, { id, accountId }: OwnEndpoint): Promise<Endpoint | undefined> {
  const row = await db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row && toEndpoint(row)
}

/** For what runs in the background, whose owner was asked before. */
export async function findEndpointById(db: Db, id: string): Promise<Endpoint | undefined> {
  const row = await db.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toEndpoint(row)
}

/** Takes hold of an endpoint until the transaction ends: two changes are made one after the other. */
export async function lockEndpoint(db: Db, { id, accountId }: OwnEndpoint): Promise<Endpoint | undefined> {
  const row = await db
    .updateTable('webhook_endpoints')
    .set(({ ref }) => ({ url: ref('url') }))
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returningAll()
    .executeTakeFirst()
  return row && toEndpoint(row)
}

/** Writes what the owner has changed of an endpoint that `lockEndpoint` holds. */
export async function updateEndpoint(db: Db, endpoint: Endpoint): Promise<void> {
  await db
    .updateTable('webhook_endpoints')
    .set({ ...toTerms(endpoint), updated_at: endpoint.updatedAt })
    .where('id', '=', endpoint.id)
    .execute()
}

/** False when it was gone already. */
export async function deleteEndpoint(db: Db, { id, accountId }: OwnEndpoint): Promise<boolean> {
  const row = await db
    .deleteFrom('webhook_endpoints')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** All of an account, oldest first: there are few. */
export async function listEndpoints(db: Db, accountId: string): Promise<Endpoint[]> {
  const rows = await db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toEndpoint)
}

export type Listener = Pick<Endpoint, 'id' | 'events' | 'metadata' | 'madeWith' | 'isEnabled'>

/** All of an account with what they ask for, whether they are told of events at present or not. */
export async function listListeners(db: Db, accountId: string): Promise<Listener[]> {
  const rows = await selectListeners(db, { accountId })
  return rows.map(({ id, events, filter, enabled }) => ({
    id,
    events: JSON.parse(events) as string[],
    ...toFilter({ filter }),
    isEnabled: enabled === 1,
  }))
}

const selectListeners = prepared((db, given: Given<{ accountId: string }>) =>
  db
    .selectFrom('webhook_endpoints')
    .select(['id', 'events', 'filter', 'enabled'])
    .where('account_id', '=', given('accountId'))
    .orderBy('id'),
)

/** Puts another secret in the place of the current one, which signs along for a while; one statement, so that none is lost. */
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

/** Nothing gets through from now on; the first failure counts. */
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

/** Enabled → disabled by us; undefined when it was not enabled, or has not failed for so long. */
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
  return row && toEndpoint(row)
}
