import type { Failures } from '../../kernel/failures.ts'
import type { Clock, Random, NodeAnswer } from '../../kernel/ports.ts'
import { UpstreamFailure, toFailure } from './failure.ts'
import { LAG_BLOCKS_MAX } from './limits.ts'
import type { Upstream } from './upstream.ts'
import { readContents, proveBlock } from '../../kernel/nano/ledger-send.ts'
import { isHex } from '../../kernel/nano/hex.ts'
import { type JsonObject, toList, toObject, textOf } from '../../kernel/shape.ts'

/** Most blocks that a node is asked to show. */
const SHOWN_MAX = 512
/** How many of the blocks that the other node lacks are verified. */
const SAMPLE = 8

interface Contest {
  /** The node that counts more blocks. */
  leader: Upstream
  other: Upstream
  random: Random
  /** The least work of a block on our network. */
  threshold: bigint
}

/** Undecided if the other node does not say which blocks it has: that proves nothing for or against the leader. */
type Verdict = 'won' | 'lost' | 'undecided'

/**
 * Whether a node that counts more blocks than another is really ahead. The count itself proves nothing. It is ahead if
 * the other node says that the network is further, or if it shows about as many blocks that the other lacks as its lead
 * suggests, signed by their owners and with work.
 */
async function weighLead(contest: Contest): Promise<Verdict> {
  return (await admitsToBeBehind(contest.other)) ? 'won' : showBlocks(contest)
}

/** Nodes report their counts to each other, so a node that is still catching up knows it. */
async function admitsToBeBehind(node: Upstream): Promise<boolean> {
  const claimed = Number((await tryAsk(node, { action: 'telemetry' }))?.cemented_count)
  return Number.isSafeInteger(claimed) && claimed - node.cemented > LAG_BLOCKS_MAX
}

async function showBlocks({ leader, other, random, threshold }: Contest): Promise<Verdict> {
  const shown = await listShown(leader)
  if (shown.length === 0) return 'lost'
  const request = { action: 'blocks_info', hashes: shown, include_not_found: 'true', json_block: 'true' }
  const answer = await tryAsk(other, request)
  if (!answer) return 'undecided'
  const unfound = new Set(toList(answer.blocks_not_found))
  const missing = shown.filter((hash) => unfound.has(hash))
  // Blocks need some time from node to node: a few missing ones do not mean that a node is hundreds behind.
  const expected = Math.max(1, Math.ceil(Math.min(leader.cemented - other.cemented, shown.length) / 2))
  if (missing.length < expected) {
    // The other node may also claim falsely that it lacks nothing, so it must show the blocks.
    const had = toObject(answer.blocks)
    const unproven = shown.filter((hash) => !readContents(hash, toObject(had[hash]).contents))
    return unproven.length < expected ? 'lost' : 'undecided'
  }
  const sample = pick(missing, SAMPLE, random)
  const reported = await inquire(leader, { action: 'blocks_info', hashes: sample, json_block: 'true' })
  const blocks = toObject(reported?.blocks)
  return sample.every((hash) => isGenuine(hash, toObject(blocks[hash]), threshold)) ? 'won' : 'lost'
}

/** Recently confirmed blocks of a node, from its own list and its websocket. */
async function listShown(node: Upstream): Promise<string[]> {
  const history = await inquire(node, { action: 'confirmation_history' })
  const listed = toList(history?.confirmations)
    .map((entry) => textOf(toObject(entry).hash).toUpperCase())
    .filter((hash) => isHex(hash, 64))
  return [...new Set([...listed.slice(-SHOWN_MAX), ...node.announced])].slice(-SHOWN_MAX)
}

/** Nobody can invent such a block without the key of the account and the work of the network. */
function isGenuine(hash: string, reported: JsonObject, threshold: bigint): boolean {
  return reported.confirmed === 'true' && proveBlock(hash, reported, threshold)?.block.type === 'state'
}

/**
 * Undefined for an unusable answer. Without any answer it throws, which ends the contest: a broken connection proves
 * nothing.
 */
async function inquire(node: Upstream, request: object): Promise<NodeAnswer | undefined> {
  try {
    return await node.inquire(request)
  } catch (error) {
    // A broken connection is an error of the HTTP library and not yet one of ours.
    if (error instanceof UpstreamFailure && error.kind === 'broken') return undefined
    throw toFailure(error)
  }
}

/** The answer of the accused node; undefined if there is none for any reason. */
async function tryAsk(node: Upstream, request: object): Promise<NodeAnswer | undefined> {
  try {
    const answer = await node.inquire(request)
    return answer.error === undefined ? answer : undefined
  } catch {
    // A missing answer proves nothing; probes find out whether the node still works.
    return undefined
  }
}

/** Some entries of a list, at random: a node that invented the list cannot know which ones. */
function pick<T>(list: readonly T[], count: number, random: Random): T[] {
  const left = [...list]
  const picked: T[] = []
  while (picked.length < count && left.length > 0) {
    const [low = 0, high = 0] = random.bytes(2)
    picked.push(...left.splice((low + high * 256) % left.length, 1))
  }
  return picked
}

const STALL_AFTER = 30_000
/** How long a count that two nodes agreed on is remembered when no node reaches it any more. */
const COUNT_KEPT = 600_000
/** How often a node is asked to prove its lead. */
const CONTEST_EVERY = 30_000
/** How long a verdict counts while a node that should prove its lead does not answer. */
const VERDICT_KEPT = 2 * CONTEST_EVERY
/** Blocks per second. A count that grows faster than any network confirms has jumped. */
const GROWTH_MAX = 200

interface ProgressOptions {
  clock: Clock
  random: Random
  failures: Failures
  /** The least work of a block on our network. */
  threshold: bigint
}

/**
 * Decides which nodes are behind, and which only claim to be ahead. A ledger has no block time, so only block counts
 * can be compared, and a count is only a claim. Two nodes with the same count are trusted. A node that counts more than
 * all others must show the blocks that the others lack; until then it is the suspect, and the others are not considered
 * behind. If the others do not say which blocks they have, a node stays trusted that was healthy and has grown step by
 * step.
 */
export class Progress {
  readonly #options: ProgressOptions
  readonly #contests = new Map<string, { at: number; verdict: Verdict }>()
  /** For each node that is behind, the leader that was last seen ahead of it. */
  readonly #leaders = new Map<Upstream, { leader: Upstream; at: number }>()
  /** The count of each node when it was last trusted; removed when it becomes a suspect. */
  readonly #trusted = new Map<Upstream, { count: number; at: number }>()
  /** The highest count that two nodes had in common. */
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
      // While it is asked for proof, the node is not used, unless it has won a contest before and has not jumped since.
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
    // On a quiet network it is normal that a count stands still. So the node that moves must show what the other one
    // missed.
    other.lagging = isFar || (stands && (await this.#weigh(best, [other], now)) === 'won')
    // This node claims no more than the best one has.
    other.overcounts = false
    if (other.lagging) this.#leaders.set(other, { leader: best, at: now })
    else this.#leaders.delete(other)
  }

  /** If no node is ahead of it any more, what was known earlier counts for a while. */
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

  /** Which node is trusted if nothing can be proved: an earlier leader or, if none is known, a primary node. */
  #isPresumed(leader: Upstream, peers: readonly Upstream[], now: number): boolean {
    // Two nodes with the same count are trusted, unless both are stuck.
    if (peers.length > 1 && peers.some(({ progressedAt }) => now - progressedAt <= STALL_AFTER)) return false
    const outranks = leader.options.role === 'primary' && peers.every(({ options }) => options.role === 'fallback')
    return this.#isSteady(leader, now) || (outranks && !leader.overcounts)
  }

  /** Whether the node was trusted before, and has grown step by step since. */
  #isSteady(upstream: Upstream, now: number): boolean {
    const before = this.#trusted.get(upstream)
    if (!before || now - before.at > COUNT_KEPT) return false
    return upstream.cemented - before.count <= (GROWTH_MAX * (now - before.at)) / 1_000
  }

  /** What is known about a lead without asking nodes. */
  #known(top: Upstream, next: Upstream, now: number): Verdict | undefined {
    if (this.#isBelowAgreed(next)) return 'won'
    const contest = this.#contests.get(pair(top, next))
    return contest && now - contest.at < CONTEST_EVERY ? contest.verdict : undefined
  }

  /** If several nodes have the same lower count, the first one that answers decides. */
  async #weigh(leader: Upstream, peers: readonly Upstream[], now: number): Promise<Verdict | undefined> {
    let verdict: Verdict | undefined
    for (const peer of peers) {
      verdict = this.#known(leader, peer, now) ?? (await this.#contest(leader, peer, now))
      if (verdict !== 'undecided') break
    }
    return verdict
  }

  /** Undefined if the leader could not be asked, so that nothing is known. */
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
      // Nothing is proved yet; the next probe asks again. Until then the last verdict counts, unless the count has jumped.
      const before = this.#contests.get(pair(leader, other))
      const counts = before && now - before.at < VERDICT_KEPT && this.#isSteady(leader, now)
      return counts ? before.verdict : undefined
    }
  }
}

const pair = ({ options: { name: a } }: Upstream, { options: { name: b } }: Upstream) => JSON.stringify([a, b])
