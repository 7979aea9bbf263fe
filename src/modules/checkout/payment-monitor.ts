import { BoundedSet } from '../../kernel/bounded-set.ts'
import { isOutage } from '../../kernel/failures.ts'
import { type Announced, type FeedConsumer, LedgerFeed } from '../../kernel/feed/ledger-feed.ts'
import type { Clock, ConfirmationBus, NodePort } from '../../kernel/ports.ts'
import { asStep } from '../../kernel/traces.ts'
import type { CheckoutContext } from './context.ts'
import { creditSend } from './domain/credit.ts'
import { readPlaces, readSends } from './domain/read-ledger.ts'
import { type ScanTools, hasStuck, resolveStuck, scanAddresses } from './domain/scan.ts'
import { listRecorded } from './payments-store.ts'
import { type WatchedAddress, listFresh, listWatched } from './watch-store.ts'
import { claimScans, hasDueScans, hastenPage, hastenScans } from './scans-store.ts'

/** Longer than any look takes; when an instance dies, others take over its addresses after this. */
const LEASE = 60_000
/** How soon a look is repeated after a node did not answer. */
const AFTER_FAILURE = 2_000
const ADDRESSES_AT_ONCE = 100
const BLOCKS_AT_ONCE = 100
const STUCK_AT_ONCE = 100
const SETTLED_MAX = 200_000
/** How often a payer who watches the page may request a look; less often while the ledger's events arrive. */
const NUDGE_EVERY = 3_000
const NUDGE_EVERY_CONNECTED = 15_000
const NUDGED_MAX = 50_000

interface PaymentMonitorOptions {
  ctx: CheckoutContext
  node: NodePort
  bus: ConfirmationBus
  clock: Clock
  turnOf(hash: string): number | undefined
  onError(error: unknown, doing: string): void
}

/** Finds payments. The ledger's events and the monitor's own looks end in the same function, which credits a block once. */
export class PaymentMonitor implements FeedConsumer {
  readonly feed: LedgerFeed
  readonly #options: PaymentMonitorOptions
  readonly #settled = new BoundedSet(SETTLED_MAX)
  readonly #tools: ScanTools
  readonly #nudged = new Map<string, number>()
  readonly #queue = new Map<string, Announced>()

  constructor(options: PaymentMonitorOptions) {
    this.#options = options
    const { ctx, bus, clock, turnOf, onError: failed } = options
    this.feed = new LedgerFeed({ bus, clock, random: ctx.random, turnOf, failed }, this)
    this.#tools = { node: options.node, settled: this.#settled, receivesEvents: () => bus.connected }
  }

  /** A payer waits at this address: requests a look soon, but not more often than is useful. */
  nudge(address: string): void {
    const { clock, bus } = this.#options
    const now = clock.now()
    const every = bus.connected ? NUDGE_EVERY_CONNECTED : NUDGE_EVERY
    if (now - (this.#nudged.get(address) ?? 0) < every) return
    this.#nudged.delete(address)
    this.#nudged.set(address, now)
    if (this.#nudged.size > NUDGED_MAX) this.#nudged.delete(this.#nudged.keys().next().value!)
    this.feed.run('nudge', () => this.#hasten(address))
  }

  listAddresses(page: { after: string; limit: number }): Promise<string[]> {
    const { ctx, clock } = this.#options
    return listWatched(ctx.db, { now: clock.now(), ...page })
  }

  listFresh(page: { since: number; after: string; limit: number }): Promise<string[]> {
    return listFresh(this.#options.ctx.db, page)
  }

  hastenPage(page: { at: number; after: string; limit: number }): Promise<string | undefined> {
    return hastenPage(this.#options.ctx.db, page)
  }

  /** Votes for the block may arrive before this queue reaches it, so collect them from now on. */
  noted({ hash, direction, payer }: Announced): void {
    if (direction === 'received') this.#options.ctx.ports.proofs.expect(hash, payer)
  }

  isSettled({ hash }: Announced): boolean {
    return this.#settled.has(hash)
  }

  add(announced: Announced): void {
    const { hash, direction, tries } = announced
    if (direction === 'received')
      this.#queue.set(hash, { ...announced, tries: Math.min(tries, this.#queue.get(hash)?.tries ?? tries) })
  }

  get isWaiting(): boolean {
    return this.#queue.size > 0
  }

  async work(): Promise<readonly Announced[]> {
    // Takes a part of the queue: when payments pile up, copying all of it for every batch would cost more than the payments.
    const batch = new Map<string, Announced>()
    for (const [hash, announced] of this.#queue) if (batch.set(hash, announced).size === BLOCKS_AT_ONCE) break
    for (const hash of batch.keys()) this.#queue.delete(hash)
    try {
      await this.#credit(batch)
    } catch (error) {
      this.#options.onError(error, 'read blocks')
    }
    return [...batch.values()]
  }

  giveUp({ address }: Announced): Promise<void> {
    return this.#hasten(address)
  }

  hasDue(): Promise<boolean> {
    const { ctx, clock } = this.#options
    return hasDueScans(ctx.db, clock.now())
  }

  async lookDue(): Promise<boolean> {
    const { ctx, clock } = this.#options
    const now = clock.now()
    const leaseUntil = now + LEASE
    const watched = await claimScans(ctx.db, ctx.ports.engine, { now, leaseUntil, limit: ADDRESSES_AT_ONCE })
    try {
      if (watched.length > 0) await scanAddresses(ctx, this.#tools, { watched, leaseUntil })
    } catch (error) {
      if (isOutage(error) || watched.length === 1) {
        const addresses = watched.map(({ address }) => address)
        await hastenScans(ctx.db, addresses, clock.now() + AFTER_FAILURE)
        throw error
      }
      await this.#scanEach(watched, leaseUntil)
    }
    return watched.length === ADDRESSES_AT_ONCE
  }

  async besides(): Promise<void> {
    const { ctx } = this.#options
    if (await hasStuck(ctx)) await resolveStuck(ctx, this.#tools, STUCK_AT_ONCE)
  }

  /** Credits final sends, and removes from the batch what needs no second try. */
  async #credit(batch: Map<string, Announced>): Promise<void> {
    const { ctx, node, clock, onError } = this.#options
    const settle = (hash: string) => {
      this.#settled.add(hash)
      batch.delete(hash)
    }
    // Another instance, or a scan, may have credited it meanwhile.
    const again = [...batch.values()].filter(({ tries }) => tries > 0).map(({ hash }) => hash)
    if (again.length > 0) for (const hash of await listRecorded(ctx.db, again)) settle(hash)
    if (batch.size === 0) return
    const previous = [...batch.values()].flatMap((announced) => announced.previous ?? [])
    const seen = await readSends(node, [...batch.keys()], clock.now(), previous)
    const sends = seen.filter(({ confirmed }) => confirmed)
    const places = await readPlaces(node, sends)
    await Promise.all(
      sends.map(async (send) => {
        try {
          const receivedAt = places.get(send.hash)
          // Nodes learn of its receive one after another, so the block stays in the batch and is read again.
          if (send.waits === undefined) return
          // The receive is older than the newest blocks, or the nodes do not agree on it yet: a scan finds its height.
          if (receivedAt === undefined) {
            await this.#hasten(send.to)
            batch.delete(send.hash)
          } else {
            const step = ctx.traces?.followBlock(send.hash, 'payment credited')
            await asStep(step, () => creditSend(ctx, { ...send, receivedAt }))
            settle(send.hash)
          }
        } catch (error) {
          onError(error, 'credit')
        }
      }),
    )
  }

  async #hasten(address: string): Promise<void> {
    const { ctx, clock } = this.#options
    await hastenScans(ctx.db, [address], clock.now())
    this.feed.lookSoon()
  }

  /** One address whose scan fails must not hold up the others. */
  async #scanEach(watched: readonly WatchedAddress[], leaseUntil: number): Promise<void> {
    const { ctx, onError } = this.#options
    for (const one of watched) {
      try {
        await scanAddresses(ctx, this.#tools, { watched: [one], leaseUntil })
      } catch (error) {
        onError(error, `scan ${one.address}`)
        if (isOutage(error)) return
      }
    }
  }
}
