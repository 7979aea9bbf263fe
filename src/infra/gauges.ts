import type { Store } from './db/open.ts'
import { countUnfinished } from './jobs/queue.ts'
import type { Metrics } from './metrics.ts'
import type { Nodes } from './node/index.ts'
import { NODE_STATES } from './node/upstream.ts'

interface Gauged {
  nodes: Nodes
  store: Store
  cachedBytes(): number
  clients(): number
}

/** Gauges that are read at each request for metrics. */
export function exposeGauges(metrics: Metrics, gauged: Gauged): void {
  const { nodes, store, cachedBytes, clients } = gauged
  metrics.answers('gateway_store_up', 'Whether the store answers.', () => store.ping())
  metrics.gauge('gateway_store_writable', 'Whether the store takes writes, as far as is known.', [], () => [
    { value: store.unwritable === undefined ? 1 : 0 },
  ])
  metrics.gauge('gateway_confirmations_connected', 'Whether a node sends confirmations.', [], () => [
    { value: nodes.confirmations.connected ? 1 : 0 },
  ])
  metrics.gauge('gateway_upstream_healthy', 'Whether a node is used.', ['upstream'], () =>
    nodes.pool.upstreams.map(({ options, healthy }) => ({
      labels: { upstream: options.name },
      value: healthy ? 1 : 0,
    })),
  )
  metrics.gauge('gateway_upstream_state', 'The state that a node is in.', ['upstream', 'state'], () =>
    nodes.pool.upstreams.flatMap(({ options, state: current }) =>
      NODE_STATES.map((state) => ({ labels: { upstream: options.name, state }, value: state === current ? 1 : 0 })),
    ),
  )
  metrics.gauge('gateway_upstream_cemented_blocks', 'Confirmed blocks of a node.', ['upstream'], () =>
    nodes.pool.upstreams.map(({ options, cemented }) => ({ labels: { upstream: options.name }, value: cemented })),
  )
  metrics.gauge('gateway_cache_bytes', 'Memory of cached answers.', [], () => [{ value: cachedBytes() }])
  metrics.gauge('gateway_websocket_clients', 'Connected websocket clients.', [], () => [{ value: clients() }])
  metrics.gauge('gateway_jobs', 'Jobs that wait, run or are dead.', ['kind', 'status'], async () =>
    (await countUnfinished(store.db)).map(({ kind, status, count }) => ({ labels: { kind, status }, value: count })),
  )
}
