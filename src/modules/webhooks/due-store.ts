import { sql } from 'kysely'
import type { Db, Tables } from '../../kernel/db.ts'
import type { EncryptedSecret } from './secrets-store.ts'

export const OPEN: Tables['deliveries']['state'][] = ['queued', 'sending', 'retrying']

/** Everything an attempt needs. */
export interface DueDelivery {
  id: string
  cause: Tables['deliveries']['cause']
  attemptsMade: number
  nextAt: number
  eventId: string
  accountId: string | null
  subject: string
  type: string
  body: string | null
  /** Undefined when its endpoint was removed. */
  url: string | undefined
  encryptedSecret: string | null
  /** Whether its receiver is disabled. */
  isDisabled: boolean
  /** The account's secret as stored, encrypted. */
  accountSecret: EncryptedSecret | undefined
  endpointId: string | null
  /** The endpoint that it goes to, in its current state. */
  endpoint: { id: string; secret: EncryptedSecret; failingSince: number | null } | undefined
}

/** Reads deliveries with all that their attempts need; finished ones are left out. */
export async function listDue(db: Db, ids: readonly string[]): Promise<Map<string, DueDelivery>> {
  const rows = await selectDue(db)
    .where('deliveries.id', 'in', [...ids])
    .where('deliveries.state', 'in', OPEN)
    .execute()
  return new Map(rows.map((row) => [row.id, toDue(row)]))
}

const selectDue = (db: Db) =>
  db
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .leftJoin('webhook_secrets', 'webhook_secrets.account_id', 'events.account_id')
    .leftJoin('webhook_endpoints as endpoint', 'endpoint.id', 'deliveries.endpoint_id')
    .leftJoin('disabled_webhooks', (join) =>
      join
        .on('disabled_webhooks.owner', '=', sql<string>`coalesce(events.account_id, events.subject)`)
        .onRef('disabled_webhooks.url', '=', 'events.url'),
    )
    .select([
      'deliveries.id',
      'deliveries.cause',
      'deliveries.attempts',
      'deliveries.next_at',
      'deliveries.endpoint_id',
    ])
    .select([
      'events.id as event_id',
      'events.account_id',
      'events.subject',
      'events.type',
      'events.body',
      'events.url',
    ])
    .select(['events.sealed_secret', 'disabled_webhooks.disabled_at'])
    .select(['webhook_secrets.sealed', 'webhook_secrets.created_at'])
    .select(['webhook_secrets.previous_sealed', 'webhook_secrets.previous_until'])
    .select(['endpoint.url as endpoint_url', 'endpoint.enabled as endpoint_enabled'])
    .select(['endpoint.failing_since', 'endpoint.sealed as endpoint_sealed', 'endpoint.sealed_at'])
    .select(['endpoint.previous_sealed as endpoint_previous', 'endpoint.previous_until as endpoint_previous_until'])

type DueRow = Awaited<ReturnType<ReturnType<typeof selectDue>['execute']>>[number]

const toDue = (row: DueRow): DueDelivery => ({
  id: row.id,
  cause: row.cause,
  attemptsMade: row.attempts,
  nextAt: row.next_at!,
  eventId: row.event_id,
  accountId: row.account_id,
  subject: row.subject,
  type: row.type,
  body: row.body,
  url: (row.endpoint_id === null ? row.url : row.endpoint_url) ?? undefined,
  encryptedSecret: row.sealed_secret,
  isDisabled: row.endpoint_id === null ? row.disabled_at !== null : row.endpoint_enabled === 0,
  accountSecret:
    row.sealed === null
      ? undefined
      : {
          sealed: row.sealed,
          createdAt: row.created_at!,
          previousSealed: row.previous_sealed,
          previousUntil: row.previous_until,
        },
  endpointId: row.endpoint_id,
  endpoint:
    row.endpoint_sealed === null
      ? undefined
      : {
          id: row.endpoint_id!,
          failingSince: row.failing_since,
          secret: {
            sealed: row.endpoint_sealed,
            createdAt: row.sealed_at!,
            previousSealed: row.endpoint_previous,
            previousUntil: row.endpoint_previous_until,
          },
        },
})
