import { announcedBlock } from '../nano/announced-block.ts'
import type { Clock, Confirmation, ConfirmationBus, Random } from '../ports.ts'
import { type AddressSource, WatchedAddresses } from './watched-addresses.ts'

const PAUSE_MIN = 1_000
const PAUSE_MAX = 8_000

interface CatchUpOptions {
  clock: Clock
  /**
   * Schedules early checks for one page of addresses that were last checked before `at`; returns where the next page
   * begins.
   */
  hasten(at: number, after: string): Promise<string | undefined>
  failed(error: unknown): void
}

/**
 * After a gap in the confirmations, tries until every watched address has an early check scheduled. Otherwise a missed
 * payment would wait for the regular check of its address. Several gaps share one series of tries.
 */
export class CatchUp {
  readonly #options: CatchUpOptions
  /** Number of gaps so far; the latest one must be caught up with. */
  #gaps = 0
  #isBehind = false
  #attempt: Promise<void> = Promise.resolve()
  #cancelNext: (() => void) | undefined
  #stopped = false

  constructor(options: CatchUpOptions) {
    this.#options = options
  }

  /**
   * Resolves after the first try, even if it failed. When gateways start beside others, PostgreSQL may abort one of two
   * statements in a deadlock, which must not end the start.
   */
  afterGap(): Promise<void> {
    this.#gaps++
    if (!this.#isBehind && !this.#stopped) {
      this.#isBehind = true
      this.#attempt = this.#try(PAUSE_MIN)
    }
    return this.#attempt
  }

  /** Resolves when no try is running. */
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

  /** Page by page, because one statement over a million addresses would block every payment behind it. */
  async #hastenAll(): Promise<void> {
    const { clock, hasten } = this.#options
    const at = clock.now()
    for (let after: string | undefined = ''; after !== undefined && !this.#stopped;) after = await hasten(at, after)
  }
}

/**
 * Pause between rounds. It is longer while confirmations arrive, because rounds are then only a safety net. `lookSoon`
 * starts one earlier.
 */
const TICK = 500
const TICK_CONNECTED = 2_000
/** Pause while no address is watched. */
const REST = 5_000
/** Batches per round while confirmations arrive: fewer, so that announced blocks do not wait. */
const BATCHES_MAX_CONNECTED = 4
const BATCHES_MAX = 100
const PAGE = 10_000
/**
 * A block may not be found at once: the announcing node may be ahead of the others, or another instance may be
 * processing it.
 */
const TRIES_MAX = 20
const retryAfter = (tries: number) => Math.min(50 * 2 ** tries, 5_000)

/** A block that a node announced for a watched address. It only says where to look; nothing in it is trusted. */
export interface Announced {
  hash: string
  address: string
  /** Whether the address is the sender or the recipient. */
  direction: 'sent' | 'received'
  previous?: string | undefined
  /** The sender, if the node named it. */
  payer?: string
  /** How often it was looked up without success. After the first try, another instance may have processed it. */
  tries: number
}

/** What a module gives the feed: its addresses, and functions for what happens at them. */
export interface FeedConsumer extends AddressSource {
  /**
   * Schedules early checks for one page of addresses that were last checked before `at`; returns where the next page
   * begins.
   */
  hastenPage(page: { at: number; after: string; limit: number }): Promise<string | undefined>
  /** Called for every announced block, whichever instance processes it. */
  noted?(announced: Announced): void
  /** Whether nothing more has to be found out about it. */
  isSettled(announced: Announced): boolean
  add(announced: Announced): void
  readonly isWaiting: boolean
  /** Processes the next batch of blocks; returns those that must be tried again. */
  work(): Promise<readonly Announced[]>
  /** Called for a block after too many tries. */
  giveUp?(announced: Announced): Promise<void>
  hasDue(): Promise<boolean>
  /** Checks a batch of the due addresses; returns whether more are due. */
  lookDue(): Promise<boolean>
  besides?(): Promise<void>
}

interface FeedOptions {
  bus: ConfirmationBus
  clock: Clock
  random: Random
  /** How long this instance leaves a block to others; undefined for ever. */
  turnOf(hash: string): number | undefined
  failed(error: unknown, doing: string): void
}

/**
 * Reports to a module what happens at its addresses. It has three sources: confirmations from nodes, regular rounds
 * that do not rely on confirmations, and a catch-up at the start and after every gap. A lost, late or false
 * confirmation only changes how long it takes.
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

  /** The number of watched addresses, and the memory for them. */
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

  /** Resolves when nothing is running. */
  async idle(): Promise<void> {
    await this.#catchUp.idle()
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  /** Watches these addresses from now on. */
  watch(addresses: readonly string[]): void {
    this.#addresses.add(addresses)
    if (this.#isIdle) this.lookSoon()
  }

  /** Reads new addresses that another instance has stored. */
  refresh(): void {
    if (!this.#started || this.#stopped) return
    this.run('refresh', async () => {
      await this.#addresses.readFresh()
      if (this.#isIdle && this.#addresses.size > 0) this.lookSoon()
    })
  }

  /**
   * Asks for a round soon. Many ask at the same time, so one round serves all, and repeated requests do not delay it.
   */
  lookSoon(): void {
    if (this.#isHastened || this.#stopped) return
    this.#isHastened = true
    // A round is running, and the next one follows soon anyway.
    if (this.#cancelTick === undefined) return
    this.#cancelTick()
    this.#cancelTick = this.#options.clock.after(TICK, () => this.#tick())
  }

  /** Runs something that only `stop` waits for. */
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
      // The confirmation of the send that this block receives may have been lost.
      this.#await({ hash: source, address: account, direction: 'received', tries: 0 })
    }
  }

  /** Every instance gets the same announcements, so each waits for its turn. */
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

  /** One batch after another: blocks that arrive during a batch are in the next one. */
  async #work(): Promise<void> {
    try {
      while (this.#consumer.isWaiting && !this.#stopped) this.#again(await this.#consumer.work())
    } finally {
      this.#isWorking = false
    }
  }

  /** Only a limited number of times; the rounds find the rest. */
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

  /** After a full batch there may be more due addresses. */
  async #lookAround(): Promise<void> {
    let isMore = await this.#consumer.hasDue()
    const batchesMax = this.#options.bus.connected ? BATCHES_MAX_CONNECTED : BATCHES_MAX
    for (let batches = 0; isMore && batches < batchesMax && !this.#stopped; batches++) {
      isMore = await this.#consumer.lookDue()
    }
    if (isMore) this.lookSoon()
  }
}
