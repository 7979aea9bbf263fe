import { type RecordIn, type RowIn, columns, flag, json, named, plain } from '../../../kernel/resource/columns.ts'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { MadeWith } from '../../../kernel/rights.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { OPEN } from '../due-store.ts'
import { PING } from '../store.ts'
import { EVERY_KIND } from './endpoint.ts'

/** A replay of events to an endpoint, done step by step. */
const REPLAY = columns({
  id: plain<string>(),
  endpointId: plain<string>(),
  /** Null for a replay started by the previous version. */
  accountId: plain<string | null>(),
  /** JSON list of event types, or `*`. */
  events: json<string[]>(),
  /** 1 for only those events that the endpoint has not accepted yet. */
  missedOnly: named('missed', flag()),
  /** The events up to this position were processed. */
  position: plain<number>(),
  positionEnd: plain<number>(),
  queued: plain<number>(),
  state: plain<'running' | 'done' | 'stopped'>(),
  createdAt: plain<number>(),
  finishedAt: plain<number | null>(),
})

export type Replay = RecordIn<typeof REPLAY>
export type WebhookReplaysTable = RowIn<typeof REPLAY>
const toReplay = REPLAY.toRecord

/** False while another replay to the same endpoint runs. */
export async function insertReplay(db: Db, replay: Replay): Promise<boolean> {
  const row = await db
    .insertInto('webhook_replays')
    .values(REPLAY.toRow(replay))
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function findReplay(db: Db, id: string): Promise<Replay | undefined> {
  const row = await db.selectFrom('webhook_replays').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toReplay(row)
}

/** The newest replays to an endpoint. */
export async function listReplays(db: Db, endpointId: string, limit: number): Promise<Replay[]> {
  const rows = await db
    .selectFrom('webhook_replays')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toReplay)
}

/** Stores one step; false when another run has taken it, and then nothing of it may count. */
export async function markStepped(
  db: Db,
  { id, position }: Replay,
  to: { position: number; queued: number; finishedAt: number | null },
): Promise<boolean> {
  const row = await db
    .updateTable('webhook_replays')
    .set(({ eb }) => ({
      position: to.position,
      queued: eb('queued', '+', to.queued),
      state: to.finishedAt === null ? 'running' : 'done',
      finished_at: to.finishedAt,
    }))
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('position', '=', position)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function stopReplays(db: Db, endpointId: string, now: number): Promise<void> {
  await db
    .updateTable('webhook_replays')
    .set({ state: 'stopped', finished_at: now })
    .where('endpoint_id', '=', endpointId)
    .where('state', '=', 'running')
    .execute()
}

/** Running replays for which no job is queued. */
export async function listAbandoned(db: Db, kind: string, toPayload: (id: string) => object): Promise<string[]> {
  const running = await db.selectFrom('webhook_replays').select('id').where('state', '=', 'running').execute()
  if (running.length === 0) return []
  const jobs = await db
    .selectFrom('jobs')
    .select('payload')
    .where('kind', '=', kind)
    .where('status', 'in', ['ready', 'running'])
    .execute()
  const known = new Set(jobs.map(({ payload }) => payload))
  return running.map(({ id }) => id).filter((id) => !known.has(JSON.stringify(toPayload(id))))
}

/** How many events an account's replays have queued since a time; running ones count what they may still queue. */
export async function countReplayed(
  db: Db,
  { accountId, since, eachMax }: { accountId: string; since: number; eachMax: number },
): Promise<number> {
  const rows = await db
    .selectFrom('webhook_replays')
    .select(['queued', 'state', 'position', 'position_end'])
    // Replays to removed endpoints count as well, because their events were sent.
    .where('account_id', '=', accountId)
    .where('created_at', '>', since)
    .execute()
  const toCome = ({ state, position, position_end: end }: (typeof rows)[number]) =>
    state === 'running' ? end - position : 0
  return rows.reduce((sum, row) => sum + Math.min(eachMax, row.queued + toCome(row)), 0)
}

export async function deleteOldReplays(db: Db, createdBefore: number): Promise<void> {
  await db
    .deleteFrom('webhook_replays')
    .where('created_at', '<', createdBefore)
    .where('state', '<>', 'running')
    .execute()
}

interface Stretch {
  accountId: string
  endpointId: string
  /** Exclusive; `upTo` is inclusive. */
  after: number
  upTo: number
  events: readonly string[]
}

/** Events that can be replayed to an endpoint: neither tests nor events whose body was deleted. */
function selectReplayable(db: Db, { accountId, endpointId, after, upTo, events }: Stretch) {
  const query = db
    .selectFrom('events')
    .where('account_id', '=', accountId)
    .where('position', '>', after)
    .where('position', '<=', upTo)
    .where('body', 'is not', null)
    .where('type', '<>', PING)
    .where(({ or, eb }) => or([eb('endpoint_id', 'is', null), eb('endpoint_id', '=', endpointId)]))
  return events.includes(EVERY_KIND) ? query : query.where('type', 'in', [...events])
}

/** Counts only a little beyond the allowed maximum. */
export async function countReplayable(db: Db, stretch: Stretch, max: number): Promise<number> {
  const rows = selectReplayable(db, stretch)
    .select('id')
    .limit(max + 1)
  const { rows: found } = await sql<{
    count: number | string
  }>`select count(*) as count from (${rows}) as found`.execute(db)
  return Number(found[0]!.count)
}

export interface Replayable {
  id: string
  position: number
  type: string
  metadata: JsonObject | undefined
  madeWith: MadeWith | null
  /** Whether the event is for this endpoint only, so that its filter does not apply. */
  isMeant: boolean
}

/** The members of an event's body that filters compare. */
interface RecordedEvent {
  metadata?: JsonObject
  made_with?: string
  key_bound?: boolean
}

export async function listReplayable(db: Db, stretch: Stretch, limit: number): Promise<Replayable[]> {
  const rows = await selectReplayable(db, stretch)
    .select(['id', 'position', 'type', 'body', 'endpoint_id'])
    .orderBy('position')
    .limit(limit)
    .execute()
  return rows.map(({ id, position, type, body, endpoint_id: meant }) => {
    const { metadata, made_with: by, key_bound: isBound } = JSON.parse(body!) as RecordedEvent
    const madeWith = by === undefined ? null : isBound ? 'bound_key' : 'public_key'
    return { id, position: position!, type, metadata, madeWith, isMeant: meant !== null }
  })
}

/** Which of these events are queued for an endpoint anyway, and which it has accepted. */
export async function listKnown(db: Db, endpointId: string, eventIds: readonly string[]) {
  const rows = await db
    .selectFrom('deliveries')
    .select(['event_id', 'state'])
    .where('endpoint_id', '=', endpointId)
    .where('event_id', 'in', [...eventIds])
    .where('state', 'in', [...OPEN, 'delivered'])
    .execute()
  const idsOf = (isTaken: boolean) =>
    new Set(rows.filter(({ state }) => (state === 'delivered') === isTaken).map(({ event_id: id }) => id))
  return { waiting: idsOf(false), taken: idsOf(true) }
}

/** How many replayed deliveries to an endpoint were not attempted yet. */
export async function countUntried(db: Db, endpointId: string): Promise<number> {
  const row = await db
    .selectFrom('deliveries')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('endpoint_id', '=', endpointId)
    .where('state', 'in', ['queued', 'sending'])
    .where('cause', '=', 'replay')
    .where('attempts', '=', 0)
    .executeTakeFirst()
  return Number(row!.count)
}
