import type { PublicKey } from '../../kernel/nano/address.ts'
import { type Vote, isFinalVote, readVote, verifyVote } from '../../kernel/nano/vote.ts'
import type { Clock, CollectedVotes, VotePort } from '../../kernel/ports.ts'
import { RecentVotes, scanFinalVote } from './recent-votes.ts'
import type { KnownWeights } from './representative-weights.ts'

const WAITED_FOR = 60_000
/** If nobody has asked about an announced block by then, it is not a payment. */
const EXPECTED_FOR = 120_000
const BLOCKS_MAX = 2_000
const BYTES_MAX = 32 * 1024 * 1024
/** A node can invent votes, so memory is limited for each node, each block and each representative. */
const BYTES_OF_NODE_MAX = 2 * 1024 * 1024
const VOTES_OF_ONE_MAX = 2

interface Candidate {
  vote: Vote
  node: RecentVotes
}

/** A block whose votes are kept. */
interface Case {
  since: number
  /** The account of the block, as reported by a node. */
  payer: string
  /** Votes that are not verified yet, by representative. */
  candidates: Map<PublicKey, Candidate[]>
  verified: Map<PublicKey, Vote>
  /** How much memory each node's votes for it take. */
  bytes: Map<RecentVotes, number>
  wait: { weights: KnownWeights; done(votes: CollectedVotes | undefined): void } | undefined
}

interface VotesOptions {
  clock: Clock
  weights: { read(): Promise<KnownWeights> }
}

/** Keeps final votes for blocks that concern us until enough weight is verified, and drops all others. */
export class Votes implements VotePort {
  readonly #options: VotesOptions
  readonly #recent: RecentVotes[] = []
  readonly #cases = new Map<string, Case>()
  #bytes = 0
  #closed = false

  constructor(options: VotesOptions) {
    this.#options = options
  }

  get bytes(): number {
    return this.#bytes
  }

  /**
   * Returns a function that takes one node's votes. Each node has its own share of memory, so no node can displace the
   * votes of another.
   */
  openNode(): (text: string) => void {
    const recent = new RecentVotes(this.#options.clock)
    this.#recent.push(recent)
    return (text) => {
      const hashes = scanFinalVote(text)
      if (hashes.length === 0) return
      recent.add(text, hashes)
      for (const hash of hashes) {
        const one = this.#cases.get(hash)
        if (one && this.#note(hash, one, recent, text)) this.#decide(hash, one)
      }
    }
  }

  expect(hash: string, payer = ''): void {
    if (this.#cases.has(hash)) return
    const now = this.#options.clock.now()
    const one: Case = {
      since: now,
      payer,
      candidates: new Map(),
      verified: new Map(),
      bytes: new Map(),
      wait: undefined,
    }
    this.#cases.set(hash, one)
    for (const node of this.#recent) {
      for (const text of node.listFor(hash)) this.#note(hash, one, node, text)
    }
    for (const [old, { since, wait }] of this.#cases) {
      if (now - since <= EXPECTED_FOR || wait !== undefined) break
      this.#end(old, undefined)
    }
    while (this.#cases.size > BLOCKS_MAX || this.#bytes > BYTES_MAX) {
      for (const least of this.#listLeast()) this.#end(least, undefined)
    }
  }

  /**
   * The blocks to drop when too many are announced: never one that already counts as a payment, but some of the oldest
   * of the payer who announced the most. A payer who sends much dust to an address cannot displace the payment of
   * another.
   */
  #listLeast(): string[] {
    const cases = [...this.#cases]
    const announced = cases.filter(([, { wait }]) => wait === undefined)
    const byPayer = Map.groupBy(announced.length > 0 ? announced : cases, ([, { payer }]) => payer)
    const most = [...byPayer.values()].reduce((all, one) => (one.length > all.length ? one : all))
    return most.slice(0, Math.ceil(most.length / 8)).map(([hash]) => hash)
  }

  async collect(hash: string): Promise<CollectedVotes | undefined> {
    this.expect(hash)
    const weights = await this.#options.weights.read()
    const one = this.#cases.get(hash)
    if (!one || one.wait || this.#closed) return undefined
    const { promise, resolve } = Promise.withResolvers<CollectedVotes | undefined>()
    const cancel = this.#options.clock.after(WAITED_FOR, () => this.#end(hash, undefined))
    one.wait = {
      weights,
      done(votes) {
        cancel()
        resolve(votes)
      },
    }
    this.#decide(hash, one)
    return promise
  }

  close(): void {
    this.#closed = true
    for (const hash of [...this.#cases.keys()]) this.#end(hash, undefined)
  }

  /** Keeps an unverified vote for a block; returns whether it may be useful. */
  #note(hash: string, one: Case, node: RecentVotes, text: string): boolean {
    const bytes = (one.bytes.get(node) ?? 0) + text.length
    if (bytes > BYTES_OF_NODE_MAX) return false
    const vote = parse(text)
    if (!vote || !isFinalVote(vote) || !vote.hashes.includes(hash)) return false
    const { representative, signature } = vote
    const known = one.candidates.get(representative) ?? []
    const weights = one.wait?.weights.weights
    if (one.verified.has(representative) || (weights && !weights.has(representative))) return false
    if (known.filter((other) => other.node === node).length >= VOTES_OF_ONE_MAX) return false
    if (known.some((other) => other.vote.signature === signature)) return false
    one.candidates.set(representative, [...known, { vote, node }])
    one.bytes.set(node, bytes)
    this.#bytes += text.length
    return true
  }

  /**
   * Verifies the votes with the most weight first, and only if all together could be enough, because verifying
   * signatures is expensive.
   */
  #decide(hash: string, one: Case): void {
    if (!one.wait) return
    const { weights, ...known } = one.wait.weights
    const weightOf = (key: PublicKey) => weights.get(key) ?? 0n
    const sum = (keys: Iterable<PublicKey>) => [...new Set(keys)].reduce((all, key) => all + weightOf(key), 0n)
    let weight = sum(one.verified.keys())
    if (sum([...one.verified.keys(), ...one.candidates.keys()]) <= known.quorumRaw) return
    const weighty = [...one.candidates].filter(([key]) => weights.has(key))
    const heaviest = weighty.sort(([a], [b]) => (weightOf(a) < weightOf(b) ? 1 : -1))
    for (const [key, candidates] of heaviest) {
      one.candidates.delete(key)
      const found = candidates.find(({ vote }) => verifyVote(vote))
      if (!found) continue
      one.verified.set(key, found.vote)
      weight += weightOf(key)
      if (weight > known.quorumRaw) {
        this.#end(hash, { ...known, votes: [...one.verified.values()], weightOf })
        return
      }
    }
  }

  #end(hash: string, votes: CollectedVotes | undefined): void {
    const one = this.#cases.get(hash)
    if (!one) return
    this.#cases.delete(hash)
    for (const bytes of one.bytes.values()) this.#bytes -= bytes
    one.wait?.done(votes)
  }
}

function parse(text: string): Vote | undefined {
  try {
    return readVote((JSON.parse(text) as { message?: unknown } | null)?.message)
  } catch {
    // Not JSON, so it is ignored.
    return undefined
  }
}
