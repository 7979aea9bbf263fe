import type { Metrics } from './infra/metrics.ts'
import type { Nodes } from './infra/node/index.ts'

interface Gauged {
  nodes: Nodes
  limitsDegraded(): boolean
  websocketClients(): number
  askStore(): Promise<unknown>
  countJobs(): Promise<{ kind: string; status: string; count: number }[]>
}

/** What is looked up whenever somebody asks for metrics. */
export function exposeGauges(metrics: Metrics, gauged: Gauged): void {
  const { nodes, limitsDegraded, websocketClients, askStore, countJobs } = gauged
  metrics.answers('gateway_store_up', 'Whether the store answers.', askStore)
  metrics.gauge('gateway_confirmations_connected', 'Whether a node tells of confirmations.', [], () => [
    { value: nodes.confirmations.connected ? 1 : 0 },
  ])
  metrics.gauge('gateway_upstream_healthy', 'Whether a node is used.', ['upstream'], () =>
    nodes.pool.upstreams.map(({ options, healthy }) => ({
      labels: { upstream: options.name },
      value: healthy ? 1 : 0,
    })),
  )
  metrics.gauge('gateway_upstream_cemented_blocks', 'Confirmed blocks of a node.', ['upstream'], () =>
    nodes.pool.upstreams.map(({ options, cemented }) => ({ labels: { upstream: options.name }, value: cemented })),
  )
  metrics.gauge('gateway_limits_degraded', 'Whether limits are shared no longer.', [], () => [
    { value: limitsDegraded() ? 1 : 0 },
  ])
  metrics.gauge('gateway_cache_bytes', 'Memory of remembered answers.', [], () => [{ value: nodes.cachedBytes }])
  metrics.gauge('gateway_websocket_clients', 'Connected websocket clients.', [], () => [{ value: websocketClients() }])
  metrics.gauge('gateway_jobs', 'Jobs that wait, run or are dead.', ['kind', 'status'], async () =>
    (await countJobs()).map(({ kind, status, count }) => ({ labels: { kind, status }, value: count })),
  )
}
