import type { Clock } from '../kernel/ports.ts'

/** A confirmation as `confirmation_history` shows it. */
interface PastElection {
  hash: string
  at: number
  tally: bigint
}

/** A copy of all elections, for a snapshot. */
export interface ElectionsThen {
  held: boolean
  past: PastElection[]
  asked: string[]
}

/** The node keeps as many past elections. */
const PAST_MAX = 2_048

/** Open and past elections, and the timers that end open ones. All of it is lost with the process, as in the node. */
export class Elections {
  /** Whether blocks stay unconfirmed at the moment. */
  held = false
  /** Since the start, oldest first. */
  past: PastElection[] = []
  readonly asked = new Set<string>()
  /** Blocks that will lose against a rival. */
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

  /** Ends the election of a block after a while; a block has one timer. */
  endAfter(hash: string, milliseconds: number, run: () => void): void {
    this.#ends.get(hash)?.()
    const cancel = this.#clock.after(milliseconds, () => {
      this.#ends.delete(hash)
      run()
    })
    this.#ends.set(hash, cancel)
  }

  /** Forgets the elections of deleted blocks, also past ones. */
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

  /** Restores a copy, with no timer running. */
  goBackTo({ held, past, asked }: ElectionsThen): void {
    this.cancelAll()
    this.held = held
    this.past = [...past]
    this.asked.clear()
    for (const hash of asked) this.asked.add(hash)
  }
}
