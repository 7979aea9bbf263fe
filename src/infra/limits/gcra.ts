import type { Clock, LimitDecision, RateLimiter } from '../../kernel/ports.ts'

/** The time in which a complete allowance is earned, in milliseconds. */
export const WINDOW = 60_000
/** Largest total rounding error, in milliseconds: there are thousands of intervals in a window. */
export const ROUNDING = 0.1

/**
 * A sliding limit with one time stamp per key (generic cell rate algorithm): a whole minute's allowance may be used at
 * once, then requests are admitted as they are earned.
 */
export class MemoryLimiter implements RateLimiter {
  readonly #clock: Clock
  /** Time stamps count from here: milliseconds since 1970 are too large to add small fractions to. */
  readonly #start: number
  /** When the allowance of each key will be complete again. A key may be dropped one window after its last request. */
  readonly #wholeAt: Generations<number>

  constructor(clock: Clock, keysMax?: number) {
    this.#clock = clock
    this.#start = clock.now()
    this.#wholeAt = new Generations(WINDOW, keysMax)
  }

  /** Number of time stamps. */
  get size(): number {
    return this.#wholeAt.size
  }

  take(key: string, perMinute: number): LimitDecision {
    const now = this.#clock.now() - this.#start
    let spent = Math.max((this.#wholeAt.get(key) ?? now) - now, 0)
    if (spent > WINDOW + ROUNDING) {
      // No key can have used more than the whole allowance, so the clock was set back: correct the stamp.
      spent = WINDOW
      this.#wholeAt.set(key, now + spent, now)
    }
    const next = spent + WINDOW / perMinute
    if (next > WINDOW + ROUNDING) return refused(perMinute, spent)
    this.#wholeAt.set(key, now + next, now)
    return allowed(perMinute, next)
  }
}

/** `spent` is the time, in milliseconds, until the allowance is complete again after this request. */
export function allowed(perMinute: number, spent: number): LimitDecision {
  const remaining = Math.max(0, Math.floor(((WINDOW - spent + ROUNDING) * perMinute) / WINDOW))
  return { allowed: true, limit: perMinute, remaining, resetSeconds: toSeconds(spent), retryAfterSeconds: 0 }
}

export function refused(perMinute: number, spent: number): LimitDecision {
  const retryAfterSeconds = Math.max(1, toSeconds(spent + WINDOW / perMinute - WINDOW))
  return { allowed: false, limit: perMinute, remaining: 0, resetSeconds: toSeconds(spent), retryAfterSeconds }
}

/** Rounds up to whole seconds, but ignores a thousandth of a millisecond, which is a rounding error. */
function toSeconds(milliseconds: number): number {
  return Math.max(0, Math.ceil(milliseconds / 1000 - 1e-6))
}

const KEYS_MAX = 200_000

/**
 * A bounded map that drops entries by generation: entries not written for one to two lifetimes are gone, without a
 * timer or a loop over the entries. Too many keys start the next generation early.
 */
export class Generations<T> {
  readonly #lifetime: number
  readonly #perGenerationMax: number
  #young = new Map<string, T>()
  #old = new Map<string, T>()
  #since = 0

  constructor(lifetimeMilliseconds: number, keysMax = KEYS_MAX) {
    this.#lifetime = lifetimeMilliseconds
    this.#perGenerationMax = Math.max(1, Math.floor(keysMax / 2))
  }

  /** Upper bound of the number of entries: a key in both generations counts twice. */
  get size(): number {
    return this.#young.size + this.#old.size
  }

  get(key: string): T | undefined {
    return this.#young.get(key) ?? this.#old.get(key)
  }

  set(key: string, value: T, now: number): void {
    if (now - this.#since >= this.#lifetime) {
      // After two lifetimes without a write, both generations are outdated.
      this.#old = now - this.#since >= 2 * this.#lifetime ? new Map() : this.#young
      this.#young = new Map()
      this.#since = now
    } else if (this.#young.size >= this.#perGenerationMax && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
      this.#since = now
    }
    this.#young.set(key, value)
  }
}
