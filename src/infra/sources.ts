import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

type SourceKind = 'price' | 'work'

interface Source {
  kind: SourceKind
  name: string
  failing: boolean
  /** The reason of its last failure. */
  reason: string | undefined
}

/** Which outside services (sources of prices and work) currently fail, and how often they began to. */
export class Sources {
  readonly #known = new Map<string, Source>()
  readonly #log: Log
  readonly #metrics: Metrics

  constructor({ log, metrics }: { log: Log; metrics: Metrics }) {
    this.#log = log
    this.#metrics = metrics
    metrics.gauge('gateway_source_failing', 'Whether a source of prices or work fails.', ['kind', 'source'], () =>
      this.list().map(({ kind, name, failing }) => ({ labels: { kind, source: name }, value: failing ? 1 : 0 })),
    )
  }

  /** The services that were used so far. */
  list(): readonly Source[] {
    return [...this.#known.values()]
  }

  failed(kind: SourceKind, name: string, reason: string): void {
    this.#metrics.sourceFailures.inc({ kind, source: name })
    this.#note({ kind, name, failing: true, reason })
  }

  answered(kind: SourceKind, name: string): void {
    this.#note({ kind, name, failing: false, reason: undefined })
  }

  #note(source: Source): void {
    const { kind, name, failing, reason } = source
    const key = `${kind} ${name}`
    const before = this.#known.get(key)
    this.#known.set(key, source)
    // The first success of a new source is not reported.
    if ((before?.failing ?? false) === failing) return
    const state = failing ? 'failing' : 'well'
    this.#metrics.sourceStates.inc({ kind, source: name, state })
    const line = { event: 'source_state', kind, source: name, state, reason }
    if (failing) this.#log.warn(line)
    else this.#log.info(line)
  }
}
