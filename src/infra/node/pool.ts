import type { Clock } from '../../kernel/ports.ts'
import { UpstreamFailure } from './failure.ts'
import { Upstream, type UpstreamOptions } from './upstream.ts'

const PROBE_EVERY = 3_000
const PROBE_TIMEOUT = 2_000
const LAG_BLOCKS_MAX = 500
const STALL_AFTER = 30_000
/** How long the count of a node that went silent still tells how far the others should be. */
const COUNT_KEPT = 600_000
/** By then every node has heard of a block, or lags so far that probes tell. */
const HOLD_FOR = 60_000
const HELD_MAX = 10_000
const PROBE = JSON.stringify({ action: 'block_count' })

/**
 * The nodes, and which of them to ask. Health comes from probes and from what requests meet; the order for a request
 * depends on its account, so that one account is served by one node and never sees an older state after a newer one.
 */
export class UpstreamPool {
  readonly upstreams: readonly Upstream[]
  readonly #clock: Clock
  readonly #holders = new Map<string, { upstream: Upstream; until: number }>()
  #cancelProbe: (() => void) | undefined
  #closed = false

  constructor(options: readonly UpstreamOptions[], clock: Clock) {
    this.#clock = clock
    this.upstreams = options.map((upstream) => new Upstream(upstream, clock))
  }

  /** Looks at every node once, then again and again; resolves after the first look. */
  async start(): Promise<void> {
    await this.#probeAll()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelProbe?.()
    await Promise.all(this.upstreams.map((upstream) => upstream.close()))
  }

  /** The nodes to try for a request, best first: by its key, but whoever holds what it is about before all others. */
  order(key: string, touched: readonly string[] = [key]): Upstream[] {
    if (this.upstreams.length === 1) return [...this.upstreams]
    const ranked = this.upstreams
      .map((upstream) => ({ upstream, primary: upstream.options.role === 'primary', rank: rankOf(upstream, key) }))
      .sort((a, b) => Number(b.primary) - Number(a.primary) || b.rank - a.rank)
      .map(({ upstream }) => upstream)
    const failing = ranked.filter((upstream) => !upstream.reachable && !upstream.lagging)
    const healthy = ranked.filter((upstream) => upstream.healthy)
    // When all look bad, our judgement is the likelier fault: use them all rather than fail, the stale ones last.
    if (healthy.length === 0) return [...failing, ...ranked.filter((upstream) => upstream.lagging)]
    const holder = this.#findHolder(touched)
    if (holder?.healthy) return [holder, ...healthy.filter((upstream) => upstream !== holder), ...failing]
    return [...healthy, ...failing]
  }

  /** A node that took a block knows of it before the others do: for a while it is asked first about what changed. */
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

  /** The node that took a block about these lately, if it is well. */
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
    await Promise.all(this.upstreams.map((upstream) => this.#probe(upstream)))
    const now = this.#clock.now()
    // A ledger never shrinks: what a node had before it went silent still tells how far the others should be.
    const longest = yardstick(this.upstreams.filter(({ reachable, seenAt }) => reachable || now - seenAt < COUNT_KEPT))
    const moving = yardstick(this.upstreams.filter(({ reachable }) => reachable))
    for (const upstream of this.upstreams) {
      const stalled = upstream.cemented < moving && now - upstream.progressedAt > STALL_AFTER
      upstream.lagging = stalled || longest - upstream.cemented > LAG_BLOCKS_MAX
    }
    if (!this.#closed) this.#cancelProbe = this.#clock.after(PROBE_EVERY, () => void this.#probeAll())
  }

  async #probe(upstream: Upstream): Promise<void> {
    const wasReachable = upstream.reachable
    try {
      const { cemented } = await upstream.call(PROBE, PROBE_TIMEOUT)
      const count = typeof cemented === 'string' && cemented !== '' ? Number(cemented) : NaN
      if (!Number.isSafeInteger(count)) throw new UpstreamFailure('broken', 'the node does not count its blocks')
      if (count !== upstream.cemented) upstream.progressedAt = this.#clock.now()
      upstream.cemented = count
      upstream.seenAt = this.#clock.now()
      if (!wasReachable) upstream.forgive()
    } catch {
      upstream.reachable = false
    }
  }
}

/** How far a node should be. Nodes are trusted this far: one that counts blocks it does not have makes the others look late. */
function yardstick(upstreams: readonly Upstream[]): number {
  return Math.max(0, ...upstreams.map(({ cemented }) => cemented))
}

/** Weighted rendezvous hashing: losing a node moves only the accounts it served. */
function rankOf(upstream: Upstream, key: string): number {
  const { name, weight } = upstream.options
  const uniform = (hash(`${name}:${key}`) + 1) / 4_294_967_297
  return -weight / Math.log(uniform)
}

/** FNV-1a with a final mix, because neighbouring keys must not fall together. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d)
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b)
  return (value ^ (value >>> 16)) >>> 0
}
