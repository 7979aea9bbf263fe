import { type WorkClass } from '../../kernel/work-port.ts'
import type { SearchJob } from './search-job.ts'

/** Searches of one payer that are equally urgent and expensive, and differ only in age. The oldest comes first. */
interface SearchGroup {
  payer: string
  class: WorkClass
  weight: number
  /** Expected hashes of each. */
  cost: number
  size: number
}

interface Group extends SearchGroup {
  /** Searches without an engine, oldest first. */
  waiting: Set<SearchJob>
  /** The age of the youngest search that ever waited here. */
  youngest: number
}

/**
 * All searches. There may be ten thousand, and the next one is determined after every result, so only the oldest of
 * each group is compared.
 */
export class SearchQueue {
  readonly #jobs = new Map<string, SearchJob>()
  readonly #running = new Set<SearchJob>()
  readonly #groups = new Map<string, Group>()
  readonly #groupOf = new Map<SearchJob, Group>()
  /** A counter rather than a time, because two searches may come in the same millisecond. */
  readonly #ages = new Map<SearchJob, number>()
  #age = 0

  get size(): number {
    return this.#jobs.size
  }

  get groups(): Iterable<SearchGroup> {
    return this.#groups.values()
  }

  /** Searches that have an engine. */
  get running(): ReadonlySet<SearchJob> {
    return this.#running
  }

  /** The number of hashes that all searches together are expected to need. */
  get hashes(): number {
    let hashes = 0
    for (const { cost, size } of this.#groups.values()) hashes += cost * size
    return hashes
  }

  all(): SearchJob[] {
    return [...this.#jobs.values()]
  }

  find(root: string): SearchJob | undefined {
    return this.#jobs.get(root)
  }

  has(job: SearchJob): boolean {
    return this.#jobs.get(job.root) === job
  }

  /** Adds a search, or updates it after its callers or engines have changed. */
  put(job: SearchJob): void {
    if (!this.has(job)) {
      this.#jobs.set(job.root, job)
      this.#ages.set(job, ++this.#age)
    }
    this.#joinGroup(job)
    const { waiting } = this.#groupOf.get(job)!
    if (job.searches.size > 0) {
      this.#running.add(job)
      waiting.delete(job)
    } else {
      this.#running.delete(job)
      if (!waiting.has(job)) this.#wait(job)
    }
  }

  remove(job: SearchJob): void {
    this.#leaveGroup(job)
    this.#jobs.delete(job.root)
    this.#ages.delete(job)
    this.#running.delete(job)
  }

  /** The first waiting search in an order that never puts an older one after a younger one of its group. */
  next(compare: (a: SearchJob, b: SearchJob) => number, mayBegin: (job: SearchJob) => boolean): SearchJob | undefined {
    let best: SearchJob | undefined
    for (const { waiting } of this.#groups.values()) {
      for (const job of waiting) {
        if (!mayBegin(job)) continue
        if (!best || (compare(job, best) || this.#ages.get(job)! - this.#ages.get(best)!) < 0) best = job
        break
      }
    }
    return best
  }

  #leaveGroup(job: SearchJob): void {
    const group = this.#groupOf.get(job)
    if (!group) return
    this.#groupOf.delete(job)
    group.waiting.delete(job)
    group.size--
    if (group.size === 0) this.#groups.delete(keyOf(group))
  }

  #joinGroup(job: SearchJob): void {
    const { payer = '', class: urgency = 'precompute', weight = 1 } = job.lead ?? {}
    const key = keyOf({ payer, class: urgency, weight, cost: job.expectedHashes })
    const group = this.#groups.get(key) ?? {
      payer,
      class: urgency,
      weight,
      cost: job.expectedHashes,
      size: 0,
      waiting: new Set(),
      youngest: 0,
    }
    if (this.#groupOf.get(job) === group) return
    this.#leaveGroup(job)
    this.#groups.set(key, group)
    this.#groupOf.set(job, group)
    group.size++
  }

  /** Usually a new search, which goes to the end. A search that was stopped returns to its place. */
  #wait(job: SearchJob): void {
    const group = this.#groupOf.get(job)!
    const age = this.#ages.get(job)!
    group.waiting.add(job)
    if (age < group.youngest) {
      group.waiting = new Set([...group.waiting].sort((a, b) => this.#ages.get(a)! - this.#ages.get(b)!))
    }
    group.youngest = Math.max(group.youngest, age)
  }
}

const keyOf = ({ payer, class: urgency, weight, cost }: Omit<SearchGroup, 'size'>) =>
  `${urgency} ${weight} ${cost} ${payer}`
