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
  readonly upstreamStates = new Counter({
    name: 'gateway_upstream_state_changes_total',
    help: 'How often a node entered a state.',
    labelNames: ['upstream', 'state'],
    registers: [this.registry],
  })
  readonly nodeDisagreements = new Counter({
    name: 'gateway_node_disagreements_total',
    help: 'Blocks that a node called confirmed and others did not, by the node.',
    labelNames: ['upstream'],
    registers: [this.registry],
  })
  readonly upstreamFailures = new Counter({
    name: 'gateway_upstream_failures_total',
    help: 'Reads that no node answered.',
    labelNames: ['kind'],
    registers: [this.registry],
  })

  readonly jobs = new Counter({
    name: 'gateway_jobs_total',
    help: 'Jobs by kind and how they ended.',
    labelNames: ['kind', 'outcome'],
    registers: [this.registry],
  })
  readonly webhookAttempts = new Counter({
    name: 'gateway_webhook_attempts_total',
    help: 'Attempts to deliver a webhook, by what came of them.',
    labelNames: ['outcome'],
    registers: [this.registry],
  })
  readonly workFound = new Counter({
    name: 'gateway_work_found_total',
    help: 'Waits for work that ended well, by urgency and source.',
    labelNames: ['class', 'engine'],
    registers: [this.registry],
  })
  readonly workHits = new Counter({
    name: 'gateway_work_hits_total',
    help: 'Work that was ready beforehand.',
    registers: [this.registry],
  })
  readonly workWait = new Histogram({
    name: 'gateway_work_wait_seconds',
    help: 'Time from asking for work to having it.',
    labelNames: ['class'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
    registers: [this.registry],
  })
  readonly workHashes = new Counter({
    name: 'gateway_work_hashes_total',
    help: 'Hashes by source, estimated from its rate, and whether the result was still wanted.',
    labelNames: ['engine', 'wasted'],
    registers: [this.registry],
  })
  readonly workFailures = new Counter({
    name: 'gateway_work_failures_total',
    help: 'Failures and wrong answers of a source of work.',
    labelNames: ['engine'],
    registers: [this.registry],
  })
  readonly ownBlockRefusals = new Counter({
    name: 'gateway_own_block_refusals_total',
    help: 'Blocks of our own wallets that a node refused, by what it said.',
    labelNames: ['kind'],
    registers: [this.registry],
  })
  readonly sourceFailures = new Counter({
    name: 'gateway_source_failures_total',
    help: 'Failures of a source of prices or work.',
    labelNames: ['kind', 'source'],
    registers: [this.registry],
  })
  readonly sourceStates = new Counter({
    name: 'gateway_source_state_changes_total',
    help: 'How often a source began to fail, or to answer again.',
    labelNames: ['kind', 'source', 'state'],
    registers: [this.registry],
  })
  readonly walletAlarms = new Counter({
    name: 'gateway_wallet_alarms_total',
    help: 'Alarms about wallets, by kind.',
    labelNames: ['kind'],
    registers: [this.registry],
  })
  readonly backgroundFailures = new Counter({
    name: 'gateway_background_failures_total',
    help: 'Failures with no caller waiting, by place and kind; look into every alarm.',
    labelNames: ['place', 'kind'],
    registers: [this.registry],
  })
  readonly traceSteps = new Counter({
    name: 'gateway_trace_steps_total',
    help: 'Steps of traces: sent to the collector, lost because it did not take them, dropped because too many waited.',
    labelNames: ['outcome'],
    registers: [this.registry],
  })
  /** Undefined if metrics are off. */
  readonly #counts: RequestCounts | undefined

  constructor({ counting = true } = {}) {
    if (!counting) return
    this.#counts = new RequestCounts(this.registry)
    // Practically switches off the library's own measurement, because we have our own.
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 3_600_000 })
    measureEventLoopLag(this.registry)
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
