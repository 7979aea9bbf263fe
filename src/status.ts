import type { GatewayStatus } from './modules/admin/index.ts'
import type { Ports } from './ports.ts'
import { VERSION } from './version.ts'

/** Answers how the gateway stands, for administrators; it counts its time from now. */
export function openStatus(
  { clock, network, opened: store, nodes, sources, searches: work }: Ports,
  { websocketClients, cachedBytes }: { websocketClients: () => number; cachedBytes: () => number },
): () => GatewayStatus {
  const startedAt = clock.now()
  return () => ({
    version: VERSION,
    uptimeSeconds: Math.floor((clock.now() - startedAt) / 1000),
    network,
    store: store.engine,
    confirmationsConnected: nodes.confirmations.connected,
    websocketClients: websocketClients(),
    cachedBytes: cachedBytes(),
    upstreams: nodes.pool.upstreams.map((upstream) => ({
      name: upstream.options.name,
      role: upstream.options.role,
      healthy: upstream.healthy,
      state: upstream.state,
      reason: upstream.reason,
      cemented: upstream.cemented,
      p95Milliseconds: upstream.latencies.p95,
    })),
    sources: sources.list(),
    work: {
      sources: work.engines.map(({ name, kind, usable, rate }) => ({ name, kind, usable, rate })),
      searches: work.load.jobs,
      queueSeconds: work.load.seconds,
    },
  })
}
