import { expectedHashes } from '../../kernel/nano/work.ts'
import type { WorkRequest } from '../../kernel/ports.ts'
import { RANK, type SearchJob } from './search-job.ts'
import type { SearchQueue } from './search-queue.ts'

/** No caller queues behind more than this, whatever the estimate says. */
const JOBS_MAX = 20_000
/** What may be wanted later never takes the places of those who wait now. */
const PRECOMPUTE_MAX = 50

export interface QueueLimits {
  /** The longest wait in the queue that is worth beginning. */
  queueSecondsMax: number
  /** The longest anybody waits altogether. */
  waitSecondsMax: number
}

/** After how long to ask again for what the queue has no room for; 0 is let in at once. */
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
  // What is not likely to be found in time only keeps the machine from the others.
  if (expectedHashes(request.threshold) / rate > waitSecondsMax) return waitSecondsMax
  return Math.max(0, Math.ceil(secondsAhead(request, queue, rate) - queueSecondsMax))
}

/**
 * How long what comes first will take: everything more urgent; of the same urgency what is not more expensive, and of each other
 * payer no more than its share while the newcomer waits for its own. Without that, one payer's long queue would keep
 * everybody out.
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

/** After this long one of our own wallets has waited enough to stand beside those who wait at a screen. */
const WALLET_PATIENCE = 10_000
const PAYERS_MAX = 10_000

type Payer = Pick<WorkRequest, 'payer' | 'weight'>
const NOBODY: Payer = { payer: '' }

/**
 * Who is next. Urgency first; within it everybody has a share of the machine by weight, counted in hashes, so that a payer
 * with a hundred searches does not keep the others waiting. A cheap search goes before an expensive one, until the
 * expensive one has waited about as long as it takes.
 */
export class FairShares {
  /** Hashes each payer has had, divided by its weight, from a common start. */
  readonly #used = new Map<string, number>()
  /** Where the payer stands who was served last: newcomers begin there and not at nothing. */
  #floor = 0

  /** A payer comes with its first search: what it did not use in the past is not saved up. */
  enter(payer: string): void {
    this.#set(payer, Math.max(this.#usedBy(payer), this.#floor))
  }

  serve(payer: string): void {
    this.#floor = Math.max(this.#floor, this.#usedBy(payer))
  }

  charge({ payer, weight = 1 }: Payer, hashes: number): void {
    this.#set(payer, this.#usedBy(payer) + hashes / weight)
  }

  /** Negative when `a` comes before `b`. */
  compare(a: SearchJob, b: SearchJob, now: number, rate: number): number {
    return this.rank(a, now) - this.rank(b, now) || this.#standing(a, now, rate) - this.#standing(b, now, rate)
  }

  /**
   * Whether a waiting search should take the place of a running one. Not for a small advantage: two equal searches would
   * take turns for ever.
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
    // Waiting makes up for the price and for no more: else a long queue would count as a long wait.
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
