import { expectedHashes } from '../../kernel/nano/work.ts'
import { type WorkRequest } from '../../kernel/work-port.ts'
import { RANK, type SearchJob } from './search-job.ts'
import type { SearchQueue } from './search-queue.ts'

/** Longest queue, whatever the estimated waiting times are. */
const JOBS_MAX = 20_000
/** Most searches in advance, so that they never displace waiting callers. */
const PRECOMPUTE_MAX = 50

export interface QueueLimits {
  /** The longest wait in the queue that is worth beginning. */
  queueSecondsMax: number
  waitSecondsMax: number
}

/** If the queue is full, the seconds after which to try again; 0 if the search is accepted. */
export function secondsToComeBack(
  request: WorkRequest,
  queue: SearchQueue,
  hashesPerSecond: number,
  { queueSecondsMax, waitSecondsMax }: QueueLimits,
): number {
  const rate = Math.max(1, hashesPerSecond)
  let waitingLater = 0
  for (const group of queue.groups) if (group.class === 'precompute') waitingLater += group.size
  if (request.class === 'precompute') return waitingLater >= PRECOMPUTE_MAX ? 60 : 0
  if (queue.size - waitingLater >= JOBS_MAX) return Math.ceil(queue.hashes / rate / 2) || 1
  // A search that probably cannot finish in time would only take the machine from others.
  if (expectedHashes(request.threshold) / rate > waitSecondsMax) return waitSecondsMax
  return Math.max(0, Math.ceil(secondsAhead(request, queue, rate) - queueSecondsMax))
}

/**
 * How long the searches before this one will take. Those are all more urgent ones and, of equal urgency, those that are
 * not more expensive; of every other payer only its fair share during the wait. Otherwise the long queue of one payer
 * would keep all others out.
 */
function secondsAhead(
  { threshold, class: urgency, payer, weight = 1 }: WorkRequest,
  queue: SearchQueue,
  rate: number,
): number {
  const hashes = expectedHashes(threshold)
  let ahead = 0
  const others = new Map<string, { hashes: number; share: number }>()
  for (const group of queue.groups) {
    const difference = RANK[group.class] - RANK[urgency]
    if (difference > 0 || (difference === 0 && group.cost > hashes)) continue
    const cost = group.cost * group.size
    if (difference < 0 || group.payer === payer) ahead += cost
    else {
      const other = others.get(group.payer) ?? { hashes: 0, share: (hashes * group.weight) / weight }
      other.hashes += cost
      others.set(group.payer, other)
    }
  }
  for (const other of others.values()) ahead += Math.min(other.hashes, other.share)
  return ahead / rate
}

/** After this time, a search for one of our own wallets is as urgent as one for a waiting caller. */
const WALLET_PATIENCE = 10_000
const PAYERS_MAX = 10_000

type Payer = Pick<WorkRequest, 'payer' | 'weight'>
const NOBODY: Payer = { payer: '' }

/**
 * Decides which search is next. Urgency comes first. Among equally urgent searches each payer has a weighted share of
 * the machine, measured in hashes, so that a payer with a hundred searches does not make the others wait. A cheap
 * search goes before an expensive one until the expensive one has waited about as long as it takes.
 */
export class FairShares {
  /** Hashes that each payer has used, divided by its weight, counted from a common start. */
  readonly #used = new Map<string, number>()
  /** The value of the payer who was served last. New payers begin with it, not with zero. */
  #floor = 0

  /** Call it with a payer's first search. A payer cannot save up shares from the past. */
  enter(payer: string): void {
    this.#set(payer, Math.max(this.#usedBy(payer), this.#floor))
  }

  serve(payer: string): void {
    this.#floor = Math.max(this.#floor, this.#usedBy(payer))
  }

  charge({ payer, weight = 1 }: Payer, hashes: number): void {
    this.#set(payer, this.#usedBy(payer) + hashes / weight)
  }

  /** Negative if `a` comes before `b`. */
  compare(a: SearchJob, b: SearchJob, now: number, rate: number): number {
    return this.rank(a, now) - this.rank(b, now) || this.#standing(a, now, rate) - this.#standing(b, now, rate)
  }

  /**
   * Whether a waiting search should replace a running one. Not for a small advantage, because two equal searches would
   * replace each other for ever.
   */
  displaces(waiting: SearchJob, running: SearchJob, now: number, rate: number): boolean {
    const ranks = this.rank(waiting, now) - this.rank(running, now)
    if (ranks !== 0) return ranks < 0
    const advantage = this.#standing(running, now, rate) - this.#standing(waiting, now, rate)
    return advantage > waiting.expectedHashes / (waiting.lead?.weight ?? 1)
  }

  rank(job: SearchJob, now: number): number {
    const urgency = job.lead?.class ?? 'precompute'
    return urgency === 'wallet' && now - job.since > WALLET_PATIENCE ? RANK.interactive : RANK[urgency]
  }

  #standing(job: SearchJob, now: number, rate: number): number {
    const waited = ((now - job.since) / 1000) * rate
    const { payer, weight = 1 } = job.lead ?? NOBODY
    // Waiting compensates for the cost of the search, but no more: otherwise a long queue would count as a long wait.
    return this.#usedBy(payer) + Math.max(0, job.expectedHashes - waited) / weight
  }

  #usedBy(payer: string): number {
    return this.#used.get(payer) ?? this.#floor
  }

  #set(payer: string, used: number): void {
    this.#used.delete(payer)
    this.#used.set(payer, used)
    if (this.#used.size > PAYERS_MAX) this.#used.delete(this.#used.keys().next().value!)
  }
}
