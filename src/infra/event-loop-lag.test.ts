import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Metrics } from './metrics.ts'

const STALL = 600

/** Started later with the same interval, so it shows when the gateway's own measurement has run. */
async function untilLooked(watch: ReturnType<typeof monitorEventLoopDelay>): Promise<void> {
  for (const { count } = watch; watch.count === count;) await turn()
}

test('who watches the event loop sees a stall in the metrics that boards and alarms ask for', async () => {
  const metrics = new Metrics()
  const watch = monitorEventLoopDelay({ resolution: 250 })
  watch.enable()
  await untilLooked(watch)
  for (const end = performance.now() + STALL; performance.now() < end;);
  await untilLooked(watch)
  const text = await metrics.registry.metrics()
  const lag = Object.fromEntries(
    [...text.matchAll(/^nodejs_eventloop_lag_(?:(\w+)_)?seconds (\S+)$/gm)].map(([, name = '', value]) => [
      name,
      Number(value),
    ]),
  )
  // At least the part of the stall after the moment at which the loop should have run.
  assert.ok(lag.p99! >= 0.3 && lag.max! >= 0.3, text)
  assert.deepEqual(Object.keys(lag).toSorted(), ['', 'max', 'mean', 'min', 'p50', 'p90', 'p99', 'stddev'])
})
