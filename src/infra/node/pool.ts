import type { Failures } from '../../kernel/failures.ts'
import { WORK_THRESHOLDS } from '../../kernel/nano/work.ts'
import type { Clock, Random } from '../../kernel/ports.ts'
import { UpstreamFailure, toFailure } from './failure.ts'
import type { OurLedger } from './identity.ts'
import { INQUIRY_TIMEOUT } from './limits.ts'
import { Progress } from './progress.ts'
import { type NodeState, Upstream, type UpstreamOptions } from './upstream.ts'

const PROBE_EVERY = 3_000
/** How often the ledger of a healthy node is verified. */
const VERIFY_EVERY = 60_000
/** After this time every node has the block, or is so far behind that probes notice. */
const HOLD_FOR = 60_000
const HELD_MAX = 10_000
const PROBE = JSON.stringify({ action: 'block_count' })

interface PoolOptions {
  clock: Clock
  random: Random
  failures: Failures
  /** The ledger that all nodes must have. If its first block is unknown, the nodes must agree on one. */
  ledger: OurLedger
  /** Called when a node's state changes, and once for each node after the first probe. */
  onState?: ((upstream: Upstream) => void) | undefined
  onLearned?: ((genesis: string) => void) | undefined
  /** Called when something new is known about a node. */
  onLook?: (() => void) | undefined
}

/**
 * The nodes, and the order in which to ask them. Health is known from probes and requests. The order depends on the
 * account of a request: one node serves an account, so that nobody sees an older state after a newer one.
 */
export class UpstreamPool {
  readonly ledger: OurLedger
  readonly upstreams: readonly Upstream[]
  /** How often all nodes have been probed. */
  looks = 0
  readonly #clock: Clock
  readonly #progress: Progress
  readonly #onState: PoolOptions['onState']
  readonly #onLook: PoolOptions['onLook']
  readonly #onLearned: PoolOptions['onLearned']
  readonly #states = new Map<Upstream, NodeState>()
  readonly #holders = new Map<string, { upstream: Upstream; until: number }>()
  #cancelProbe: (() => void) | undefined
  #closed = false
  /** True during a probe, while states may still change. */
  #judging = false

  constructor(nodes: readonly UpstreamOptions[], options: PoolOptions) {
    const { clock, random, failures, ledger, onState, onLearned, onLook } = options
    this.#clock = clock
    this.#onState = onState
    this.#onLook = onLook
    this.#onLearned = onLearned
    this.ledger = { ...ledger }
    // A development ledger that requires live work still has blocks with less: its own, and earlier ones.
    this.#progress = new Progress({ clock, random, failures, threshold: WORK_THRESHOLDS[ledger.network].receive })
    const onChange = () => {
      this.#reportStates()
      onLook?.()
    }
    const part = { clock, ours: this.ledger, onChange }
    this.upstreams = nodes.map((node) => new Upstream(node, part))
  }

  /** Probes every node now and then; resolves after the first probe. */
  async start(): Promise<void> {
    await this.#probeAll()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelProbe?.()
    await Promise.all(this.upstreams.map((upstream) => upstream.close()))
  }

  /** The least work of a block on our network. A development ledger may require any work, or none. */
  get leastWork(): bigint {
    const { network } = this.ledger
    const { receive } = WORK_THRESHOLDS[network]
    const asked = network === 'dev' ? this.upstreams.map(({ reported }) => reported?.receive ?? receive) : []
    return asked.reduce((least, one) => (one < least ? one : least), receive)
  }

  /**
   * The nodes to try for a request, best first. The order depends on the key, but a node that is known to have what the
   * request is about comes first.
   */
  order(key: string, touched: readonly string[] = [key]): Upstream[] {
    // A node with another ledger, or a suspect, is never asked, even if all others fail.
    const eligible = this.upstreams.filter(({ belongs, suspect }) => belongs !== false && !suspect)
    if (eligible.length < 2) return eligible
    const ranked = eligible
      .map((upstream) => ({ upstream, primary: upstream.options.role === 'primary', rank: rankOf(upstream, key) }))
      .sort((a, b) => Number(b.primary) - Number(a.primary) || b.rank - a.rank)
      .map(({ upstream }) => upstream)
    const failing = ranked.filter((upstream) => !upstream.healthy && !upstream.lagging)
    const healthy = ranked.filter((upstream) => upstream.healthy)
    // If all nodes look bad, the problem is probably on our side. Use them all instead of failing; those that lag come last.
    if (healthy.length === 0) return [...failing, ...ranked.filter((upstream) => upstream.lagging)]
    const holder = this.#findHolder(touched)
    if (holder?.healthy) return [holder, ...healthy.filter((upstream) => upstream !== holder), ...failing]
    return [...healthy, ...failing]
  }

  /**
   * A node that accepted a block has it before the others, so for a while it is asked first about the changed accounts.
   */
  hold(keys: readonly string[], upstream: Upstream): void {
    const until = this.#clock.now() + HOLD_FOR
    for (const key of keys) {
      this.#holders.delete(key)
      this.#holders.set(key, { upstream, until })
    }
    for (const [oldest] of this.#holders) {
      if (this.#holders.size <= HELD_MAX) break
      this.#holders.delete(oldest)
    }
  }

  /** The node that recently accepted a block about these keys, if that node is healthy. */
  holderOf(keys: readonly string[]): Upstream | undefined {
    const holder = this.#findHolder(keys)
    return holder?.healthy ? holder : undefined
  }

  #findHolder(keys: readonly string[]): Upstream | undefined {
    if (this.#holders.size === 0) return undefined
    const now = this.#clock.now()
    return keys.map((key) => this.#holders.get(key)).find((held) => held !== undefined && held.until > now)?.upstream
  }

  async #probeAll(): Promise<void> {
    const counts = await Promise.all(this.upstreams.map((upstream) => this.#look(upstream)))
    this.#learnGenesis()
    // Noted together, so that a returning node serves nobody before it is compared with the others.
    for (const [at, upstream] of this.upstreams.entries()) this.#note(upstream, counts[at])
    this.#judging = true
    await this.#progress.judge(this.upstreams).finally(() => (this.#judging = false))
    this.#reportStates(true)
    this.#onLook?.()
    if (!this.#closed) this.#cancelProbe = this.#clock.after(PROBE_EVERY, () => void this.#probeAll())
    this.looks++
  }

  /** Reads a node's block count. Also verifies its ledger if that is due, or if the node had been lost. */
  async #look(upstream: Upstream): Promise<number | undefined> {
    const { reachable, belongs, verifiedAt } = upstream
    const isDue = !reachable || belongs !== true || this.#clock.now() - verifiedAt >= VERIFY_EVERY
    const [count] = await Promise.all([this.#count(upstream), isDue ? upstream.verify() : undefined])
    return count
  }

  /** Undefined if the node does not answer. */
  async #count(upstream: Upstream): Promise<number | undefined> {
    try {
      const { cemented } = await upstream.call(PROBE, INQUIRY_TIMEOUT)
      const count = typeof cemented === 'string' && cemented !== '' ? Number(cemented) : NaN
      if (!Number.isSafeInteger(count)) throw new UpstreamFailure('broken', 'it does not count its blocks')
      return count
    } catch (error) {
      // The node becomes lost, and the change of its state is logged.
      upstream.failure = toFailure(error).message
      return undefined
    }
  }

  #note(upstream: Upstream, count: number | undefined): void {
    if (count === undefined) {
      upstream.lose()
      return
    }
    if (count !== upstream.cemented) upstream.progressedAt = this.#clock.now()
    upstream.cemented = count
    upstream.cementedMost = Math.max(upstream.cementedMost, count)
    if (!upstream.reachable) upstream.forgive()
  }

  /** A network that is restarted at times has no first block known in advance, so most nodes must agree on one. */
  #learnGenesis(): void {
    if (this.ledger.genesis !== undefined) return
    const votes = this.upstreams
      .filter(({ reported }) => reported?.network === this.ledger.network)
      .map(({ reported }) => reported?.genesis)
      .filter((genesis) => genesis !== undefined)
    const [first] = votes
    const isCommon = (genesis: string) => votes.filter((vote) => vote === genesis).length * 2 > this.upstreams.length
    const learned = votes.every((vote) => vote === first) ? first : votes.find(isCommon)
    if (learned === undefined) return
    this.ledger.genesis = learned
    this.#onLearned?.(learned)
    for (const upstream of this.upstreams) upstream.compare()
  }

  /**
   * Reports nodes whose state has changed since the last report; during a probe only nodes that were reported before.
   */
  #reportStates(all = false): void {
    if (this.#judging) return
    for (const upstream of this.upstreams) {
      const before = this.#states.get(upstream)
      if (before === upstream.state || (before === undefined && !all)) continue
      this.#states.set(upstream, upstream.state)
      this.#onState?.(upstream)
    }
  }
}

/** Weighted rendezvous hashing: if a node fails, only its own accounts move to other nodes. */
function rankOf(upstream: Upstream, key: string): number {
  const { name, weight } = upstream.options
  const uniform = (hash(`${name}:${key}`) + 1) / 4_294_967_297
  return -weight / Math.log(uniform)
}

/** FNV-1a with a final mix, so that similar keys get different ranks. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d)
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b)
  return (value ^ (value >>> 16)) >>> 0
}
