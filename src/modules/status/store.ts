import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import { deleteSome } from '../../kernel/retention.ts'
import type { Component, State } from './components.ts'

export interface StatusDay {
  component: Component
  day: string
  looks: number
  degraded: number
  down: number
}

export interface Incident {
  id: string
  component: Component
  state: Exclude<State, 'up'>
  startedAt: number
  endedAt: number | null
}

/** The last observed state of each component. */
export async function listLastSeen(db: Db): Promise<Map<Component, { at: number; state: State }>> {
  const rows = await db
    .selectFrom('status_days')
    .select(['component', 'last_at', 'last_state'])
    .where(({ eb, selectFrom }) =>
      eb(
        'day',
        '=',
        selectFrom('status_days as other')
          .select(({ fn }) => fn.max('other.day').as('day'))
          .whereRef('other.component', '=', 'status_days.component'),
      ),
    )
    .execute()
  return new Map(rows.map(({ component, last_at: at, last_state: state }) => [component, { at, state }]))
}

/** Adds checks to a component's day; `times` is more than one for a time without checks. */
export async function addLooks(
  db: Db,
  {
    component,
    day,
    state,
    at,
    times = 1,
  }: { component: Component; day: string; state: State; at: number; times?: number },
): Promise<void> {
  const counted = { looks: times, degraded: state === 'degraded' ? times : 0, down: state === 'down' ? times : 0 }
  await db
    .insertInto('status_days')
    .values({ component, day, ...counted, last_at: at, last_state: state })
    .onConflict((conflict) =>
      conflict.columns(['component', 'day']).doUpdateSet(({ eb, ref }) => ({
        looks: eb('status_days.looks', '+', ref('excluded.looks')),
        degraded: eb('status_days.degraded', '+', ref('excluded.degraded')),
        down: eb('status_days.down', '+', ref('excluded.down')),
        last_at: ref('excluded.last_at'),
        last_state: ref('excluded.last_state'),
      })),
    )
    .execute()
}

export async function insertIncident(db: Db, { id, component, state, startedAt, endedAt }: Incident): Promise<void> {
  await db
    .insertInto('status_incidents')
    .values({ id, component, state, started_at: startedAt, ended_at: endedAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Ends a component's open incident, unless the component is still in the state that the incident reports. */
export async function endIncident(
  db: Db,
  { component, state, now }: { component: Component; state: State; now: number },
): Promise<void> {
  await db
    .updateTable('status_incidents')
    .set({ ended_at: now })
    .where('component', '=', component)
    .where('ended_at', 'is', null)
    .where('state', '<>', state as Incident['state'])
    .execute()
}

export async function listDays(db: Db, from: string): Promise<StatusDay[]> {
  return db
    .selectFrom('status_days')
    .select(['component', 'day', 'looks', 'degraded', 'down'])
    .where('day', '>=', from)
    .orderBy('day')
    .execute()
}

/** Newest first. */
export async function listIncidents(db: Db, from: number, limit: number): Promise<Incident[]> {
  const rows = await db
    .selectFrom('status_incidents')
    .selectAll()
    .where('started_at', '>=', from)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id, component, state, started_at: startedAt, ended_at: endedAt }) => ({
    id,
    component,
    state,
    startedAt,
    endedAt,
  }))
}

export async function deleteOldDays(db: Db, before: string, limit: number): Promise<number> {
  return deleteSome(db, {
    from: 'status_days',
    key: ['component', 'day'],
    where: sql<boolean>`day < ${before}`,
    limit,
  })
}

export async function deleteOldIncidents(db: Db, before: number, limit: number): Promise<number> {
  return deleteSome(db, {
    from: 'status_incidents',
    key: ['id'],
    where: sql<boolean>`ended_at is not null and started_at < ${before}`,
    limit,
  })
}

/** When the job of these kinds that has waited longest became due; undefined when none waits. */
export async function findOldestDue(db: Db, kinds: readonly string[]): Promise<number | undefined> {
  const row = await db
    .selectFrom('jobs')
    .select(({ fn }) => fn.min('run_at').as('since'))
    .where('kind', 'in', kinds)
    .where('status', '=', 'ready')
    .executeTakeFirst()
  return row?.since ?? undefined
}

/**
 * Since when a mail exists that failed and will be tried again. A recipient whom the mail server rejects temporarily says nothing about the
 * server, so such mails do not count.
 */
export async function findOldestTried(db: Db, kinds: readonly string[]): Promise<number | undefined> {
  const row = await db
    .selectFrom('jobs')
    .select(({ fn }) => fn.min('created_at').as('since'))
    .where('kind', 'in', kinds)
    .where('status', '=', 'ready')
    .where('attempts', '>=', 2)
    .where(({ eb, or }) => or([eb('last_error', 'is', null), eb('last_error', 'not like', '%RCPT TO%')]))
    .executeTakeFirst()
  return row?.since ?? undefined
}
