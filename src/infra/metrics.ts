import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { RequestCounts } from './request-counts.ts'

interface Reading {
  labels?: Record<string, string>
  value: number
}

/** All labels come from fixed sets: actions, statuses, names of configured nodes. */
export class Metrics {
  readonly registry = new Registry()
  readonly upstreamStates = this.#counter(
    'gateway_upstream_state_changes_total',
    'How often a node entered a state.',
    'upstream',
    'state',
  )
  readonly nodeDisagreements = this.#counter(
    'gateway_node_disagreements_total',
    'Blocks that a node called confirmed and others did not, by node.',
    'upstream',
  )
  readonly upstreamFailures = this.#counter('gateway_upstream_failures_total', 'Reads that no node answered.', 'kind')

  readonly jobs = this.#counter('gateway_jobs_total', 'Jobs by kind and how they ended.', 'kind', 'outcome')
  readonly webhookAttempts = this.#counter(
    'gateway_webhook_attempts_total',
    'Attempts to deliver a webhook, by result.',
    'outcome',
  )
  readonly workFound = this.#counter(
    'gateway_work_found_total',
    'Requests for work that succeeded, by urgency and source.',
    'class',
    'engine',
  )
  readonly workHits = this.#counter('gateway_work_hits_total', 'Requests for work that was computed in advance.')
  readonly workWait = new Histogram({
    name: 'gateway_work_wait_seconds',
    help: 'Time from a request for work to its result.',
    labelNames: ['class'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
    registers: [this.registry],
  })
  readonly workHashes = this.#counter(
    'gateway_work_hashes_total',
    'Hashes by source, estimated from its rate, and whether the result was still wanted.',
    'engine',
    'wasted',
  )
  readonly workFailures = this.#counter(
    'gateway_work_failures_total',
    'Failures and wrong answers of a source of work.',
    'engine',
  )
  readonly ownBlockRefusals = this.#counter(
    'gateway_own_block_refusals_total',
    'Blocks of our own wallets that a node refused, by its reason.',
    'kind',
  )
  readonly sourceFailures = this.#counter(
    'gateway_source_failures_total',
    'Failures of a source of prices or work.',
    'kind',
    'source',
  )
  readonly sourceStates = this.#counter(
    'gateway_source_state_changes_total',
    'How often a source began to fail, or to answer again.',
    'kind',
    'source',
    'state',
  )
  readonly walletAlarms = this.#counter('gateway_wallet_alarms_total', 'Alarms about wallets, by kind.', 'kind')
  readonly backgroundFailures = this.#counter(
    'gateway_background_failures_total',
    'Failures with no caller waiting, by place and kind; look into every alarm.',
    'place',
    'kind',
  )
  readonly traceSteps = this.#counter(
    'gateway_trace_steps_total',
    'Steps of traces: sent to the collector, lost because it did not take them, dropped because too many waited.',
    'outcome',
  )
  /** Undefined if metrics are off. */
  readonly #counts: RequestCounts | undefined

  constructor({ counting = true } = {}) {
    if (!counting) return
    this.#counts = new RequestCounts(this.registry)
    // Practically switches off the library's own measurement, because we have our own.
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 3_600_000 })
    measureEventLoopLag(this.registry)
  }

  #counter<L extends string>(name: string, help: string, ...labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  request(action: string, status: number, seconds: number): void {
    this.#counts?.request(action, status, seconds)
  }

  upstreamRead(upstream: string, hedged: boolean): void {
    this.#counts?.upstreamRead(upstream, hedged)
  }

  cacheResult(result: string): void {
    this.#counts?.cacheResult(result)
  }

  /** A gauge that shows whether something answers; tested at each request for metrics. */
  answers(name: string, help: string, ask: () => Promise<unknown>): void {
    this.gauge(name, help, [], () =>
      inTime(ask).then(
        () => [{ value: 1 }],
        () => [{ value: 0 }],
      ),
    )
  }

  /** A value that is read at each request for metrics. */
  gauge(name: string, help: string, labelNames: readonly string[], read: () => Reading[] | Promise<Reading[]>): void {
    const leftOut = (): Reading[] => {
      this.backgroundFailures.inc({ place: 'metrics.gauge', kind: 'loss' })
      return []
    }
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      async collect() {
        // A slow or failing store must not delay the other numbers, which are needed most in an outage.
        const readings = await inTime(read).catch(leftOut)
        // A series that no longer exists must not keep its last value.
        this.reset()
        for (const { labels = {}, value } of readings) this.set(labels, value)
      },
    })
  }

  text(): Promise<string> {
    return this.registry.metrics()
  }
}

/** A value that takes longer to read is left out. */
const READ_MAX = 2_000

async function inTime<T>(read: () => T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Too late.')), READ_MAX)
  })
  try {
    return await Promise.race([read(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** How often to measure. Each measurement wakes the process, even an idle one. */
const LOOK_MILLISECONDS = 250

/**
 * Measures the lag of the event loop, under the names of the library's own metrics. The library would wake the process
 * a hundred times a second, and count the time between two measurements as lag. Ours starts again whenever it was read.
 */
function measureEventLoopLag(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: LOOK_MILLISECONDS })
  delays.enable()
  const toSeconds = (nanoseconds: number) =>
    delays.count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - LOOK_MILLISECONDS / 1e3)
  const read = {
    min: { help: 'The minimum recorded event loop delay.', of: () => toSeconds(delays.min) },
    max: { help: 'The maximum recorded event loop delay.', of: () => toSeconds(delays.max) },
    mean: { help: 'The mean of the recorded event loop delays.', of: () => toSeconds(delays.mean) },
    stddev: { help: 'The standard deviation of the recorded event loop delays.', of: () => (delays.stddev || 0) / 1e9 },
    p50: { help: 'The 50th percentile of the recorded event loop delays.', of: () => toSeconds(delays.percentile(50)) },
    p90: { help: 'The 90th percentile of the recorded event loop delays.', of: () => toSeconds(delays.percentile(90)) },
    p99: { help: 'The 99th percentile of the recorded event loop delays.', of: () => toSeconds(delays.percentile(99)) },
  }
  const open = (name: string, help: string, collect?: () => Promise<void>) => {
    registry.removeSingleMetric(name)
    return new Gauge({ name, help, registers: [registry], ...(collect && { collect }) })
  }
  // Metrics are read in order, so the first of these computes the values for all.
  const now = open('nodejs_eventloop_lag_seconds', 'Lag of event loop in seconds.', async () => {
    for (const { gauge, of } of gauges) gauge.set(of())
    delays.reset()
    const began = performance.now()
    await new Promise((resolve) => setImmediate(resolve))
    now.set((performance.now() - began) / 1e3)
  })
  const gauges = Object.entries(read).map(([name, { help, of }]) => ({
    gauge: open(`nodejs_eventloop_lag_${name}_seconds`, help),
    of,
  }))
}
