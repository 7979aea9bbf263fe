import { BoundedSet } from '../../kernel/bounded-set.ts'
import { CatchUp } from '../../kernel/catch-up.ts'
import { isOutage } from '../../kernel/failures.ts'
import type { Clock, Confirmation, ConfirmationBus, NodePort } from '../../kernel/ports.ts'
import { announcedBlock } from '../../kernel/nano/announced-block.ts'
import { asStep } from '../../kernel/traces.ts'
import type { CheckoutRoom } from './room.ts'
import { creditSend } from './domain/credit.ts'
import { readPlaces, readSends } from './domain/read-ledger.ts'
import { type ScanTools, hasStuck, resolveStuck, scanAddresses } from './domain/scan.ts'
import { listRecorded } from './payments-store.ts'
import {
  type WatchedAddress,
  claimScans,
  hasDueScans,
  hastenPage,
  hastenScans,
  listFresh,
  listWatched,
} from './watch-store.ts'

/** While events arrive, the poller is asked for by whoever hastens it, and looks by itself less often. */
const TICK = 500
const TICK_CONNECTED = 2_000
/** Longer than any look takes; an instance that dies meanwhile loses its addresses to others. */
const LEASE = 60_000
/** A node that did not answer may be back soon. */
const AFTER_FAILURE = 2_000
const ADDRESSES_AT_ONCE = 100
/** Batches between two rests: the poller is a net while events arrive, and all we have while they do not. */
const BATCHES_MAX_CONNECTED = 4
const BATCHES_MAX = 100
const BLOCKS_AT_ONCE = 100
const STUCK_AT_ONCE = 100
const PAGE = 10_000
/** What notices between instances have lost is found again in the store. */
const REFRESH_EVERY = 30_000
const RELOAD_EVERY = 3_600_000
const SETTLED_MAX = 200_000
/** The pace while a payer watches the page; with the ledger's own events a slower one is enough. */
const NUDGE_EVERY = 3_000
const NUDGE_EVERY_CONNECTED = 15_000
const NUDGED_MAX = 50_000
/** The node that announced it knows more than the one we asked, or than the others that must agree: they are asked again soon, a few times. */
const RETRIES_MAX = 20
const retryAfter = (tries: number) => Math.min(50 * 2 ** tries, 5_000)

/** A block that a node announced: at which address it is expected, and which one it follows. */
interface Announced {
  address: string
  previous?: string | undefined
}

interface PaymentMonitorOptions {
  ctx: CheckoutRoom
  node: NodePort
  bus: ConfirmationBus
  clock: Clock
  /** How long this instance leaves a block to others; undefined is for good. */
  turnOf(hash: string): number | undefined
  onError(error: unknown, doing: string): void
}

/**
 * Finds payments in three ways: the ledger's events, a poller that trusts no event, and a catch-up at start and after every
 * silence. All three end in the same verb, which acts once.
 */
export class PaymentMonitor {
  readonly #options: PaymentMonitorOptions
  #watched = new Set<string>()
  /** Those that came while the whole list is read again. */
  #added = new Set<string>()
  readonly #settled = new BoundedSet(SETTLED_MAX)
  readonly #tools: ScanTools
  readonly #catchUp: CatchUp
  readonly #nudged = new Map<string, number>()
  readonly #retries = new Map<string, number>()
  readonly #running = new Set<Promise<unknown>>()
  #queue = new Map<string, Announced>()
  #draining = false
  #stopListening: (() => void) | undefined
  #cancelTick: (() => void) | undefined
  #isHastened = false
  #refreshedAt = 0
  #reloadedAt = 0
  #stopped = false

  constructor(options: PaymentMonitorOptions) {
    this.#options = options
    const { ctx, clock, onError } = options
    this.#catchUp = new CatchUp({
      clock,
      hasten: async (at, after) => {
        const next = await hastenPage(ctx.db, { at, after, limit: PAGE })
        this.#tickSoon()
        return next
      },
      failed: (error) => onError(error, 'catch-up'),
    })
    this.#tools = { node: options.node, settled: this.#settled, hearsEvents: () => options.bus.connected }
  }

  /** How many addresses are listened for. */
  get watched(): number {
    return this.#watched.size
  }

  async start(): Promise<void> {
    const { bus } = this.#options
    await this.#reload()
    this.#stopListening = bus.listen((confirmation) => this.#hear(confirmation))
    bus.onGap(() => {
      if (bus.connected) void this.#catchUp.afterGap()
    })
    await this.#catchUp.afterGap()
    this.#tick()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopListening?.()
    this.#cancelTick?.()
    await Promise.all([this.#catchUp.stop(), ...this.#running])
  }

  /** Listens for an address from now on. */
  watch(address: string): void {
    this.#watched.add(address)
    this.#added.add(address)
  }

  /** A payer waits at this address: the poller comes soon, but not more often than is of use. */
  nudge(address: string): void {
    const { clock, bus } = this.#options
    const now = clock.now()
    const every = bus.connected ? NUDGE_EVERY_CONNECTED : NUDGE_EVERY
    if (now - (this.#nudged.get(address) ?? 0) < every) return
    this.#nudged.delete(address)
    this.#nudged.set(address, now)
    if (this.#nudged.size > NUDGED_MAX) this.#nudged.delete(this.#nudged.keys().next().value!)
    this.#lookSoon(address, 'nudge')
  }

  #hear({ hash, account, block }: Confirmation): void {
    const { to, source } = announcedBlock(block)
    if (to !== undefined && this.#watched.has(to)) this.#await(hash, { address: to, previous: block.previous })
    // The send of a receive may have escaped us.
    else if (source !== undefined && this.#watched.has(account)) this.#await(source, { address: account })
  }

  /** Other instances hear the same. */
  #await(hash: string, announced: Announced): void {
    if (this.#settled.has(hash)) return
    this.#options.ctx.ports.proofs.expect(hash)
    const wait = this.#options.turnOf(hash)
    if (wait === 0) this.#enqueue(hash, announced)
    else if (wait !== undefined)
      this.#options.clock.after(wait, () => this.#inBackground('turn', () => this.#takeTurn(hash, announced)))
  }

  /** The instance that should have credited it may be gone. */
  async #takeTurn(hash: string, announced: Announced): Promise<void> {
    if (this.#stopped || this.#settled.has(hash)) return
    const recorded = await listRecorded(this.#options.ctx.db, [hash])
    if (recorded.has(hash)) this.#settle(hash)
    else this.#enqueue(hash, announced)
  }

  #enqueue(hash: string, announced: Announced): void {
    if (this.#settled.has(hash) || this.#stopped) return
    this.#queue.set(hash, announced)
    if (this.#draining) return
    this.#draining = true
    this.#inBackground('credit', () => this.#drain())
  }

  /** Batch after batch: whatever arrives while one is worked on makes the next. */
  async #drain(): Promise<void> {
    try {
      while (this.#queue.size > 0 && !this.#stopped) {
        // Never the whole queue: when payments pile up, copying it for every batch would cost more than the payments.
        const batch = new Map<string, Announced>()
        for (const [hash, announced] of this.#queue) {
          if (batch.set(hash, announced).size === BLOCKS_AT_ONCE) break
        }
        for (const hash of batch.keys()) this.#queue.delete(hash)
        await this.#credit(batch)
      }
    } finally {
      this.#draining = false
    }
  }

  async #credit(batch: ReadonlyMap<string, Announced>): Promise<void> {
    const { ctx, node, clock, onError } = this.#options
    const done = new Set<string>()
    const left = new Set<string>()
    try {
      const previous = [...batch.values()].flatMap((announced) => announced.previous ?? [])
      const seen = await readSends(node, [...batch.keys()], clock.now(), previous)
      const sends = seen.filter(({ confirmed }) => confirmed)
      const places = await readPlaces(node, sends)
      await Promise.all(
        sends.map(async (send) => {
          try {
            const receivedAt = places.get(send.hash)
            // Received long ago, or by a node that knows more than the one we asked: the poller finds where.
            if (receivedAt === undefined) {
              await hastenScans(ctx.db, [send.to], clock.now())
              this.#tickSoon()
              left.add(send.hash)
            } else {
              const step = ctx.traces?.followBlock(send.hash, 'payment credited')
              await asStep(step, () => creditSend(ctx, { ...send, receivedAt }))
              done.add(send.hash)
            }
          } catch (error) {
            onError(error, 'credit')
          }
        }),
      )
    } catch (error) {
      onError(error, 'read blocks')
    }
    for (const [hash, announced] of batch) {
      if (done.has(hash)) this.#settle(hash)
      else if (left.has(hash)) this.#retries.delete(hash)
      else this.#retry(hash, announced)
    }
  }

  #settle(hash: string): void {
    this.#settled.add(hash)
    this.#retries.delete(hash)
  }

  /** Not for ever: what stays in doubt is the poller's, who comes at once and keeps coming until the node answers. */
  #retry(hash: string, announced: Announced): void {
    const tries = (this.#retries.get(hash) ?? 0) + 1
    if (this.#stopped) return
    if (tries > RETRIES_MAX) {
      this.#retries.delete(hash)
      this.#lookSoon(announced.address, 'retry')
      return
    }
    this.#retries.set(hash, tries)
    this.#options.clock.after(retryAfter(tries), () => this.#enqueue(hash, announced))
  }

  #tick(): void {
    if (this.#stopped) return
    this.#cancelTick = undefined
    this.#isHastened = false
    this.#inBackground('scan', async () => {
      try {
        const { ctx, clock } = this.#options
        await this.#refresh()
        // Most of the time it is neither, and then one look at the store is enough.
        const [isDue, isStuck] = await Promise.all([hasDueScans(ctx.db, clock.now()), hasStuck(ctx)])
        // As long as a whole batch was due, more may be; but payments that events tell of must not wait for the poller.
        const batchesMax = this.#options.bus.connected ? BATCHES_MAX_CONNECTED : BATCHES_MAX
        let isMore = isDue
        for (let batches = 0; isMore && batches < batchesMax && !this.#stopped; batches++) {
          isMore = await this.#scanDue()
        }
        if (isMore) this.#tickSoon()
        if (isStuck) await resolveStuck(ctx, this.#tools, STUCK_AT_ONCE)
      } finally {
        const pause = this.#options.bus.connected && !this.#isHastened ? TICK_CONNECTED : TICK
        if (!this.#stopped) this.#cancelTick = this.#options.clock.after(pause, () => this.#tick())
      }
    })
  }

  #lookSoon(address: string, doing: string): void {
    const { ctx, clock } = this.#options
    this.#inBackground(doing, async () => {
      await hastenScans(ctx.db, [address], clock.now())
      this.#tickSoon()
    })
  }

  /** Not at once, because many are hastened in one moment; and once, so that many put nothing off. */
  #tickSoon(): void {
    if (this.#isHastened || this.#stopped) return
    this.#isHastened = true
    // Where a look is under way, the next one follows it soon.
    if (this.#cancelTick === undefined) return
    this.#cancelTick()
    this.#cancelTick = this.#options.clock.after(TICK, () => this.#tick())
  }

  async #scanDue(): Promise<boolean> {
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

  /** One address that cannot be looked at must not hold up the others. */
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

  async #refresh(): Promise<void> {
    const { ctx, clock } = this.#options
    const now = clock.now()
    if (now - this.#refreshedAt < REFRESH_EVERY) return
    if (now - this.#reloadedAt >= RELOAD_EVERY) return this.#reload()
    for (const address of await listFresh(ctx.db, this.#refreshedAt - REFRESH_EVERY)) this.watch(address)
    this.#refreshedAt = now
  }

  /** The whole list anew, which forgets what no checkout waits for any more. */
  async #reload(): Promise<void> {
    const { ctx, clock } = this.#options
    const now = clock.now()
    this.#added = new Set()
    const watched = new Set<string>()
    for (let after = ''; ;) {
      const page = await listWatched(ctx.db, { now, after, limit: PAGE })
      for (const address of page) watched.add(address)
      if (page.length < PAGE) break
      after = page.at(-1)!
    }
    for (const address of this.#added) watched.add(address)
    this.#watched = watched
    this.#refreshedAt = this.#reloadedAt = now
  }

  #inBackground(doing: string, run: () => Promise<unknown>): void {
    const running = run()
      .catch((error: unknown) => this.#options.onError(error, doing))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }
}
