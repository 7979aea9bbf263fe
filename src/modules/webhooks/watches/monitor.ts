import { BoundedSet } from '../../../kernel/bounded-set.ts'
import { CatchUp } from '../../../kernel/catch-up.ts'
import { isOutage } from '../../../kernel/failures.ts'
import { announcedBlock } from '../../../kernel/nano/announced-block.ts'
import type { Confirmation, ConfirmationBus } from '../../../kernel/ports.ts'
import { wantsKind } from '../endpoints/fan-out.ts'
import type { AddressKind } from './event-kinds.ts'
import { type Looked, lookAt } from './look.ts'
import { type Heard, type HeardAt, HeardQueue } from './heard-queue.ts'
import { claimAt, claimDue, hasDueLooks, hastenPage, listTold, listWatchesAt } from './looks-store.ts'
import { type AddressState, readStates } from './read-ledger.ts'
import type { WatchRoom } from './room.ts'
import type { Watch } from './store.ts'
import { Turns } from './turns.ts'
import { WatchedAddresses } from './watched-addresses.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const TICK = SECOND
/** While nobody watches anything. */
const REST = 5 * SECOND
/** Longer than any look takes; an instance that dies meanwhile loses its watches to others. */
const LEASE = 2 * MINUTE
const WATCHES_AT_ONCE = 100
const ADDRESSES_AT_ONCE = 50
/** Batches between two rests: looking is a net while events arrive, and all we have while they do not. */
const BATCHES_MAX_CONNECTED = 4
const BATCHES_MAX = 40
const PAGE = 10_000
const SETTLED_MAX = 100_000
/** Of so many addresses at a time it is asked who watches them; so often before the next look. */
const SHARED_AT_ONCE = 200
const SHARINGS_MAX = 10
/** The node that told us knows more than the one we asked, or another instance is at it: it is asked again soon, a few times. */
const RETRY_AFTER = 250
const RETRIES_MAX = 20
const SENT: ReadonlySet<AddressKind> = new Set(['address.sent'])
const RECEIVED: ReadonlySet<AddressKind> = new Set(['address.received'])

interface MonitorOptions {
  room: WatchRoom
  bus: ConfirmationBus
}

/**
 * Hears of confirmations at watched addresses and looks there; and looks by itself, at start, after every silence and now and then. Events only say
 * where to look, so that one that is lost, late or false changes nothing but the time.
 */
export class AddressMonitor {
  readonly #options: MonitorOptions
  readonly #watched: WatchedAddresses
  readonly #settled = new BoundedSet(SETTLED_MAX)
  readonly #turns: Turns
  readonly #catchUp: CatchUp
  readonly #heard = new HeardQueue()
  readonly #running = new Set<Promise<unknown>>()
  #draining = false
  #stopListening: (() => void) | undefined
  #cancelTick: (() => void) | undefined
  #started = false
  #stopped = false
  #isResting = false

  constructor(options: MonitorOptions) {
    this.#options = options
    this.#watched = new WatchedAddresses(options.room)
    this.#turns = new Turns(options)
    const { clock, db } = options.room
    this.#catchUp = new CatchUp({
      clock,
      hasten: (at, after) => hastenPage(db, { at, after, limit: PAGE }),
      failed: this.#failed('catch-up'),
    })
  }

  /** How many addresses are listened for, and the memory that it takes. */
  get size(): { addresses: number; bytes: number } {
    return { addresses: this.#watched.size, bytes: this.#watched.bytes }
  }

  async start(): Promise<void> {
    const { bus } = this.#options
    await this.#watched.reload()
    this.#started = true
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
    await this.#catchUp.stop()
    await this.idle()
  }

  /** Until nothing is under way. */
  async idle(): Promise<void> {
    await this.#catchUp.idle()
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  /** Listens for addresses from now on. */
  heed(addresses: readonly string[]): void {
    this.#watched.add(addresses)
    this.#endRest()
  }

  /** Another instance was told of addresses. */
  refresh(): void {
    if (!this.#started || this.#stopped) return
    this.#inBackground('refresh', async () => {
      await this.#watched.readFresh()
      this.#endRest()
    })
  }

  #hear({ hash, account, block }: Confirmation): void {
    if (this.#watched.size === 0) return
    const { to, source } = announcedBlock(block)
    if (to !== undefined) {
      if (this.#watched.has(account)) this.#await(account, hash, { kinds: SENT, tries: 0 })
      if (this.#watched.has(to)) this.#await(to, hash, { kinds: RECEIVED, tries: 0 })
      return
    }
    // The send of a receive may have escaped us.
    if (source !== undefined && this.#watched.has(account)) this.#await(account, source, { kinds: RECEIVED, tries: 0 })
  }

  #await(address: string, hash: string, heard: Heard): void {
    if (this.#stopped || this.#settled.has(`${address} ${hash}`)) return
    this.#heard.add(address, hash, heard)
    if (this.#draining) return
    this.#draining = true
    this.#inBackground('heard', () => this.#drain())
  }

  async #drain(): Promise<void> {
    try {
      while (!this.#heard.isEmpty && !this.#stopped) {
        for (let sharings = 0, isMore = true; isMore && sharings < SHARINGS_MAX; sharings++) {
          const fresh = this.#heard.takeFresh(SHARED_AT_ONCE)
          isMore = fresh.size > 0
          if (isMore) await this.#orLater(fresh, () => this.#share(fresh))
        }
        const batch = this.#heard.take(ADDRESSES_AT_ONCE)
        if (batch.size > 0) await this.#orLater(batch, () => this.#lookWhere(batch))
      }
    } finally {
      this.#draining = false
    }
  }

  async #orLater(heard: ReadonlyMap<string, HeardAt>, run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.#failed('heard')(error)
      for (const [address, blocks] of heard) this.#retry(address, blocks)
    }
  }

  /** Finds out who watches these, so that accounts take turns. */
  async #share(fresh: ReadonlyMap<string, HeardAt>): Promise<void> {
    const { db } = this.#options.room
    const found = await listWatchesAt(db, [...fresh.keys()], PAGE)
    const byAddress = Map.groupBy(found, ({ address }) => address)
    for (const [address, heard] of fresh) {
      // Of an address that very many watch, the list may have left no room for others.
      const isCut = found.length === PAGE && !byAddress.has(address)
      this.#heard.place(
        address,
        heard,
        isCut ? await listWatchesAt(db, [address], PAGE) : (byAddress.get(address) ?? []),
      )
    }
  }

  async #lookWhere(batch: ReadonlyMap<string, HeardAt>): Promise<void> {
    const { room } = this.#options
    const addresses = [...batch.keys()]
    const watchers = await listWatchesAt(room.db, addresses, PAGE)
    const byAddress = Map.groupBy(watchers, ({ address }) => address)
    // Not watched any more, or never: the set keeps a part of each address alone.
    const there = addresses.filter((address) => byAddress.has(address))
    if (there.length === 0) return
    const now = room.clock.now()
    const leaseUntil = now + LEASE
    const claimed = await claimAt(room.db, room.engine, { addresses: there, now, leaseUntil, limit: PAGE })
    const heard = new Map([...batch].map(([address, blocks]) => [address, new Set(blocks.keys())] as const))
    const looked = await this.#look(claimed, { leaseUntil, heard })
    for (const address of there) {
      const blocks = batch.get(address)!
      const own = claimed.filter((watch) => watch.address === address).map((watch) => looked.get(watch))
      const isWhole = own.length === byAddress.get(address)!.length
      for (const [hash, { kinds, tries }] of blocks) {
        const isSettled = isWhole && own.every((one) => one?.settled.has(hash))
        if (isSettled || (tries > 0 && (await this.#isTold(address, hash, kinds)))) {
          this.#settled.add(`${address} ${hash}`)
          blocks.delete(hash)
        }
      }
      this.#retry(address, blocks)
    }
  }

  /** Whether everybody who watches an address was told of a send as they wish, by another instance perhaps. */
  async #isTold(address: string, hash: string, kinds: ReadonlySet<AddressKind>): Promise<boolean> {
    const { db } = this.#options.room
    for (const watcher of await listWatchesAt(db, [address], PAGE)) {
      for (const type of kinds) {
        if (!wantsKind(watcher, type)) continue
        if ((await listTold(db, watcher, { type, hashes: [hash] })).size === 0) return false
      }
    }
    return true
  }

  /** Not for ever: what stays in doubt is found by the turns of its address. Each block has its own tries. */
  #retry(address: string, heard: HeardAt): void {
    if (this.#stopped) return
    const left = [...heard].filter(([, { tries }]) => tries < RETRIES_MAX)
    for (const [tries, group] of Map.groupBy(left, ([, block]) => block.tries)) {
      this.#options.room.clock.after(RETRY_AFTER * (tries + 1), () => {
        for (const [hash, { kinds }] of group) this.#await(address, hash, { kinds, tries: tries + 1 })
      })
    }
  }

  #tick(): void {
    if (this.#stopped) return
    this.#isResting = false
    this.#inBackground('look', async () => {
      const { room, bus } = this.#options
      try {
        await this.#watched.keepFresh()
        if (this.#watched.size === 0 || !(await hasDueLooks(room.db, room.clock.now()))) return
        const batchesMax = bus.connected ? BATCHES_MAX_CONNECTED : BATCHES_MAX
        for (let batches = 0, isMore = true; isMore && batches < batchesMax && !this.#stopped; batches++) {
          isMore = await this.#lookDue()
        }
      } finally {
        if (!this.#stopped) {
          this.#isResting = this.#watched.size === 0
          this.#cancelTick = room.clock.after(this.#isResting ? REST : TICK, () => this.#tick())
        }
      }
    })
  }

  /** The first who watches something waits no longer than others do. */
  #endRest(): void {
    if (!this.#isResting || this.#stopped || this.#watched.size === 0) return
    this.#isResting = false
    this.#cancelTick?.()
    this.#cancelTick = this.#options.room.clock.after(TICK, () => this.#tick())
  }

  async #lookDue(): Promise<boolean> {
    const { room } = this.#options
    const now = room.clock.now()
    const leaseUntil = now + LEASE
    const watches = await claimDue(room.db, room.engine, { now, leaseUntil, limit: WATCHES_AT_ONCE })
    await this.#look(watches, { leaseUntil, heard: new Map() })
    return watches.length === WATCHES_AT_ONCE
  }

  /** Looks at watches that are ours for now. One that cannot be looked at must not hold up the others. */
  async #look(
    watches: readonly Watch[],
    { leaseUntil, heard }: { leaseUntil: number; heard: ReadonlyMap<string, ReadonlySet<string>> },
  ): Promise<Map<Watch, Looked>> {
    const { room } = this.#options
    const looked = new Map<Watch, Looked>()
    if (watches.length === 0) return looked
    const lookedAt = room.clock.now()
    try {
      const addresses = [...new Set(watches.map(({ address }) => address))]
      const states = new Map<string, AddressState>()
      for (let at = 0; at < addresses.length; at += WATCHES_AT_ONCE) {
        const part = await readStates(room.node, addresses.slice(at, at + WATCHES_AT_ONCE))
        for (const [address, state] of part) states.set(address, state)
      }
      for (const watch of watches) {
        if (this.#stopped) break
        const state = states.get(watch.address)!
        try {
          looked.set(watch, await lookAt(room, { watch, state, heard: heard.get(watch.address) ?? new Set() }))
        } catch (error) {
          if (isOutage(error)) throw error
          this.#failed('look')(error)
        }
      }
    } finally {
      await this.#turns.giveBack(watches, { looked, lookedAt, leaseUntil, isHeard: heard.size > 0 })
    }
    return looked
  }

  #failed(doing: string): (error: unknown) => undefined {
    return this.#options.room.failures.failed('watches.monitor', { doing })
  }

  #inBackground(doing: string, run: () => Promise<unknown>): void {
    const running = run()
      .catch(this.#failed(doing))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }
}
