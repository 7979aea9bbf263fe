import type { WorkRequest } from '../../kernel/ports.ts'
import { RANK, type SearchJob } from './search-job.ts'

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
