import type { Clock } from '../../kernel/ports.ts'
import { Upstream, type UpstreamOptions } from './upstream.ts'

const PROBE_EVERY = 3_000
const PROBE_TIMEOUT = 2_000
const LAG_BLOCKS_MAX = 500
const STALL_AFTER = 30_000
const PROBE = JSON.stringify({ action: 'block_count' })

/**
 * The nodes, and which of them to ask. Health comes from probes and from what requests meet; the order for a request
 * depends on its account, so that one account is served by one node and never sees an older state after a newer one.
 */
export class UpstreamPool {
  readonly upstreams: readonly Upstream[]
  readonly #clock: Clock
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

  /** The nodes to try for a request, best first. */
  order(key: string): Upstream[] {
    if (this.upstreams.length === 1) return [...this.upstreams]
    const ranked = this.upstreams
      .map((upstream) => ({ upstream, rank: rankOf(upstream, key) }))
      .sort((a, b) => b.rank - a.rank)
      .map(({ upstream }) => upstream)
    const healthy = ranked.filter((upstream) => upstream.healthy)
    // When all look bad, our judgement is the likelier fault: use them all rather than fail.
    if (healthy.length === 0) return ranked
    return [...healthy, ...ranked.filter((upstream) => !upstream.healthy && !upstream.lagging)]
  }

  async #probeAll(): Promise<void> {
    await Promise.all(this.upstreams.map((upstream) => this.#probe(upstream)))
    const best = Math.max(...this.upstreams.map(({ reachable, cemented }) => (reachable ? cemented : 0)))
    const now = this.#clock.now()
    for (const upstream of this.upstreams) {
      const stalled = upstream.cemented < best && now - upstream.progressedAt > STALL_AFTER
      upstream.lagging = stalled || best - upstream.cemented > LAG_BLOCKS_MAX
    }
    if (!this.#closed) this.#cancelProbe = this.#clock.after(PROBE_EVERY, () => void this.#probeAll())
  }

  async #probe(upstream: Upstream): Promise<void> {
    const wasReachable = upstream.reachable
    try {
      const { cemented } = await upstream.call(PROBE, PROBE_TIMEOUT, AbortSignal.timeout(PROBE_TIMEOUT))
      const count = Number(cemented)
      if (count !== upstream.cemented) upstream.progressedAt = this.#clock.now()
      upstream.cemented = Number.isFinite(count) ? count : 0
      if (!wasReachable) upstream.forgive()
    } catch {
      upstream.reachable = false
    }
  }
}

/** Weighted rendezvous hashing: losing a node moves only the accounts it served. */
function rankOf(upstream: Upstream, key: string): number {
  const { name, weight, role } = upstream.options
  const uniform = (hash(`${name}:${key}`) + 1) / 4_294_967_297
  const rank = -weight / Math.log(uniform)
  return role === 'primary' ? rank + 1e9 : rank
}

/** FNV-1a with a final mix, because neighbouring keys must not fall together. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d)
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b)
  return (value ^ (value >>> 16)) >>> 0
}
