/** Simulates the end of a process, as in a power cut: everything that it still tries fails. */
export class Crash extends Error {
  constructor() {
    super('The process has died.')
  }
}

/** Before the call has an effect, or after its effect and before its result is known. */
export type Moment = 'before' | 'after'

/** The outside calls of one process: counted, and set to crash the process or to fail. */
export class Faults {
  #calls = 0
  #crashAt = Infinity
  #moment: Moment = 'before'
  #deadly = true
  #dead = false
  /** True once the chosen call has happened. */
  fired = false
  /** Resolves when the chosen call has ended, if it has begun: its caller may have been answered before. */
  ended: Promise<void> = Promise.resolve()
  /** Calls in progress. */
  pending = 0

  get calls(): number {
    return this.#calls
  }

  get dead(): boolean {
    return this.#dead
  }

  /** Crashes the process at the n-th call from now on. */
  crashAt(call: number, moment: Moment): void {
    this.#arm(call, moment, true)
  }

  /** Lets the n-th call from now on fail once, without ending the process. */
  failAt(call: number, moment: Moment): void {
    this.#arm(call, moment, false)
  }

  #arm(call: number, moment: Moment, deadly: boolean): void {
    this.#crashAt = this.#calls + call
    this.#moment = moment
    this.#deadly = deadly
    this.fired = false
    this.ended = Promise.resolve()
  }

  disarm(): void {
    this.#crashAt = Infinity
  }

  /** A counted call, which may be the last one. */
  async call<T>(run: () => Promise<T>): Promise<T> {
    this.#mustLive()
    const isLast = ++this.#calls === this.#crashAt
    if (isLast && this.#moment === 'before') this.#die()
    const { promise, resolve } = Promise.withResolvers<void>()
    if (isLast) this.ended = promise
    try {
      return await this.track(run)
    } finally {
      resolve()
      if (isLast) this.#die()
    }
  }

  /** A call that changes nothing: it is not counted, but fails once the process is dead. */
  async track<T>(run: () => Promise<T>): Promise<T> {
    this.#mustLive()
    return this.wait(run)
  }

  /** Work of the engine itself, which also runs for dead processes; the clock must not advance meanwhile. */
  async wait<T>(run: () => Promise<T>): Promise<T> {
    this.pending++
    try {
      return await run()
    } finally {
      this.pending--
    }
  }

  #mustLive(): void {
    if (this.#dead) throw new Crash()
  }

  #die(): never {
    this.fired = true
    this.#dead = this.#deadly
    throw this.#deadly ? new Crash() : new Error('A call failed.')
  }
}
