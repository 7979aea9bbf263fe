import type { Failures } from '../../kernel/failures.ts'
import { WORK_THRESHOLDS } from '../../kernel/nano/work.ts'
import type { Clock, Random } from '../../kernel/ports.ts'
import { UpstreamFailure, toFailure } from './failure.ts'
import type { OurLedger } from './identity.ts'
import { INQUIRY_TIMEOUT } from './limits.ts'
import { Progress } from './progress.ts'
import { type NodeState, Upstream, type UpstreamOptions } from './upstream.ts'

const PROBE_EVERY = 3_000
/** How often the ledger of a healthy node is verified again. */
const VERIFY_EVERY = 60_000
/** By then every node has received a block, or lags so far that probes find out. */
const HOLD_FOR = 60_000
const HELD_MAX = 10_000
const PROBE = JSON.stringify({ action: 'block_count' })

interface PoolOptions {
  clock: Clock
  random: Random
  failures: Failures
  /** The ledger that all nodes must have. An unknown first block is learned from the nodes, if they agree. */
  ledger: OurLedger
  /** Called whenever a node's state changes, and once for each after the first probe. */
  onState?: ((upstream: Upstream) => void) | undefined
  onLearned?: ((genesis: string) => void) | undefined
  /** Called whenever something new is known about a node. */
  onLook?: (() => void) | undefined
}

/**
 * The nodes, and which of them to ask. Health is known from probes and from requests; the order for a request
 * depends on its account, so that one account is served by one node and never sees an older state after a newer one.
 */
export class UpstreamPool {
  readonly ledger: OurLedger
  readonly upstreams: readonly Upstream[]
  /** How often all nodes were probed. */
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
  /** Set during a probe, when a state may still change. */
  #judging = false

  constructor(nodes: readonly UpstreamOptions[], options: PoolOptions) {
    const { clock, random, failures, ledger, onState, onLearned, onLook } = options
    this.#clock = clock
    this.#onState = onState
    this.#onLook = onLook
    this.#onLearned = onLearned
    this.ledger = { ...ledger }
    // A development ledger that requires live work has blocks with less: its own, and those from before.
    this.#progress = new Progress({ clock, random, failures, threshold: WORK_THRESHOLDS[ledger.network].receive })
    const onChange = () => {
      this.#reportStates()
      onLook?.()
    }
    const part = { clock, ours: this.ledger, onChange }
    this.upstreams = nodes.map((node) => new Upstream(node, part))
  }

  /** Probes every node once, then again and again; resolves after the first probe. */
  async start(): Promise<void> {
    await this.#probeAll()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelProbe?.()
    await Promise.all(this.upstreams.map((upstream) => upstream.close()))
  }

  /** The least work of a block on our network. Development ledgers may require any work, or none. */
  get leastWork(): bigint {
    const { network } = this.ledger
    const { receive } = WORK_THRESHOLDS[network]
    const asked = network === 'dev' ? this.upstreams.map(({ reported }) => reported?.receive ?? receive) : []
    return asked.reduce((least, one) => (one < least ? one : least), receive)
  }

  /** The nodes to try for a request, best first: by its key, but a node that holds what it is about comes first. */
  order(key: string, touched: readonly string[] = [key]): Upstream[] {
    // A node with another ledger, or one that is suspect, is never asked, whatever happens to the others.
    const eligible = this.upstreams.filter(({ belongs, suspect }) => belongs !== false && !suspect)
    if (eligible.length < 2) return eligible
    const ranked = eligible
      .map((upstream) => ({ upstream, primary: upstream.options.role === 'primary', rank: rankOf(upstream, key) }))
      .sort((a, b) => Number(b.primary) - Number(a.primary) || b.rank - a.rank)
      .map(({ upstream }) => upstream)
    const failing = ranked.filter((upstream) => !upstream.healthy && !upstream.lagging)
    const healthy = ranked.filter((upstream) => upstream.healthy)
    // When all nodes look bad, our own view is probably wrong: use them all instead of failing, lagging ones last.
    if (healthy.length === 0) return [...failing, ...ranked.filter((upstream) => upstream.lagging)]
    const holder = this.#findHolder(touched)
    if (holder?.healthy) return [holder, ...healthy.filter((upstream) => upstream !== holder), ...failing]
    return [...healthy, ...failing]
  }

  /** A node that accepted a block knows it before the others do: for a while it is asked first about what changed. */
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

  /** The node that recently accepted a block about these keys, if it is healthy. */
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
    // All at once: a node that comes back serves no caller before it is compared with the others.
    for (const [at, upstream] of this.upstreams.entries()) this.#note(upstream, counts[at])
    this.#judging = true
    await this.#progress.judge(this.upstreams).finally(() => (this.#judging = false))
    this.#reportStates(true)
    this.#onLook?.()
    if (!this.#closed) this.#cancelProbe = this.#clock.after(PROBE_EVERY, () => void this.#probeAll())
    this.looks++
  }

  /** Reads a node's block count and, if it is time or the node was lost, verifies its ledger. */
  async #look(upstream: Upstream): Promise<number | undefined> {
    const { reachable, belongs, verifiedAt } = upstream
    const isDue = !reachable || belongs !== true || this.#clock.now() - verifiedAt >= VERIFY_EVERY
    const [count] = await Promise.all([this.#count(upstream), isDue ? upstream.verify() : undefined])
    return count
  }

  /** Undefined when it does not answer. */
  async #count(upstream: Upstream): Promise<number | undefined> {
    try {
      const { cemented } = await upstream.call(PROBE, INQUIRY_TIMEOUT)
      const count = typeof cemented === 'string' && cemented !== '' ? Number(cemented) : NaN
      if (!Number.isSafeInteger(count)) throw new UpstreamFailure('broken', 'it does not count its blocks')
      return count
    } catch (error) {
      // The node is then lost, and its change of state is logged.
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

  /** The first block of a network that is restarted now and then cannot be known in advance; most of the nodes must agree on one. */
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

  /** Reports every node whose state differs from the last report; during a probe only nodes that were reported before. */
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

/** Weighted rendezvous hashing: losing a node moves only the accounts that it served. */
function rankOf(upstream: Upstream, key: string): number {
  const { name, weight } = upstream.options
  const uniform = (hash(`${name}:${key}`) + 1) / 4_294_967_297
  return -weight / Math.log(uniform)
}

/** FNV-1a with a final mix, because similar keys must not get similar ranks. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d)
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b)
  return (value ^ (value >>> 16)) >>> 0
}
