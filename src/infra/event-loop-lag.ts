import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge, type Registry } from 'prom-client'

/** Looks so often how late it is. Each look wakes the process, also one that has nothing to do. */
const LOOK_MILLISECONDS = 250

/**
 * How late the event loop does what is due, under the names that the library's own measure has, which wakes the process a
 * hundred times a second and counts the time between two looks as lateness. What was seen is forgotten when it was told.
 */
export function measureEventLoopLag(registry: Registry): void {
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
  // The first of them, because metrics are read in their order: whoever is asked first reads for all.
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
