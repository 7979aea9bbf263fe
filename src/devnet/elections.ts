import type { Clock } from '../kernel/ports.ts'

/** A confirmation as `confirmation_history` tells it. */
interface PastElection {
  hash: string
  at: number
  tally: bigint
}

/** What the elections were at a moment. */
export interface ElectionsThen {
  held: boolean
  past: PastElection[]
  asked: string[]
}

/** As many as the node keeps. */
const PAST_MAX = 2_048

/** Which elections are open, which were, and when the open ones end. All of it is forgotten with the process, as in the node. */
export class Elections {
  /** Whether blocks stay unconfirmed at the moment. */
  held = false
  /** Since the start, oldest first. */
  past: PastElection[] = []
  readonly asked = new Set<string>()
  /** Blocks with a rival that is going to win. */
  readonly contested = new Set<string>()
  readonly #clock: Clock
  readonly #ends = new Map<string, () => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  remember(hash: string, tally: bigint): void {
    this.past.push({ hash, at: this.#clock.now(), tally })
    if (this.past.length > PAST_MAX) this.past.shift()
  }

  /** The election of a block ends after a while; a block has one end. */
  endAfter(hash: string, milliseconds: number, run: () => void): void {
    this.#ends.get(hash)?.()
    const cancel = this.#clock.after(milliseconds, () => {
      this.#ends.delete(hash)
      run()
    })
    this.#ends.set(hash, cancel)
  }

  /** Blocks that are gone have no elections, and had none. */
  forget(hashes: readonly string[]): void {
    const gone = new Set(hashes)
    for (const hash of gone) {
      this.#ends.get(hash)?.()
      this.#ends.delete(hash)
      this.asked.delete(hash)
      this.contested.delete(hash)
    }
    this.past = this.past.filter(({ hash }) => !gone.has(hash))
  }

  cancelAll(): void {
    for (const cancel of this.#ends.values()) cancel()
    this.#ends.clear()
    this.contested.clear()
  }

  now(): ElectionsThen {
    return { held: this.held, past: [...this.past], asked: [...this.asked] }
  }

  /** As they were then, and nothing under way. */
  goBackTo({ held, past, asked }: ElectionsThen): void {
    this.cancelAll()
    this.held = held
    this.past = [...past]
    this.asked.clear()
    for (const hash of asked) this.asked.add(hash)
  }
}
