import type { Clock } from '../kernel/ports.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  },
}

const ASK_EVERY = 10_000
/** A reading that took longer is too inaccurate. */
const ASKED_MAX = 1_000

/**
 * A clock that can follow another: all gateways on a store follow the clock of the store. Between readings it uses a
 * monotonic counter, so setting the clock of this machine changes nothing.
 */
export class FollowingClock implements Clock {
  readonly #wall: () => number
  /** The time at one value of the monotonic counter, which nobody can set. */
  #anchor: { time: number; at: number } | undefined

  constructor(wall: () => number = Date.now) {
    this.#wall = wall
  }

  now(): number {
    if (!this.#anchor) return this.#wall()
    return Math.round(this.#anchor.time + performance.now() - this.#anchor.at)
  }

  after(milliseconds: number, run: () => void): () => void {
    return systemClock.after(milliseconds, run)
  }

  /** Starts to follow another clock; resolves after the first reading, even if that failed. */
  async follow(readTime: () => Promise<number>, onFailure: (error: unknown) => void): Promise<() => void> {
    let stopped = false
    let cancel = () => {}
    const look = async () => {
      await this.#look(readTime).catch(onFailure)
      if (!stopped) cancel = this.after(ASK_EVERY, () => void look())
    }
    await look()
    return () => {
      stopped = true
      cancel()
    }
  }

  async #look(readTime: () => Promise<number>): Promise<void> {
    const askedAt = performance.now()
    const time = await readTime()
    const receivedAt = performance.now()
    if (receivedAt - askedAt > ASKED_MAX) return
    this.#anchor = { time, at: (askedAt + receivedAt) / 2 }
  }
}
