import { type FoundWork, type WorkClass, type WorkRequest } from '../../kernel/work-port.ts'
import { expectedHashes } from '../../kernel/nano/work.ts'
import type { WorkSource } from './source.ts'

/** A lower rank is served earlier. */
export const RANK: Readonly<Record<WorkClass, number>> = { interactive: 0, wallet: 1, precompute: 2 }

/** A caller who waits for work on a root. */
export interface Waiter extends WorkRequest {
  since: number
  resolve(found: FoundWork): void
  reject(error: Error): void
}

/** One engine that works on a job. */
export interface RunningSearch {
  threshold: bigint
  startedAt: number
  stop: AbortController
  /** Whether it takes much longer than expected. */
  late: boolean
}

/** The search for one root, with all callers who wait for it. */
export class SearchJob {
  readonly root: string
  readonly since: number
  readonly searches = new Map<WorkSource, RunningSearch>()
  /** Engines that refused this search. */
  readonly refusedBy = new Set<WorkSource>()
  readonly #waiters = new Set<Waiter>()
  /**
   * The lowest threshold that a caller waits for. Callers who need more lose nothing: every nonce is tested for all of
   * them, and the search continues for those who need a better one.
   */
  threshold = 0n
  expectedHashes = 1
  /** The most urgent caller; among equals the first. */
  lead: Waiter | undefined

  constructor(root: string, since: number) {
    this.root = root
    this.since = since
  }

  get waiters(): ReadonlySet<Waiter> {
    return this.#waiters
  }

  join(waiter: Waiter): void {
    this.#waiters.add(waiter)
    this.#sum()
  }

  leave(waiter: Waiter): boolean {
    const left = this.#waiters.delete(waiter)
    if (left) this.#sum()
    return left
  }

  /** Gives a nonce to all callers for whom it suffices, and returns them. */
  answer(found: FoundWork): Waiter[] {
    const satisfied = [...this.#waiters].filter(({ threshold }) => threshold <= found.value)
    for (const waiter of satisfied) {
      this.#waiters.delete(waiter)
      waiter.resolve(found)
    }
    this.#sum()
    return satisfied
  }

  stopAll(): void {
    for (const { stop } of this.searches.values()) stop.abort()
  }

  /** Computed in advance, because jobs are compared far more often than they change. */
  #sum(): void {
    let lowest: bigint | undefined
    this.lead = undefined
    for (const waiter of this.#waiters) {
      if (lowest === undefined || waiter.threshold < lowest) lowest = waiter.threshold
      if (!this.lead || RANK[waiter.class] < RANK[this.lead.class]) this.lead = waiter
    }
    this.threshold = lowest ?? 0n
    this.expectedHashes = expectedHashes(this.threshold)
  }
}
