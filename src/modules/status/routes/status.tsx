import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Route } from '../../../kernel/route.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { COMPONENTS } from '../components.ts'
import { type ServiceStatus, readStatus } from '../domain/read-status.ts'
import { StatusPage } from '../pages/status-page.tsx'

/** Everybody gets the same answer, and nobody can make us read the store more often. */
const KEPT = 10_000
const HEADERS = {
  'cache-control': 'public, max-age=30',
  'content-security-policy': "default-src 'none'; style-src 'self'; img-src 'self'",
}

/** `/status` for people, `/status.json` for programs. */
export function statusRoutes({ store, devnet }: { store: StoreCtx; devnet: boolean }): readonly Route[] {
  let known: { until: number; status: Promise<ServiceStatus> } | undefined
  const read = (): Promise<ServiceStatus> => {
    const now = store.clock.now()
    if (!known || known.until <= now) {
      const status = readStatus(store)
      known = { until: now + KEPT, status }
      status.catch(() => (known = undefined))
    }
    return known.status
  }
  return [
    {
      method: 'GET',
      path: '/status',
      door: 'open',
      cacheable: true,
      run: async () => ({ page: <StatusPage status={await read()} devnet={devnet} />, headers: HEADERS }),
    },
    {
      method: 'GET',
      path: '/status.json',
      door: 'open',
      cacheable: true,
      run: async () => ({ json: toJson(await read()), headers: { 'cache-control': HEADERS['cache-control'] } }),
    },
  ]
}

const toTime = (milliseconds: number | null | undefined) =>
  milliseconds === null || milliseconds === undefined ? null : new Date(milliseconds).toISOString()

const toJson = ({ lookedAt, components, incidents }: ServiceStatus): JsonObject => ({
  looked_at: toTime(lookedAt),
  components: components.map(({ component, state, uptime, days }) => ({
    component,
    name: COMPONENTS[component],
    state: state ?? 'unknown',
    uptime_percent: uptime ?? null,
    days: days.map((day) => ({ day: day.day, state: day.state ?? 'unknown', uptime_percent: day.uptime ?? null })),
  })),
  incidents: incidents.map(({ component, state, startedAt, endedAt }) => ({
    component,
    state,
    started_at: toTime(startedAt),
    ended_at: toTime(endedAt),
  })),
})
