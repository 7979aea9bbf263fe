import type { Failures } from '../../kernel/failures.ts'
import type { Clock, Random } from '../../kernel/ports.ts'
import { type Verdict, weighLead } from './evidence.ts'
import { UpstreamFailure } from './failure.ts'
import { LAG_BLOCKS_MAX } from './limits.ts'
import type { Upstream } from './upstream.ts'

const STALL_AFTER = 30_000
/** How long a count that two nodes agreed on stays the standard after no node reaches it any more. */
const COUNT_KEPT = 600_000
/** How often two nodes that disagree are asked for proof. */
const CONTEST_EVERY = 30_000
/** How long a verdict stands when a node that should show its blocks does not answer. */
const VERDICT_KEPT = 2 * CONTEST_EVERY
/** Blocks per second; a count that grows faster than any network confirms has jumped. */
const GROWTH_MAX = 200

interface ProgressOptions {
  clock: Clock
  random: Random
  failures: Failures
  /** The least work of a block on our network. */
  threshold: bigint
}

/**
 * Which nodes are behind, and which only claim to be ahead. A ledger has no block time, so block counts are all that can be
 * compared; but a count is only a claim. Two nodes with the same count are believed. A node that counts more than all others must show
 * the blocks that they lack; until it does, the node is the suspect, and the others are not behind. Where the others do not answer
 * which blocks they have, a node that was healthy and has grown step by step stays so.
 */
export class Progress {
  readonly #options: ProgressOptions
  readonly #contests = new Map<string, { at: number; verdict: Verdict }>()
  /** The node that was last seen ahead of a node that is behind. */
  readonly #leaders = new Map<Upstream, { leader: Upstream; at: number }>()
  /** Counts of nodes when they were last not suspect; becoming a suspect removes the entry. */
  readonly #trusted = new Map<Upstream, { count: number; at: number }>()
  /** The highest count that two nodes reached together. */
  #agreed: { count: number; at: number } | undefined

  constructor(options: ProgressOptions) {
    this.#options = options
  }

  async judge(upstreams: readonly Upstream[]): Promise<void> {
    const now = this.#options.clock.now()
    const living = upstreams
      .filter(({ belongs, reachable, accusation }) => belongs === true && reachable && accusation === undefined)
      .sort((a, b) => b.cemented - a.cemented)
    this.#keepAgreed(living[0]?.cemented ?? 0, now)
    await this.#rank(living, now)
    for (const upstream of living) {
      if (!upstream.overcounts) this.#trusted.set(upstream, { count: upstream.cemented, at: now })
    }
  }

  async #rank(living: readonly Upstream[], now: number): Promise<void> {
    let rest = living
    for (let [top, next] = rest; top && next; [top, next] = rest) {
      if (top.cemented - next.cemented <= LAG_BLOCKS_MAX) {
        top.overcounts = false
        next.overcounts = false
        this.#agreed = { count: Math.max(next.cemented, this.#agreed?.count ?? 0), at: now }
        break
      }
      const { cemented } = next
      const peers = rest.slice(1).filter((other) => cemented - other.cemented <= LAG_BLOCKS_MAX)
      const isPresumed = this.#isPresumed(top, peers, now)
      const known = this.#known(top, next, now)
      // It serves nothing while it is asked for proof, unless it has won a contest before and not jumped since.
      const before = this.#contests.get(pair(top, next))?.verdict ?? 'lost'
      const stood = before !== 'lost' && this.#isSteady(top, now)
      if (!known && !stood) top.overcounts = true
      const verdict = await this.#weigh(top, peers, now)
      top.overcounts = verdict !== 'won' && !(verdict === 'undecided' && isPresumed)
      if (!top.overcounts) break
      if (verdict) this.#trusted.delete(top)
      top.lagging = false
      rest = rest.slice(1)
    }
    const [best, ...others] = rest
    if (!best) return
    for (const other of others) await this.#compare(best, other, now)
    best.lagging = this.#wasBehind(best, living, now)
  }

  async #compare(best: Upstream, other: Upstream, now: number): Promise<void> {
    const isFar = best.cemented - other.cemented > LAG_BLOCKS_MAX
    const stands = other.cemented < best.cemented && now - other.progressedAt > STALL_AFTER
    // On a quiet network standing still is normal: the node that moves must show what the other one missed.
    other.lagging = isFar || (stands && (await this.#weigh(best, [other], now)) === 'won')
    // It claims no more than the best node has.
    other.overcounts = false
    if (other.lagging) this.#leaders.set(other, { leader: best, at: now })
    else this.#leaders.delete(other)
  }

  /** If no node is ahead of it any more, earlier knowledge counts for a while. */
  #wasBehind(best: Upstream, living: readonly Upstream[], now: number): boolean {
    const before = this.#leaders.get(best)
    const isLate = before !== undefined && !living.includes(before.leader) && now - before.at < COUNT_KEPT
    if (!isLate) this.#leaders.delete(best)
    return isLate || this.#isBelowAgreed(best)
  }

  #isBelowAgreed({ cemented }: Upstream): boolean {
    return this.#agreed !== undefined && this.#agreed.count - cemented > LAG_BLOCKS_MAX
  }

  #keepAgreed(highest: number, now: number): void {
    if (!this.#agreed) return
    if (highest >= this.#agreed.count - LAG_BLOCKS_MAX) this.#agreed.at = now
    else if (now - this.#agreed.at > COUNT_KEPT) this.#agreed = undefined
  }

  /** Which node is believed when nothing can be proved: an earlier leader, or among unknown nodes a primary one. */
  #isPresumed(leader: Upstream, peers: readonly Upstream[], now: number): boolean {
    // Two nodes with the same count are believed, unless they are stuck.
    if (peers.length > 1 && peers.some(({ progressedAt }) => now - progressedAt <= STALL_AFTER)) return false
    const outranks = leader.options.role === 'primary' && peers.every(({ options }) => options.role === 'fallback')
    return this.#isSteady(leader, now) || (outranks && !leader.overcounts)
  }

  /** Whether it was not suspect and has grown step by step since. */
  #isSteady(upstream: Upstream, now: number): boolean {
    const before = this.#trusted.get(upstream)
    if (!before || now - before.at > COUNT_KEPT) return false
    return upstream.cemented - before.count <= (GROWTH_MAX * (now - before.at)) / 1_000
  }

  /** What is known about a lead without asking any node. */
  #known(top: Upstream, next: Upstream, now: number): Verdict | undefined {
    if (this.#isBelowAgreed(next)) return 'won'
    const contest = this.#contests.get(pair(top, next))
    return contest && now - contest.at < CONTEST_EVERY ? contest.verdict : undefined
  }

  /** Against several nodes with the same count: the first that answers decides. */
  async #weigh(leader: Upstream, peers: readonly Upstream[], now: number): Promise<Verdict | undefined> {
    let verdict: Verdict | undefined
    for (const peer of peers) {
      verdict = this.#known(leader, peer, now) ?? (await this.#contest(leader, peer, now))
      if (verdict !== 'undecided') break
    }
    return verdict
  }

  /** Undefined when nothing is known, because the leader could not be asked. */
  async #contest(leader: Upstream, other: Upstream, now: number): Promise<Verdict | undefined> {
    const { random, threshold, failures } = this.#options
    // Blocks that the accused node itself would accept are valid evidence against it.
    const least = other.reported?.receive ?? threshold
    try {
      const verdict = await weighLead({ leader, other, random, threshold: least < threshold ? least : threshold })
      this.#contests.set(pair(leader, other), { at: now, verdict })
      return verdict
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) failures.failed('node.contest')(error)
      // Nothing is proved, and the next probe asks again. Until then the last verdict stands, but not for a count that has jumped since.
      const before = this.#contests.get(pair(leader, other))
      const stands = before && now - before.at < VERDICT_KEPT && this.#isSteady(leader, now)
      return stands ? before.verdict : undefined
    }
  }
}

const pair = ({ options: { name: a } }: Upstream, { options: { name: b } }: Upstream) => JSON.stringify([a, b])
