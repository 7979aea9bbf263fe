import { BoundedSet } from '../../../kernel/bounded-set.ts'
import { isOutage } from '../../../kernel/failures.ts'
import { type Announced, type FeedConsumer, LedgerFeed } from '../../../kernel/feed/ledger-feed.ts'
import { type AddressState, readStates } from '../../../kernel/feed/read-states.ts'
import type { ConfirmationBus } from '../../../kernel/ports.ts'
import { wantsKind } from '../endpoints/fan-out.ts'
import { type Looked, lookAt } from './look.ts'
import { type ReceivedAt, ReceivedQueue } from './received-queue.ts'
import {
  claimAt,
  claimDue,
  hasDueLooks,
  hastenPage,
  listReported,
  listWatchesAt,
  markLooked,
  markTrouble,
} from './looks-store.ts'
import { WAITING } from './read-ledger.ts'
import type { WatchContext } from './context.ts'
import { listAddresses, listFreshAddresses } from './store.ts'
import type { Watch, Trouble } from './watch.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const AFTER_FAILURE = 2 * SECOND
/** While events arrive, looks are only a second safety net; the longer nothing has happened, the rarer they are. */
const PACE_MIN = 15 * SECOND
const PACE_MIN_CONNECTED = 5 * MINUTE
const PACE_MAX = 6 * 60 * MINUTE
const PACE_SHARE = 20
/** A node selected just now may be behind for a moment; only a longer failure is reported to the operator. */
const PATIENCE = MINUTE
const TROUBLED_PACE_SHARE = 4
const TROUBLED_PACE_MAX = 10 * MINUTE
const SAID_MAX = 10_000

interface LookedAt {
  looked: ReadonlyMap<Watch, Looked>
  lookedAt: number
  leaseUntil: number
  /** Whether an event caused this look. */
  isReceived: boolean
}

/** Schedules regular looks, and records why looks fail. */
class Turns {
  readonly #context: WatchContext
  readonly #bus: Pick<ConfirmationBus, 'connected'>
  /** Watches whose failure was reported to the operator. */
  readonly #said = new Set<string>()

  constructor({ context, bus }: { context: WatchContext; bus: Pick<ConfirmationBus, 'connected'> }) {
    this.#context = context
    this.#bus = bus
  }

  /** Ends looks: releases the watches to other instances, each with the time of its next look. */
  async giveBack(watches: readonly Watch[], { looked, lookedAt, leaseUntil, isReceived }: LookedAt): Promise<void> {
    const { db, clock } = this.#context
    const now = clock.now()
    const changed = watches.filter((watch) => looked.has(watch) && looked.get(watch)!.trouble !== watch.trouble)
    for (const [trouble, group] of Map.groupBy(changed, (watch) => looked.get(watch)!.trouble)) {
      await markTrouble(db, group, { trouble, now, leaseUntil })
    }
    const turns = Map.groupBy(watches, (watch) => {
      const { isComplete = false, isActive = false, trouble = null } = looked.get(watch) ?? {}
      this.#report(watch, trouble, now)
      if (isComplete) return `done ${this.#nextTurn(isActive || isReceived ? lookedAt : watch.activeAt)}`
      return `failed ${now + (trouble === 'unknown_floor' ? pauseOf(watch, now) : AFTER_FAILURE)}`
    })
    for (const [turn, group] of turns) {
      const [outcome, at] = turn.split(' ')
      const over = { lookedAt: outcome === 'done' ? lookedAt : undefined, nextLookAt: Number(at) }
      await markLooked(db, group, { ...over, leaseUntil })
    }
  }

  /** Reports each failing watch once: while its looks fail, payments there cause no events. */
  #report({ endpointId, address, frontier, troubleSince }: Watch, trouble: Trouble | null, now: number): void {
    const key = `${endpointId} ${address}`
    if (trouble !== 'unknown_floor') {
      this.#said.delete(key)
      return
    }
    if (this.#said.has(key) || troubleSince === null || now - troubleSince < PATIENCE) return
    if (this.#said.size >= SAID_MAX) this.#said.clear()
    this.#said.add(key)
    const error = new Error(`No node knows ${frontier ?? 'the first block'} of ${address}, from where to go on.`)
    this.#context.failures.failed('watches.floor', { endpointId })(error)
  }

  /** Rounded up to whole seconds, so that many watches are due at the same moment and are looked at together. */
  #nextTurn(activeAt: number): number {
    const now = this.#context.clock.now()
    const min = this.#bus.connected ? PACE_MIN_CONNECTED : PACE_MIN
    const pace = Math.min(PACE_MAX, Math.max(min, Math.floor((now - activeAt) / PACE_SHARE)))
    return Math.ceil((now + pace) / SECOND) * SECOND
  }
}

/** The longer the failure lasts, the rarer the tries: if the nodes' ledger was reset, asking does not bring the block back. */
function pauseOf({ troubleSince }: Watch, now: number): number {
  const lasted = troubleSince === null ? 0 : now - troubleSince
  return Math.min(TROUBLED_PACE_MAX, Math.max(AFTER_FAILURE, Math.floor(lasted / TROUBLED_PACE_SHARE)))
}

/** Longer than any look takes; when an instance dies, others take over its watches after this. */
const LEASE = 120_000
const WATCHES_AT_ONCE = 100
const ADDRESSES_AT_ONCE = 50
const PAGE = 10_000
const SETTLED_MAX = 100_000
/** Addresses in one query for watchers, and the most such queries before the announced blocks are looked up. */
const SHARED_AT_ONCE = 200
const SHARINGS_MAX = 10

interface MonitorOptions {
  context: WatchContext
  bus: ConfirmationBus
  turnOf(hash: string): number | undefined
}

const keyOf = ({ address, hash }: Announced) => `${address} ${hash}`

/** Looks at watched addresses where a block was announced, and regularly at all of them. */
export class AddressMonitor implements FeedConsumer {
  readonly feed: LedgerFeed
  readonly #context: WatchContext
  readonly #settled = new BoundedSet(SETTLED_MAX)
  readonly #turns: Turns
  readonly #received = new ReceivedQueue()
  #stopped = false

  constructor(options: MonitorOptions) {
    const { context, bus, turnOf } = options
    this.#context = context
    this.#turns = new Turns(options)
    const { clock, random } = context
    const failed = (error: unknown, doing: string) => this.#failed(doing)(error)
    this.feed = new LedgerFeed({ bus, clock, random, turnOf, failed }, this)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.feed.stop()
  }

  listAddresses(page: { after: string; limit: number }): Promise<string[]> {
    return listAddresses(this.#context.db, page)
  }

  listFresh(page: { since: number; after: string; limit: number }): Promise<string[]> {
    return listFreshAddresses(this.#context.db, page)
  }

  hastenPage(page: { at: number; after: string; limit: number }): Promise<string | undefined> {
    return hastenPage(this.#context.db, page)
  }

  isSettled(announced: Announced): boolean {
    return this.#settled.has(keyOf(announced))
  }

  add(announced: Announced): void {
    this.#received.add(announced)
  }

  get isWaiting(): boolean {
    return !this.#received.isEmpty
  }

  async work(): Promise<readonly Announced[]> {
    const left: Announced[] = []
    for (let sharings = 0, isMore = true; isMore && sharings < SHARINGS_MAX; sharings++) {
      const fresh = this.#received.takeFresh(SHARED_AT_ONCE)
      isMore = fresh.size > 0
      if (isMore) left.push(...(await this.#orAll(fresh, () => this.#share(fresh))))
    }
    const batch = this.#received.take(ADDRESSES_AT_ONCE)
    if (batch.size > 0) left.push(...(await this.#orAll(batch, () => this.#lookWhere(batch))))
    return left
  }

  hasDue(): Promise<boolean> {
    return hasDueLooks(this.#context.db, this.#context.clock.now())
  }

  async lookDue(): Promise<boolean> {
    const { db, engine, clock } = this.#context
    const now = clock.now()
    const leaseUntil = now + LEASE
    const watches = await claimDue(db, engine, { now, leaseUntil, limit: WATCHES_AT_ONCE })
    await this.#look(watches, { leaseUntil, received: new Map() })
    return watches.length === WATCHES_AT_ONCE
  }

  /** After a failure all blocks are returned, to be tried again. */
  async #orAll(
    received: ReadonlyMap<string, ReceivedAt>,
    run: () => Promise<readonly Announced[]>,
  ): Promise<readonly Announced[]> {
    try {
      return await run()
    } catch (error) {
      this.#failed('announced')(error)
      return [...received.values()].flatMap((blocks) => [...blocks.values()].flat())
    }
  }

  /** Finds the watchers of these addresses, so that accounts take turns. */
  async #share(fresh: ReadonlyMap<string, ReceivedAt>): Promise<readonly Announced[]> {
    const { db } = this.#context
    const found = await listWatchesAt(db, [...fresh.keys()], PAGE)
    const byAddress = Map.groupBy(found, ({ address }) => address)
    for (const [address, received] of fresh) {
      // An address with very many watchers may have filled the page, so the others are queried one by one.
      const isCut = found.length === PAGE && !byAddress.has(address)
      this.#received.place(
        address,
        received,
        isCut ? await listWatchesAt(db, [address], PAGE) : (byAddress.get(address) ?? []),
      )
    }
    return []
  }

  /** Returns the announcements that must be tried again. */
  async #lookWhere(batch: ReadonlyMap<string, ReceivedAt>): Promise<readonly Announced[]> {
    const context = this.#context
    const addresses = [...batch.keys()]
    const watchers = await listWatchesAt(context.db, addresses, PAGE)
    const byAddress = Map.groupBy(watchers, ({ address }) => address)
    const open = new Map<string, ReceivedAt>()
    for (const [address, blocks] of batch) {
      // It is not watched: the set of subscribed addresses keeps only a part of each address, so others may match.
      if (!byAddress.has(address)) continue
      const unreported: ReceivedAt = new Map()
      for (const [hash, announced] of blocks) {
        if (await this.#isReported(announced)) this.#settled.add(keyOf(announced[0]!))
        else unreported.set(hash, announced)
      }
      if (unreported.size > 0) open.set(address, unreported)
    }
    if (open.size === 0) return []
    const now = context.clock.now()
    const leaseUntil = now + LEASE
    const claim = { addresses: [...open.keys()], now, leaseUntil, limit: PAGE }
    const claimed = await claimAt(context.db, context.engine, claim)
    const received = new Map([...open].map(([address, blocks]) => [address, new Set(blocks.keys())] as const))
    const looked = await this.#look(claimed, { leaseUntil, received })
    const left: Announced[] = []
    for (const [address, blocks] of open) {
      const own = claimed.filter((watch) => watch.address === address).map((watch) => looked.get(watch))
      const isWhole = own.length === byAddress.get(address)!.length
      for (const [hash, announced] of blocks) {
        if (isWhole && own.every((one) => one?.settled.has(hash))) this.#settled.add(keyOf(announced[0]!))
        else left.push(...announced)
      }
    }
    return left
  }

  /** Whether every watcher of an address has its event for a send, perhaps from another instance. */
  async #isReported(announced: readonly Announced[]): Promise<boolean> {
    const { db } = this.#context
    const { address, hash, tries } = announced[0]!
    if (tries === 0) return false
    for (const watcher of await listWatchesAt(db, [address], PAGE)) {
      for (const { direction } of announced) {
        const type = `address.${direction}` as const
        if (!wantsKind(watcher, type)) continue
        if ((await listReported(db, watcher, { type, hashes: [hash] })).size === 0) return false
      }
    }
    return true
  }

  /** Looks at claimed watches. One whose look fails must not hold up the others. */
  async #look(
    watches: readonly Watch[],
    { leaseUntil, received }: { leaseUntil: number; received: ReadonlyMap<string, ReadonlySet<string>> },
  ): Promise<Map<Watch, Looked>> {
    const context = this.#context
    const looked = new Map<Watch, Looked>()
    if (watches.length === 0) return looked
    const lookedAt = context.clock.now()
    try {
      const addresses = [...new Set(watches.map(({ address }) => address))]
      const states = new Map<string, AddressState>()
      for (let at = 0; at < addresses.length; at += WATCHES_AT_ONCE) {
        const part = await readStates(context.node, addresses.slice(at, at + WATCHES_AT_ONCE), WAITING)
        for (const [address, state] of part) states.set(address, state)
      }
      for (const watch of watches) {
        if (this.#stopped) break
        const state = states.get(watch.address)!
        try {
          looked.set(
            watch,
            await lookAt(context, { watch, state, announced: received.get(watch.address) ?? new Set() }),
          )
        } catch (error) {
          if (isOutage(error)) throw error
          this.#failed('look')(error)
        }
      }
    } finally {
      await this.#turns.giveBack(watches, { looked, lookedAt, leaseUntil, isReceived: received.size > 0 })
    }
    return looked
  }

  #failed(doing: string): (error: unknown) => undefined {
    return this.#context.failures.failed('watches.monitor', { doing })
  }
}
