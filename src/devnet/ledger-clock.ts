import type { Clock } from '../kernel/ports.ts'

interface Timer {
  at: number
  run: () => void
  cancel: () => void
}

/**
 * The ledger's own time. It advances with the underlying clock and can be set; timers that become due by setting it
 * fire at once.
 */
export class LedgerClock implements Clock {
  readonly #beneath: Clock
  readonly #timers = new Set<Timer>()
  #shift = 0

  constructor(beneath: Clock) {
    this.#beneath = beneath
  }

  /** How many milliseconds this clock is ahead of the underlying one. */
  get shift(): number {
    return this.#shift
  }

  now(): number {
    return this.#beneath.now() + this.#shift
  }

  after(milliseconds: number, run: () => void): () => void {
    const timer: Timer = { at: this.now() + milliseconds, run, cancel: () => undefined }
    this.#timers.add(timer)
    this.#arm(timer)
    return () => {
      timer.cancel()
      this.#timers.delete(timer)
    }
  }

  /** Sets how far the clock is ahead. Setting it back does not prolong the waits of current requests. */
  shiftTo(shift: number): void {
    const by = shift - this.#shift
    this.#shift = shift
    for (const timer of [...this.#timers].sort((a, b) => a.at - b.at)) {
      if (!this.#timers.has(timer)) continue
      if (by < 0) timer.at += by
      timer.cancel()
      if (timer.at <= this.now()) this.#end(timer)
      else this.#arm(timer)
    }
  }

  #arm(timer: Timer): void {
    timer.cancel = this.#beneath.after(timer.at - this.now(), () => this.#end(timer))
  }

  #end(timer: Timer): void {
    this.#timers.delete(timer)
    timer.run()
  }
}
