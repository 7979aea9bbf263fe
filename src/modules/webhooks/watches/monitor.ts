import { isOutage } from '../../../kernel/failures.ts'
import type { Confirmation, ConfirmationBus } from '../../../kernel/ports.ts'
import { type Looked, lookAt } from './look.ts'
import { claimAt, claimDue, hasDueLooks, hastenPage, listTold, listWatchesAt, markLooked } from './looks-store.ts'
import { type AddressState, readStates } from './read-ledger.ts'
import type { WatchRoom } from './room.ts'
import type { Watch } from './store.ts'
import { WatchedAddresses } from './watched-addresses.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const TICK = SECOND
/** Longer than any look takes; an instance that dies meanwhile loses its watches to others. */
const LEASE = 2 * MINUTE
const WATCHES_AT_ONCE = 100
const ADDRESSES_AT_ONCE = 50
/** Batches between two rests: looking is a net while events arrive, and all we have while they do not. */
const BATCHES_MAX_CONNECTED = 4
const BATCHES_MAX = 40
const PAGE = 10_000
const SETTLED_MAX = 100_000
const WAITING_MAX = 100_000
/** The node that told us knows more than the one we asked, or another instance is at it: it is asked again soon, a few times. */
const RETRY_AFTER = 250
const RETRIES_MAX = 20
const AFTER_FAILURE = 2 * SECOND
/** While events arrive, a look is a net below a net; the longer nothing happened, the rarer it is. */
const PACE_MIN = 15 * SECOND
const PACE_MIN_HEARING = 5 * MINUTE
const PACE_MAX = 6 * 60 * MINUTE
const PACE_SHARE = 20

interface MonitorOptions {
  room: WatchRoom
  bus: ConfirmationBus
}

interface LookedAt {
  looked: ReadonlyMap<Watch, Looked>
  lookedAt: number
  leaseUntil: number
  /** Whether an event has led here. */
  isHeard: boolean
}

/** A block that was heard of at a watched address. */
interface Heard {
  tries: number
  hashes: Set<string>
}

/**
 * Hears of confirmations at watched addresses and looks there; and looks by itself, at start, after every silence and now and then. Events only say
 * where to look, so that one that is lost, late or false changes nothing but the time.
 */
export class AddressMonitor {
  readonly #options: MonitorOptions
  readonly #watched: WatchedAddresses
  readonly #settled = new Set<string>()
  /** By address, the longest waiting first. */
  readonly #heard = new Map<string, Heard>()
  readonly #running = new Set<Promise<unknown>>()
  #draining = false
  #stopListening: (() => void) | undefined
  #cancelTick: (() => void) | undefined
  #started = false
  #stopped = false

  constructor(options: MonitorOptions) {
    this.#options = options
    this.#watched = new WatchedAddresses(options.room)
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
      if (bus.connected) this.#inBackground('catch-up', () => this.#catchUp())
    })
    await this.#catchUp()
    this.#tick()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopListening?.()
    this.#cancelTick?.()
    await Promise.all(this.#running)
  }

  /** Listens for addresses from now on. */
  heed(addresses: readonly string[]): void {
    this.#watched.add(addresses)
  }

  /** Another instance was told of addresses. */
  refresh(): void {
    if (this.#started && !this.#stopped) this.#inBackground('refresh', () => this.#watched.readFresh())
  }

  #hear({ hash, account, block }: Confirmation): void {
    if (this.#watched.size === 0) return
    const { type, subtype, link, link_as_account: linked, destination, source } = block
    // Old kinds of blocks have members of their own.
    const to = type === 'send' ? destination : subtype === 'send' ? linked : undefined
    if (to !== undefined) {
      if (this.#watched.has(account)) this.#await(account, hash)
      if (this.#watched.has(to)) this.#await(to, hash)
      return
    }
    // The send of a receive may have escaped us.
    const received = type === 'receive' || type === 'open' ? source : subtype === 'receive' ? link : undefined
    if (received !== undefined && this.#watched.has(account)) this.#await(account, received.toUpperCase())
  }

  #await(address: string, hash: string, tries = 0): void {
    if (this.#stopped || this.#settled.has(`${address} ${hash}`)) return
    const heard = this.#heard.get(address)
    if (heard) heard.hashes.add(hash)
    // Beyond this the turns of the addresses themselves have to do.
    else if (this.#heard.size < WAITING_MAX) this.#heard.set(address, { tries, hashes: new Set([hash]) })
    if (this.#draining) return
    this.#draining = true
    this.#inBackground('heard', () => this.#drain())
  }

  async #drain(): Promise<void> {
    try {
      while (this.#heard.size > 0 && !this.#stopped) {
        const batch = new Map<string, Heard>()
        for (const [address, heard] of this.#heard) {
          batch.set(address, heard)
          if (batch.size === ADDRESSES_AT_ONCE) break
        }
        for (const address of batch.keys()) this.#heard.delete(address)
        try {
          await this.#lookWhere(batch)
        } catch (error) {
          this.#failed('heard')(error)
          for (const [address, heard] of batch) this.#retry(address, heard)
        }
      }
    } finally {
      this.#draining = false
    }
  }

  async #lookWhere(batch: ReadonlyMap<string, Heard>): Promise<void> {
    const { room } = this.#options
    const addresses = [...batch.keys()]
    const keys = await listWatchesAt(room.db, addresses, PAGE)
    const byAddress = Map.groupBy(keys, ({ address }) => address)
    // Not watched any more, or never: the set keeps a part of each address alone.
    const there = addresses.filter((address) => byAddress.has(address))
    if (there.length === 0) return
    const now = room.clock.now()
    const leaseUntil = now + LEASE
    const claimed = await claimAt(room.db, room.engine, { addresses: there, now, leaseUntil, limit: PAGE })
    const heard = new Map([...batch].map(([address, { hashes }]) => [address, hashes] as const))
    const looked = await this.#look(claimed, { leaseUntil, heard })
    for (const address of there) {
      const { hashes, tries } = batch.get(address)!
      const own = claimed.filter((watch) => watch.address === address).map((watch) => looked.get(watch))
      const isWhole = own.length === byAddress.get(address)!.length
      for (const hash of hashes) {
        const isSettled = isWhole && own.every((one) => one?.settled.has(hash))
        if (isSettled || (tries > 0 && (await this.#isTold(address, hash)))) {
          this.#settle(`${address} ${hash}`)
          hashes.delete(hash)
        }
      }
      if (hashes.size > 0) this.#retry(address, { hashes, tries })
    }
  }

  /** Whether everybody who watches an address was told of a send, by another instance perhaps. */
  async #isTold(address: string, hash: string): Promise<boolean> {
    const { db } = this.#options.room
    for (const { endpointId } of await listWatchesAt(db, [address], PAGE)) {
      const asked = { hashes: [hash] }
      const own = { endpointId, address }
      const received = await listTold(db, own, { type: 'address.received', ...asked })
      if (received.size > 0) continue
      if ((await listTold(db, own, { type: 'address.sent', ...asked })).size === 0) return false
    }
    return true
  }

  #settle(key: string): void {
    this.#settled.add(key)
    if (this.#settled.size > SETTLED_MAX) this.#settled.delete(this.#settled.values().next().value!)
  }

  /** Not for ever: what stays in doubt is found by the turns of its address. */
  #retry(address: string, { hashes, tries }: Heard): void {
    if (tries >= RETRIES_MAX || this.#stopped) return
    this.#options.room.clock.after(RETRY_AFTER * (tries + 1), () => {
      for (const hash of hashes) this.#await(address, hash, tries + 1)
    })
  }

  #tick(): void {
    if (this.#stopped) return
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
        if (!this.#stopped) this.#cancelTick = room.clock.after(TICK, () => this.#tick())
      }
    })
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
      await this.#giveBack(watches, { looked, lookedAt, leaseUntil, isHeard: heard.size > 0 })
    }
    return looked
  }

  async #giveBack(watches: readonly Watch[], { looked, lookedAt, leaseUntil, isHeard }: LookedAt): Promise<void> {
    const { room } = this.#options
    const turns = Map.groupBy(watches, (watch) => {
      const { isComplete = false, isActive = false } = looked.get(watch) ?? {}
      return isComplete ? this.#nextTurn(isActive || isHeard ? lookedAt : watch.activeAt) : -1
    })
    for (const [nextLookAt, group] of turns) {
      const over =
        nextLookAt === -1
          ? { lookedAt: undefined, nextLookAt: room.clock.now() + AFTER_FAILURE }
          : { lookedAt, nextLookAt }
      await markLooked(room.db, group, { ...over, leaseUntil })
    }
  }

  /** In whole seconds, so that watches share their turns. */
  #nextTurn(activeAt: number): number {
    const { room, bus } = this.#options
    const now = room.clock.now()
    const min = bus.connected ? PACE_MIN_HEARING : PACE_MIN
    const pace = Math.min(PACE_MAX, Math.max(min, Math.floor((now - activeAt) / PACE_SHARE)))
    return Math.ceil((now + pace) / SECOND) * SECOND
  }

  async #catchUp(): Promise<void> {
    const { db, clock } = this.#options.room
    const at = clock.now()
    // Page by page: one statement over a million addresses would hold up every payment behind it.
    for (let after: string | undefined = ''; after !== undefined && !this.#stopped;) {
      after = await hastenPage(db, { at, after, limit: PAGE })
    }
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
