import type { SearchJob } from './search-job.ts'
import type { WorkSource } from './source.ts'

/** How long a request over the network takes before the first hash. */
const PEER_LATENCY_SECONDS = 0.003
/** A card that is so many times faster is worth waiting for. */
const CARD_LEAD = 8

export class Engines {
  readonly all: WorkSource[]
  /** The searches of each engine. A stopped search stays here until it has really ended. */
  readonly #busy = new Map<WorkSource, Set<SearchJob>>()

  constructor(engines: readonly WorkSource[]) {
    this.all = [...engines]
  }

  get usable(): WorkSource[] {
    return this.all.filter(({ usable }) => usable)
  }

  /** Hashes a second of all usable engines. */
  get rate(): number {
    return this.usable.reduce((sum, { rate }) => sum + rate, 0)
  }

  get free(): WorkSource[] {
    return this.usable.filter((engine) => this.jobsOf(engine).size < engine.slots)
  }

  jobsOf(engine: WorkSource): ReadonlySet<SearchJob> {
    return this.#busy.get(engine) ?? new Set()
  }

  occupy(engine: WorkSource, job: SearchJob): void {
    this.#busy.set(engine, (this.#busy.get(engine) ?? new Set()).add(job))
  }

  release(engine: WorkSource, job: SearchJob): void {
    this.#busy.get(engine)?.delete(job)
  }

  async remove(engine: WorkSource): Promise<void> {
    this.all.splice(this.all.indexOf(engine), 1)
    await engine.close()
  }

  /**
   * The free engine that is expected to find work first. A processor is so much slower than a card that waiting for a
   * busy card is faster; it helps only if a search takes unexpectedly long.
   */
  fastestFor(job: SearchJob, isHelp = false): WorkSource | undefined {
    let best: { engine: WorkSource; seconds: number } | undefined
    const cards = isHelp ? [] : this.usable.filter(({ kind }) => kind === 'card')
    const card = Math.max(0, ...cards.map(({ rate }) => rate))
    for (const engine of this.free) {
      if (job.searches.has(engine) || !takes(engine, job) || engine.rate * CARD_LEAD < card) continue
      const seconds = expectedSeconds(engine, job.expectedHashes)
      if (!best || seconds < best.seconds) best = { engine, seconds }
    }
    return best?.engine
  }
}

/** Whether an engine accepts a job at all. */
export function takes(engine: WorkSource, job: SearchJob): boolean {
  return !job.refusedBy.has(engine) && (engine.spare || job.lead?.class !== 'precompute')
}

export function expectedSeconds({ kind, rate }: WorkSource, hashes: number): number {
  return hashes / Math.max(1, rate) + (kind === 'peer' ? PEER_LATENCY_SECONDS : 0)
}
