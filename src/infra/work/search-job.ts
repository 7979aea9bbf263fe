import type { FoundWork, WorkClass, WorkRequest } from '../../kernel/ports.ts'
import { expectedHashes } from '../../kernel/nano/work.ts'
import type { Engine } from './engine.ts'

/** Lower is sooner. */
export const RANK: Readonly<Record<WorkClass, number>> = { interactive: 0, wallet: 1, precompute: 2 }

/** Somebody who waits for work on a root. */
export interface Waiter extends WorkRequest {
  since: number
  resolve(found: FoundWork): void
  reject(error: Error): void
}

/** One engine at work on a job. */
export interface RunningSearch {
  threshold: bigint
  startedAt: number
  stop: AbortController
}

/** The search for one root, with everybody who waits for it. */
export class SearchJob {
  readonly root: string
  readonly since: number
  readonly waiters = new Set<Waiter>()
  readonly searches = new Map<Engine, RunningSearch>()

  constructor(root: string, since: number) {
    this.root = root
    this.since = since
  }

  /**
   * The lowest threshold anybody waits for. Whoever needs more loses nothing by it: every nonce that is found is tried
   * for all, and the search goes on for those whom it does not satisfy.
   */
  get threshold(): bigint {
    let lowest: bigint | undefined
    for (const { threshold } of this.waiters) if (lowest === undefined || threshold < lowest) lowest = threshold
    return lowest ?? 0n
  }

  get expectedHashes(): number {
    return expectedHashes(this.threshold)
  }

  /** The most urgent of those who wait; among equals the first. */
  get lead(): Waiter | undefined {
    let lead: Waiter | undefined
    for (const waiter of this.waiters) if (!lead || RANK[waiter.class] < RANK[lead.class]) lead = waiter
    return lead
  }

  /** Gives a nonce to everybody whom it satisfies. */
  answer(found: FoundWork): Waiter[] {
    const satisfied = [...this.waiters].filter(({ threshold }) => threshold <= found.value)
    for (const waiter of satisfied) {
      this.waiters.delete(waiter)
      waiter.resolve(found)
    }
    return satisfied
  }

  stopAll(): void {
    for (const { stop } of this.searches.values()) stop.abort()
  }
}
