import type { Clock, Notices, Random } from '../ports.ts'

const TOPIC = 'listening'
const ANNOUNCE_EVERY = 5_000
/** An instance counts as gone after it has been silent this long, which allows for two lost notices. */
const SILENT_MAX = 16_000
/** How much later than the one before it an instance checks a payment; by then that one is usually done. */
const TURN_AFTER = 1_000
const TURNS_MAX = 3

interface SharesOptions {
  notices: Notices
  clock: Clock
  random: Random
  /** Whether this instance receives confirmations at the moment. */
  isListening(): boolean
}

/**
 * Distributes payments among the instances on one store, all of which receive all confirmations. From each block every instance computes
 * the same order of instances: the first credits at once, a few others check later whether that was done. Their views may differ for a
 * while. Two of them may then credit the same payment, which the store makes one; or none does, and the poller finds it.
 */
export class InstanceTurns {
  readonly #options: SharesOptions
  readonly #own: number
  readonly #receivedAt = new Map<number, number>()
  readonly #unsubscribe: () => void
  #cancel: (() => void) | undefined
  #saying: 'nothing' | 'once' | 'and again' = 'nothing'
  #isStopped = false

  constructor(options: SharesOptions) {
    this.#options = options
    this.#own = Buffer.from(options.random.bytes(4)).readUInt32LE()
    this.#unsubscribe = options.notices.subscribe(TOPIC, (notice) => this.#receive(notice))
    this.#announce()
  }

  /** How long this instance waits before it checks a block, in milliseconds; undefined leaves the block to others. */
  turnOf(hash: string): number | undefined {
    const block = Number.parseInt(hash.slice(0, 8), 16)
    const own = rankOf(block, this.#own)
    const silentSince = this.#options.clock.now() - SILENT_MAX
    let before = 0
    for (const [other, receivedAt] of this.#receivedAt) {
      if (receivedAt >= silentSince && rankOf(block, other) > own && ++before === TURNS_MAX) return undefined
    }
    return before * TURN_AFTER
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
    this.#unsubscribe()
    this.#options.notices.publish(TOPIC, `gone ${this.#own}`)
  }

  #announce(): void {
    const { clock, isListening } = this.#options
    if (isListening()) void this.#sayHere()
    this.#cancel = clock.after(ANNOUNCE_EVERY, () => this.#announce())
  }

  /** One at a time: while a store is slow, announcements must not queue for its connections in front of everything else. */
  async #sayHere(): Promise<void> {
    if (this.#saying !== 'nothing') {
      this.#saying = 'and again'
      return
    }
    do {
      this.#saying = 'once'
      await this.#options.notices.deliver(TOPIC, `here ${this.#own}`)
    } while ((this.#saying as string) === 'and again' && !this.#isStopped)
    this.#saying = 'nothing'
  }

  #receive(notice: string): void {
    const [word, text] = notice.split(' ')
    const other = Number(text)
    if (!Number.isInteger(other) || other === this.#own) return
    this.#receivedAt.delete(other)
    if (word === 'here') this.#receivedAt.set(other, this.#options.clock.now())
    const [oldest] = this.#receivedAt
    if (oldest && this.#options.clock.now() - oldest[1] > SILENT_MAX) this.#receivedAt.delete(oldest[0])
  }
}

/** The rank of an instance for a block: as good as random, and the same wherever it is computed. */
function rankOf(block: number, instance: number): number {
  let mixed = block ^ instance
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
