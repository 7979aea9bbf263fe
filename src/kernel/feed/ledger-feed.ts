import { announcedBlock } from '../nano/announced-block.ts'
import type { Clock, Confirmation, ConfirmationBus, Random } from '../ports.ts'
import { type AddressSource, WatchedAddresses } from './watched-addresses.ts'

const PAUSE_MIN = 1_000
const PAUSE_MAX = 8_000

interface CatchUpOptions {
  clock: Clock
  /** Schedules early checks for addresses that were last checked before `at`, one page of them; returns where the next page begins. */
  hasten(at: number, after: string): Promise<string | undefined>
  failed(error: unknown): void
}

/**
 * After a silence of the nodes, retries until every watched address is scheduled for an early check: otherwise a missed block would wait
 * for the turn of its address. However many silences there are while the store is unavailable, one series of retries serves all.
 */
export class CatchUp {
  readonly #options: CatchUpOptions
  /** Number of silences; the latest must be caught up with. */
  #gaps = 0
  #isBehind = false
  #attempt: Promise<void> = Promise.resolve()
  #cancelNext: (() => void) | undefined
  #stopped = false

  constructor(options: CatchUpOptions) {
    this.#options = options
  }

  /**
   * Resolves after the first attempt, even if that failed. While gateways start beside others at work, PostgreSQL may abort one of two
   * statements in a deadlock; that must not end the start.
   */
  afterGap(): Promise<void> {
    this.#gaps++
    if (!this.#isBehind && !this.#stopped) {
      this.#isBehind = true
      this.#attempt = this.#try(PAUSE_MIN)
    }
    return this.#attempt
  }

  /** Resolves when no attempt is in progress. */
  idle(): Promise<void> {
    return this.#attempt
  }

  stop(): Promise<void> {
    this.#stopped = true
    this.#cancelNext?.()
    return this.#attempt
  }

  async #try(pause: number): Promise<void> {
    const { clock, failed } = this.#options
    try {
      for (let caught = -1; caught !== this.#gaps;) {
        caught = this.#gaps
        await this.#hastenAll()
      }
      this.#isBehind = false
    } catch (error) {
      failed(error)
      if (this.#stopped) return
      this.#cancelNext = clock.after(pause, () => {
        this.#attempt = this.#try(Math.min(2 * pause, PAUSE_MAX))
      })
    }
  }

  /** Page by page: one statement over a million addresses would block every payment behind it. */
  async #hastenAll(): Promise<void> {
    const { clock, hasten } = this.#options
    const at = clock.now()
    for (let after: string | undefined = ''; after !== undefined && !this.#stopped;) after = await hasten(at, after)
  }
}

/** Pauses between rounds; longer while events arrive, because rounds are only a safety net then. `lookSoon` asks for an early one. */
const TICK = 500
const TICK_CONNECTED = 2_000
/** The same while no address is watched. */
const REST = 5_000
/** Batches of one round while events arrive: fewer, because announced blocks must not wait for the safety net. */
const BATCHES_MAX_CONNECTED = 4
const BATCHES_MAX = 100
const PAGE = 10_000
/** The announcing node may be ahead of the nodes asked, or of those that must agree, or another instance may be at work on it. */
const TRIES_MAX = 20
const retryAfter = (tries: number) => Math.min(50 * 2 ** tries, 5_000)

/** A block that a node announced at a watched address. It only says where to look, and is never believed. */
export interface Announced {
  hash: string
  address: string
  /** Whether the address pays with it, or is paid. */
  direction: 'sent' | 'received'
  previous?: string | undefined
  /** The sender, where the node named it. */
  payer?: string
  /** How often it was looked for without success. From 1 on, another instance may have dealt with it. */
  tries: number
}

/** What a module provides to the feed: its addresses, and what to do when something happens at one. */
export interface FeedConsumer extends AddressSource {
  /** Schedules early checks for one page of addresses that were last checked before `at`; returns where the next page begins. */
  hastenPage(page: { at: number; after: string; limit: number }): Promise<string | undefined>
  /** Called for every announced block, whichever instance deals with it. */
  noted?(announced: Announced): void
  /** Whether nothing is left to find out about it. */
  isSettled(announced: Announced): boolean
  add(announced: Announced): void
  readonly isWaiting: boolean
  /** Works on the next batch of added blocks; returns those that must be looked for again. */
  work(): Promise<readonly Announced[]>
  /** Called for a block that was looked for too often. */
  giveUp?(announced: Announced): Promise<void>
  hasDue(): Promise<boolean>
  /** Checks a batch of the addresses that are due; returns whether more are. */
  lookDue(): Promise<boolean>
  /** Called at the end of each round. */
  besides?(): Promise<void>
}

interface FeedOptions {
  bus: ConfirmationBus
  clock: Clock
  random: Random
  /** How long this instance leaves a block to others; undefined means for good. */
  turnOf(hash: string): number | undefined
  failed(error: unknown, doing: string): void
}

/**
 * Reports to a module what happens at its addresses, from three sources: events of the nodes, rounds that trust no event, and a catch-up
 * at the start and after every silence. A lost, late or false event changes only how long it takes.
 */
export class LedgerFeed {
  readonly #options: FeedOptions
  readonly #consumer: FeedConsumer
  readonly #addresses: WatchedAddresses
  readonly #catchUp: CatchUp
  readonly #running = new Set<Promise<unknown>>()
  #isWorking = false
  #isHastened = false
  #isIdle = false
  #started = false
  #stopped = false
  #stopListening: (() => void) | undefined
  #cancelTick: (() => void) | undefined

  constructor(options: FeedOptions, consumer: FeedConsumer) {
    this.#options = options
    this.#consumer = consumer
    const { clock, random, failed } = options
    this.#addresses = new WatchedAddresses({ clock, random, source: consumer })
    this.#catchUp = new CatchUp({
      clock,
      hasten: async (at, after) => {
        const next = await consumer.hastenPage({ at, after, limit: PAGE })
        this.lookSoon()
        return next
      },
      failed: (error) => failed(error, 'catch-up'),
    })
  }

  /** Number of watched addresses, and the memory that they take. */
  get size(): { addresses: number; bytes: number } {
    return { addresses: this.#addresses.size, bytes: this.#addresses.bytes }
  }

  async start(): Promise<void> {
    const { bus } = this.#options
    await this.#addresses.reload()
    this.#started = true
    this.#stopListening = bus.listen((confirmation) => this.#note(confirmation))
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

  /** Resolves when nothing is in progress. */
  async idle(): Promise<void> {
    await this.#catchUp.idle()
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  /** Watches these addresses from now on. */
  watch(addresses: readonly string[]): void {
    this.#addresses.add(addresses)
    if (this.#isIdle) this.lookSoon()
  }

  /** Reads new addresses, because another instance has written some. */
  refresh(): void {
    if (!this.#started || this.#stopped) return
    this.run('refresh', async () => {
      await this.#addresses.readFresh()
      if (this.#isIdle && this.#addresses.size > 0) this.lookSoon()
    })
  }

  /** Asks for a round: a moment later, because many ask at once, and only once, so that repeated requests do not delay it. */
  lookSoon(): void {
    if (this.#isHastened || this.#stopped) return
    this.#isHastened = true
    // After a round in progress, the next one follows soon anyway.
    if (this.#cancelTick === undefined) return
    this.#cancelTick()
    this.#cancelTick = this.#options.clock.after(TICK, () => this.#tick())
  }

  /** Runs something for which only `stop` waits. */
  run(doing: string, run: () => Promise<unknown>): void {
    const running = run()
      .catch((error: unknown) => this.#options.failed(error, doing))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  #note({ hash, account, block }: Confirmation): void {
    if (this.#addresses.size === 0) return
    const { to, source } = announcedBlock(block)
    if (to !== undefined) {
      const { previous } = block
      if (this.#addresses.has(account)) this.#await({ hash, address: account, direction: 'sent', previous, tries: 0 })
      if (this.#addresses.has(to))
        this.#await({ hash, address: to, direction: 'received', previous, payer: account, tries: 0 })
    } else if (source !== undefined && this.#addresses.has(account)) {
      // The event of the send that this block receives may have been lost.
      this.#await({ hash: source, address: account, direction: 'received', tries: 0 })
    }
  }

  /** Every instance receives the same announcements, so each waits for its turn. */
  #await(announced: Announced): void {
    if (this.#consumer.isSettled(announced)) return
    this.#consumer.noted?.(announced)
    const wait = this.#options.turnOf(announced.hash)
    if (wait === 0) this.#add(announced)
    else if (wait !== undefined) this.#options.clock.after(wait, () => this.#add({ ...announced, tries: 1 }))
  }

  #add(announced: Announced): void {
    if (this.#stopped || this.#consumer.isSettled(announced)) return
    this.#consumer.add(announced)
    if (this.#isWorking) return
    this.#isWorking = true
    this.run('announced', () => this.#work())
  }

  /** Batch after batch: blocks that arrive during one make up the next. */
  async #work(): Promise<void> {
    try {
      while (this.#consumer.isWaiting && !this.#stopped) this.#again(await this.#consumer.work())
    } finally {
      this.#isWorking = false
    }
  }

  /** A limited number of times: what stays in doubt is found by the rounds. */
  #again(left: readonly Announced[]): void {
    for (const [tries, group] of Map.groupBy(left, (one) => one.tries + 1)) {
      if (tries <= TRIES_MAX) {
        this.#options.clock.after(retryAfter(tries), () => group.forEach((one) => this.#add({ ...one, tries })))
        continue
      }
      for (const one of group) this.run('give up', async () => this.#consumer.giveUp?.(one))
    }
  }

  #tick(): void {
    if (this.#stopped) return
    this.#cancelTick = undefined
    this.#isHastened = this.#isIdle = false
    this.run('round', async () => {
      const { bus, clock } = this.#options
      try {
        await this.#addresses.keepFresh()
        await this.#lookAround()
        await this.#consumer.besides?.()
      } finally {
        if (!this.#stopped) {
          this.#isIdle = this.#addresses.size === 0 && !this.#isHastened
          const pause = this.#isIdle ? REST : bus.connected && !this.#isHastened ? TICK_CONNECTED : TICK
          this.#cancelTick = clock.after(pause, () => this.#tick())
        }
      }
    })
  }

  /** After a full batch, more may be due. */
  async #lookAround(): Promise<void> {
    let isMore = await this.#consumer.hasDue()
    const batchesMax = this.#options.bus.connected ? BATCHES_MAX_CONNECTED : BATCHES_MAX
    for (let batches = 0; isMore && batches < batchesMax && !this.#stopped; batches++) {
      isMore = await this.#consumer.lookDue()
    }
    if (isMore) this.lookSoon()
  }
}
