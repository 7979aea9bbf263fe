/** Everything ends here, as in a power cut: whatever a dead process still tries fails as well. */
export class Crash extends Error {
  constructor() {
    super('The process has died.')
  }
}

/** Before the call reaches anybody, or after it took effect and before anybody heard of it. */
export type Moment = 'before' | 'after'

/**
 * One process, seen from outside: it counts what goes in and out, and can be told to die at a call, or to have calls fail.
 * What the process itself remembers is dropped with it.
 */
export class Faults {
  #calls = 0
  #crashAt = Infinity
  #moment: Moment = 'before'
  #deadly = true
  #dead = false
  /** Whether the call that was armed has come. */
  fired = false
  /** Resolves when the call that was armed is over, if it has begun: what asked for it may have been answered before. */
  ended: Promise<void> = Promise.resolve()
  /** Calls that are under way. */
  pending = 0

  get calls(): number {
    return this.#calls
  }

  get dead(): boolean {
    return this.#dead
  }

  /** The n-th call from now on is the last. */
  crashAt(call: number, moment: Moment): void {
    this.#arm(call, moment, true)
  }

  /** The n-th call from now on fails, once, and the process lives. */
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

  /** A call that may be the last one. */
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

  /** A call that changes nothing: it is not counted, and it fails once the process is dead. */
  async track<T>(run: () => Promise<T>): Promise<T> {
    this.#mustLive()
    return this.wait(run)
  }

  /** What the engine does also for the dead: it takes its time, in which nobody waits for the clock. */
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
