import { Counter, Histogram, type Registry } from 'prom-client'

/** In seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Tally {
  count: number
}

interface ActionTally {
  byStatus: Map<number, Tally>
  /** One for each bound, and one for longer durations. */
  buckets: number[]
  seconds: number
}

/**
 * Counters of all requests. A library that looks up labels each time costs as much as an answer from memory, so these
 * are plain numbers, which become series when metrics are requested.
 */
export class RequestCounts {
  readonly #actions = new Map<string, ActionTally>()
  readonly #results = new Map<string, Tally>()
  readonly #reads = new Map<string, { hedged: Tally; plain: Tally }>()

  constructor(registry: Registry) {
    const registers = [registry]
    const actions = this.#actions
    const results = this.#results
    const reads = this.#reads
    new Counter({
      name: 'gateway_requests_total',
      help: 'RPC requests by action and status.',
      labelNames: ['action', 'status'],
      registers,
      collect() {
        this.reset()
        for (const [action, { byStatus }] of actions) {
          for (const [status, { count }] of byStatus) this.inc({ action, status: String(status) }, count)
        }
      },
    })
    new DurationHistogram(actions, registry)
    new Counter({
      name: 'gateway_cache_total',
      help: 'Where answers came from.',
      labelNames: ['result'],
      registers,
      collect() {
        this.reset()
        for (const [result, { count }] of results) this.inc({ result }, count)
      },
    })
    new Counter({
      name: 'gateway_upstream_reads_total',
      help: 'Answers by node.',
      labelNames: ['upstream', 'hedged'],
      registers,
      collect() {
        this.reset()
        for (const [upstream, { plain, hedged }] of reads) {
          if (plain.count > 0) this.inc({ upstream, hedged: 'false' }, plain.count)
          if (hedged.count > 0) this.inc({ upstream, hedged: 'true' }, hedged.count)
        }
      },
    })
  }

  request(action: string, status: number, seconds: number): void {
    const tally = this.#tallyOf(action)
    const { byStatus, buckets } = tally
    addTo(byStatus, status, 1)
    let at = 0
    while (at < BOUNDS.length && seconds > BOUNDS[at]!) at++
    buckets[at]!++
    tally.seconds += seconds
  }

  cacheResult(result: string): void {
    addTo(this.#results, result, 1)
  }

  upstreamRead(upstream: string, hedged: boolean): void {
    this.#readsOf(upstream)[hedged ? 'hedged' : 'plain'].count++
  }

  #tallyOf(action: string): ActionTally {
    let tally = this.#actions.get(action)
    if (!tally) {
      tally = { byStatus: new Map(), buckets: Array<number>(BOUNDS.length + 1).fill(0), seconds: 0 }
      this.#actions.set(action, tally)
    }
    return tally
  }

  #readsOf(upstream: string): { hedged: Tally; plain: Tally } {
    let reads = this.#reads.get(upstream)
    if (!reads) this.#reads.set(upstream, (reads = { hedged: { count: 0 }, plain: { count: 0 } }))
    return reads
  }
}

function addTo<K>(tallies: Map<K, Tally>, key: K, count: number): void {
  const known = tallies.get(key)
  if (known) known.count += count
  else tallies.set(key, { count })
}

const DURATION = { name: 'gateway_request_seconds', help: 'Time to answer an RPC request.' }

/** The durations of requests, written as series from our own numbers. */
class DurationHistogram extends Histogram<'action'> {
  readonly #actions: ReadonlyMap<string, ActionTally>

  constructor(actions: ReadonlyMap<string, ActionTally>, registry: Registry) {
    super({ ...DURATION, labelNames: ['action'], buckets: BOUNDS, registers: [registry] })
    this.#actions = actions
  }

  /** The registry calls this when it writes its text. */
  getForPromString() {
    const { name, help } = DURATION
    const values = [...this.#actions].flatMap(([action, { buckets, seconds }]) => {
      let count = 0
      const bucket = (le: number | string, at: number) => {
        count += buckets[at]!
        return { metricName: `${name}_bucket`, labels: { le, action }, value: count }
      }
      return [
        ...BOUNDS.map(bucket),
        bucket('+Inf', BOUNDS.length),
        { metricName: `${name}_sum`, labels: { action }, value: seconds },
        { metricName: `${name}_count`, labels: { action }, value: count },
      ]
    })
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values })
  }
}
