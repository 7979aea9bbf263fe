import { announcedBlock } from '../nano/announced-block.ts'
import type { Clock, Confirmation, ConfirmationBus, Random } from '../ports.ts'
import { CatchUp } from './catch-up.ts'
import { type AddressSource, WatchedAddresses } from './watched-addresses.ts'

/** While events arrive, looking by itself is a net below a net: whoever hastens an address asks for the next round. */
const TICK = 500
const TICK_CONNECTED = 2_000
/** While nobody waits at any address. */
const REST = 5_000
/** Batches between two rests: what events announce must not wait for the net, which is all there is while none arrive. */
const BATCHES_MAX_CONNECTED = 4
const BATCHES_MAX = 100
const PAGE = 10_000
/** The node that announced it knows more than the one asked, or than the others that must agree, or another instance is at it. */
const TRIES_MAX = 20
const retryAfter = (tries: number) => Math.min(50 * 2 ** tries, 5_000)

/** A block that a node announced at an address of interest. It says where to look, and nothing else. */
export interface Announced {
  hash: string
  address: string
  /** Whether the address pays with it, or is paid. */
  direction: 'sent' | 'received'
  previous?: string | undefined
  /** Whose send it is, where that was announced. */
  payer?: string
  /** How often it was looked for in vain. From one on, another instance may have dealt with it. */
  tries: number
}

/** What a module does with the feed: where its addresses are, and what happens at one. */
export interface FeedConsumer extends AddressSource {
  /** Has everything looked at soon that was last looked at before a moment, and answers where the next page begins. */
  hastenPage(page: { at: number; after: string; limit: number }): Promise<string | undefined>
  /** It was announced here, whichever instance looks after it. */
  noted?(announced: Announced): void
  /** Whether nothing is left to find out about it. */
  isSettled(announced: Announced): boolean
  add(announced: Announced): void
  readonly isWaiting: boolean
  /** Works on the next batch of what was added; answers what has to be looked for again. */
  work(): Promise<readonly Announced[]>
  /** It was looked for in vain too often. */
  giveUp?(announced: Announced): Promise<void>
  hasDue(): Promise<boolean>
  /** Looks at a batch of the addresses whose turn it is by itself; answers whether more are due. */
  lookDue(): Promise<boolean>
  /** The end of each round. */
  besides?(): Promise<void>
}

interface FeedOptions {
  bus: ConfirmationBus
  clock: Clock
  random: Random
  /** How long this instance leaves a block to others; undefined is for good. */
  turnOf(hash: string): number | undefined
  failed(error: unknown, doing: string): void
}

/**
 * Brings a module what happens at its addresses, in three ways: the nodes' events, rounds that trust no event, and a catch-up at start and
 * after every silence. An event that is lost, late or false changes nothing but the time.
 */
export class LedgerFeed {
  readonly #options: FeedOptions
  readonly #consumer: FeedConsumer
  readonly #addresses: WatchedAddresses
  readonly #catchUp: CatchUp
  readonly #running = new Set<Promise<unknown>>()
  #isWorking = false
  #isHastened = false
  #isResting = false
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

  /** How many addresses are watched, and the memory that it takes. */
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

  /** Until nothing is under way. */
  async idle(): Promise<void> {
    await this.#catchUp.idle()
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  /** These are of interest from now on. */
  watch(addresses: readonly string[]): void {
    this.#addresses.add(addresses)
    if (this.#isResting) this.lookSoon()
  }

  /** Another instance has written addresses. */
  refresh(): void {
    if (!this.#started || this.#stopped) return
    this.run('refresh', async () => {
      await this.#addresses.readFresh()
      if (this.#isResting && this.#addresses.size > 0) this.lookSoon()
    })
  }

  /** Asks for a round. Not at once, because many are hastened in one moment; and once, so that many put nothing off. */
  lookSoon(): void {
    if (this.#isHastened || this.#stopped) return
    this.#isHastened = true
    // Where a round is under way, the next one follows it soon.
    if (this.#cancelTick === undefined) return
    this.#cancelTick()
    this.#cancelTick = this.#options.clock.after(TICK, () => this.#tick())
  }

  /** Something that nobody waits for but `stop`. */
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
      // The send of a receive may have escaped us.
      this.#await({ hash: source, address: account, direction: 'received', tries: 0 })
    }
  }

  /** All instances are informed of the same blocks. */
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

  /** Batch after batch: whatever arrives while one is worked on makes the next. */
  async #work(): Promise<void> {
    try {
      while (this.#consumer.isWaiting && !this.#stopped) this.#again(await this.#consumer.work())
    } finally {
      this.#isWorking = false
    }
  }

  /** Not for ever: what stays in doubt is found by the rounds. */
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
    this.#isHastened = this.#isResting = false
    this.run('round', async () => {
      const { bus, clock } = this.#options
      try {
        await this.#addresses.keepFresh()
        await this.#lookAround()
        await this.#consumer.besides?.()
      } finally {
        if (!this.#stopped) {
          this.#isResting = this.#addresses.size === 0 && !this.#isHastened
          const pause = this.#isResting ? REST : bus.connected && !this.#isHastened ? TICK_CONNECTED : TICK
          this.#cancelTick = clock.after(pause, () => this.#tick())
        }
      }
    })
  }

  /** As long as a whole batch was due, more may be. */
  async #lookAround(): Promise<void> {
    let isMore = await this.#consumer.hasDue()
    const batchesMax = this.#options.bus.connected ? BATCHES_MAX_CONNECTED : BATCHES_MAX
    for (let batches = 0; isMore && batches < batchesMax && !this.#stopped; batches++) {
      isMore = await this.#consumer.lookDue()
    }
    if (isMore) this.lookSoon()
  }
}
