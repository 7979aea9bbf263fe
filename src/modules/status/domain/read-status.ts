import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { type Component, COMPONENT_NAMES, type State } from '../components.ts'
import { type Incident, type StatusDay, listDays, listIncidents, listLastSeen } from '../store.ts'
import { DAYS_KEPT, dayOf } from './look.ts'

const DAY = 86_400_000
const INCIDENTS_MAX = 100

export interface ShownDay {
  day: string
  /** Undefined where nobody looked. */
  state: State | undefined
  /** Part of the looks at which it was not down, in percent with two decimals. */
  uptime: string | undefined
}

export interface ShownComponent {
  component: Component
  state: State | undefined
  uptime: string | undefined
  days: ShownDay[]
}

export interface ServiceStatus {
  lookedAt: number | undefined
  components: ShownComponent[]
  incidents: Incident[]
}

/** How the service stands, and stood on each of the last ninety days. */
export async function readStatus({ db, clock }: StoreCtx): Promise<ServiceStatus> {
  const now = clock.now()
  const names = Array.from({ length: DAYS_KEPT }, (_, ago) => dayOf(now - (DAYS_KEPT - 1 - ago) * DAY))
  const days = await listDays(db, names[0]!)
  const last = await listLastSeen(db)
  const components = COMPONENT_NAMES.map((component) => {
    const own = days.filter((day) => day.component === component)
    return {
      component,
      state: last.get(component)?.state,
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

/** Cut and not rounded: a hundred percent means that it was never down. */
function uptimeOf(days: readonly StatusDay[]): string | undefined {
  const looks = days.reduce((sum, day) => sum + day.looks, 0)
  if (looks === 0) return undefined
  const well = looks - days.reduce((sum, day) => sum + day.down, 0)
  return (Math.floor((well * 10_000) / looks) / 100).toFixed(2)
}
