import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { MAIL_KINDS } from '../../../kernel/mail-job.ts'
import { COMPONENT_NAMES, type Component, type State } from '../components.ts'
import {
  type Incident,
  type StatusDay,
  addLooks,
  deleteOldDays,
  deleteOldIncidents,
  endIncident,
  findOldestDue,
  findOldestTried,
  insertIncident,
  listDays,
  listIncidents,
  listLastSeen,
} from '../store.ts'

const DAY = 86_400_000
const INCIDENTS_MAX = 100

export interface ShownDay {
  day: string
  /** Undefined for a time without checks. */
  state: State | undefined
  /** The percentage of checks at which it was not down, with two decimals. */
  uptime: string | undefined
}

export interface ShownComponent {
  component: Component
  /** `off` for what this gateway has not. */
  state: State | 'off' | undefined
  uptime: string | undefined
  days: ShownDay[]
}

export interface ServiceStatus {
  lookedAt: number | undefined
  components: ShownComponent[]
  incidents: Incident[]
}

/** The current status, and that of each of the last ninety days. */
export async function readStatus({ db, clock }: StoreCtx, off: readonly Component[] = []): Promise<ServiceStatus> {
  const now = clock.now()
  const names = Array.from({ length: DAYS_KEPT }, (_, ago) => dayOf(now - (DAYS_KEPT - 1 - ago) * DAY))
  const days = await listDays(db, names[0]!)
  const last = await listLastSeen(db)
  const components = COMPONENT_NAMES.map((component) => {
    const own = days.filter((day) => day.component === component)
    return {
      component,
      state: off.includes(component) ? ('off' as const) : last.get(component)?.state,
      uptime: uptimeOf(own),
      days: names.map((day) =>
        showDay(
          day,
          own.filter((one) => one.day === day),
        ),
      ),
    }
  })
  const incidents = await listIncidents(db, now - DAYS_KEPT * DAY, INCIDENTS_MAX)
  return { lookedAt: last.get('gateway')?.at, components, incidents }
}

function showDay(day: string, seen: StatusDay[]): ShownDay {
  const [one] = seen
  const state = one === undefined ? undefined : one.down > 0 ? 'down' : one.degraded > 0 ? 'degraded' : 'up'
  return { day, state, uptime: uptimeOf(seen) }
}

/** Truncated instead of rounded, so that 100 % means that it was never down. */
function uptimeOf(days: readonly StatusDay[]): string | undefined {
  const looks = days.reduce((sum, day) => sum + day.looks, 0)
  if (looks === 0) return undefined
  const well = looks - days.reduce((sum, day) => sum + day.down, 0)
  return (Math.floor((well * 10_000) / looks) / 100).toFixed(2)
}

export const MINUTE = 60_000
const DAYS_KEPT = 90
/** Without a check for this long, no instance was running. */
const UNSEEN = 3 * MINUTE
/** A longer absence means that the service was not operated at all, so it is not recorded as an incident. */
const AWAY_MAX = DAYS_KEPT * DAY
const WAITING_DEGRADED = 5 * MINUTE
const WAITING_DOWN = 30 * MINUTE
const WEBHOOK_JOBS = ['webhooks.deliver', 'webhooks.deliver-to-endpoint']
const STEP = 500

/** What this instance observes itself. */
export type OwnView = () => Readonly<Record<'nodes' | 'work' | 'prices', State>>

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Checks every component once and stores the result. */
export async function look(ctx: StoreCtx, view: OwnView): Promise<void> {
  const now = ctx.clock.now()
  const seen: Record<Component, State> = {
    gateway: 'up',
    ...view(),
    webhooks: judgeWaiting(await findOldestDue(ctx.db, WEBHOOK_JOBS), now),
    mail: judgeWaiting(await findOldestTried(ctx.db, MAIL_KINDS), now),
  }
  await inTx(ctx, async (tx) => {
    const last = await listLastSeen(tx.db)
    await noteAbsence(tx, last.get('gateway')?.at, now)
    for (const component of COMPONENT_NAMES) {
      const state = seen[component]
      await addLooks(tx.db, { component, day: dayOf(now), state, at: now })
      const before = last.get(component)
      if (state === 'up' || before?.state === state) await endIncident(tx.db, { component, state, now })
      if (state === 'up' || before?.state !== state) continue
      await insertIncident(tx.db, { id: tx.ids.next('inc'), component, state, startedAt: before.at, endedAt: null })
    }
  })
  await forget(ctx, now)
}

/** Counts the minutes without a check as minutes of downtime. */
async function noteAbsence(tx: StoreCtx, last: number | undefined, now: number): Promise<void> {
  if (last === undefined || now - last < UNSEEN || now - last > AWAY_MAX) return
  const incident = { component: 'gateway', state: 'down', startedAt: last, endedAt: now } as const
  await insertIncident(tx.db, { id: tx.ids.next('inc'), ...incident })
  for (let from = last; from < now;) {
    const to = Math.min(now, (Math.floor(from / DAY) + 1) * DAY)
    const times = Math.round((to - from) / MINUTE)
    const minutes = { component: 'gateway', day: dayOf(from), state: 'down', at: to, times } as const
    if (times > 0) await addLooks(tx.db, minutes)
    from = to
  }
}

async function forget({ db }: StoreCtx, now: number): Promise<void> {
  await deleteOldDays(db, dayOf(now - DAYS_KEPT * DAY), STEP)
  await deleteOldIncidents(db, now - DAYS_KEPT * DAY, STEP)
}

function judgeWaiting(since: number | undefined, now: number): State {
  const waited = since === undefined ? 0 : now - since
  return waited > WAITING_DOWN ? 'down' : waited > WAITING_DEGRADED ? 'degraded' : 'up'
}
