import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Reply, Route } from '../../../kernel/route.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { COMPONENTS } from '../components.ts'
import { type ServiceStatus, readStatus } from '../domain/status.ts'
import { StatusPage } from '../pages/status-page.tsx'

/** The answer is the same for everyone and cached, so that nobody can make the gateway read the store more often. */
const KEPT = 10_000
const HEADERS = {
  'cache-control': 'public, max-age=30',
  'content-security-policy': "default-src 'none'; style-src 'self'; img-src 'self'",
}

/** `/status` for people, `/status.json` for programs. */
export function statusRoutes({ store, devnet }: { store: StoreCtx; devnet: boolean }): readonly Route[] {
  let known: { until: number; replies: Promise<Replies> } | undefined
  const read = (): Promise<Replies> => {
    const now = store.clock.now()
    if (!known || known.until <= now) {
      const replies = readStatus(store).then((status) => toReplies(status, devnet))
      known = { until: now + KEPT, replies }
      replies.catch(() => (known = undefined))
    }
    return known.replies
  }
  return [
    {
      method: 'GET',
      path: '/status',
      door: 'open',
      cacheable: true,
      run: async () => (await read()).page,
    },
    {
      method: 'GET',
      path: '/status.json',
      door: 'open',
      cacheable: true,
      run: async () => (await read()).json,
    },
  ]
}

type Replies = Record<'page' | 'json', Reply>

const toReplies = (status: ServiceStatus, devnet: boolean): Replies => ({
  page: { page: <StatusPage status={status} devnet={devnet} />, headers: HEADERS, isShared: true },
  json: { json: toJson(status), headers: { 'cache-control': HEADERS['cache-control'] }, isShared: true },
})

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
