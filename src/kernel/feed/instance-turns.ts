import type { Clock, Notices, Random } from '../ports.ts'

const TOPIC = 'listening'
const ANNOUNCE_EVERY = 5_000
/** After so long without a notice an instance counts as gone; two lost notices are tolerated. */
const SILENT_MAX = 16_000
/**
 * How much later than the instance before it the next instance checks a payment; usually the payment is credited by
 * then.
 */
const TURN_AFTER = 1_000
const TURNS_MAX = 3

interface SharesOptions {
  notices: Notices
  clock: Clock
  random: Random
  /** Whether this instance currently receives confirmations. */
  isListening(): boolean
}

/**
 * Distributes payments among the instances on a store, which all receive all confirmations. For each block, every
 * instance computes the same order of instances. The first one credits the payment at once, and a few others check
 * later whether it did. Instances may disagree about the order for a while. If two then credit the same payment, the
 * store keeps one credit; if none does, the poller finds the payment.
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

  /** How long this instance waits before it checks a block, in milliseconds; undefined if others check it. */
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

  /** One at a time: while a store is slow, announcements must not take all of its connections. */
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

/** The rank of an instance for a block: practically random, but the same wherever it is computed. */
function rankOf(block: number, instance: number): number {
  let mixed = block ^ instance
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
