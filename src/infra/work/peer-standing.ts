import type { Clock } from '../../kernel/ports.ts'

const BACK_OFF = 1_000
const BACK_OFF_MAX = 300_000
const LIES_MAX = 3
/** What an earlier search still counts after each one that found something: about the last twenty are averaged. */
const FADING = 0.95

interface Seen {
  failuresInARow: number
  liesInARow: number
  hashes: number
  seconds: number
}

/** What is thought of a peer: whether to ask it, and how fast it is. */
export class PeerHealth {
  readonly #clock: Clock
  readonly #rateGuess: number
  #seen: Seen = { failuresInARow: 0, liesInARow: 0, hashes: 0, seconds: 0 }
  /** As it was before the last answer, for when that turns out to be a lie. */
  #earlier = this.#seen
  #usableAt = 0

  constructor(clock: Clock, rateGuess: number) {
    this.#clock = clock
    this.#rateGuess = rateGuess
  }

  get usable(): boolean {
    return this.#clock.now() >= this.#usableAt
  }

  get rate(): number {
    const { hashes, seconds } = this.#seen
    // Who never finds anything does not keep the guess for ever.
    return hashes > 0 ? hashes / seconds : this.#rateGuess / (1 + seconds)
  }

  answered(expectedHashes: number, milliseconds: number): void {
    const { hashes, seconds } = this.#seen
    this.#earlier = this.#seen
    this.#seen = {
      failuresInARow: 0,
      liesInARow: 0,
      hashes: hashes * FADING + expectedHashes,
      // The clock counts whole milliseconds, and an easy search may take none.
      seconds: seconds * FADING + Math.max(1, milliseconds) / 1000,
    }
    this.#usableAt = 0
  }

  /** Time without a find counts too: otherwise only the lucky searches of a peer that is often stopped would. */
  stopped(milliseconds: number): void {
    this.#seen = { ...this.#seen, seconds: this.#seen.seconds + milliseconds / 1000 }
  }

  failed(): void {
    this.#rest({ ...this.#seen, failuresInARow: this.#seen.failuresInARow + 1 })
  }

  /** It will say the same in a second. */
  disabled(): void {
    this.#rest({ ...this.#seen, failuresInARow: this.#seen.failuresInARow + 1 }, BACK_OFF_MAX)
  }

  /** The last answer was invalid: it fixed nothing and says nothing about speed, and a liar is fast. */
  lied(): void {
    const { failuresInARow, liesInARow } = this.#earlier
    this.#earlier = { ...this.#earlier, failuresInARow: failuresInARow + 1, liesInARow: liesInARow + 1 }
    this.#rest(this.#earlier, liesInARow + 1 >= LIES_MAX ? BACK_OFF_MAX : undefined)
  }

  #rest(seen: Seen, milliseconds = Math.min(BACK_OFF * 2 ** (seen.failuresInARow - 1), BACK_OFF_MAX)): void {
    this.#seen = seen
    // What fails while it rests does not shorten the rest.
    this.#usableAt = Math.max(this.#usableAt, this.#clock.now() + milliseconds)
  }
}
