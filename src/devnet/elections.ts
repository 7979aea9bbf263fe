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

/** The same number as in the node. */
const PAST_MAX = 2_048

/** Open and past elections, and the timers that end open ones. As in the node, all of this is lost with the process. */
export class Elections {
  /** Whether new blocks stay unconfirmed. */
  held = false
  /** Since the start, oldest first. */
  past: PastElection[] = []
  readonly asked = new Set<string>()
  /** Blocks whose rival is going to win. */
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

  /** Forgets open and past elections of deleted blocks. */
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

  /** Restores a copy; no timer runs afterwards. */
  goBackTo({ held, past, asked }: ElectionsThen): void {
    this.cancelAll()
    this.held = held
    this.past = [...past]
    this.asked.clear()
    for (const hash of asked) this.asked.add(hash)
  }
}
