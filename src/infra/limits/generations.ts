const KEYS_MAX = 200_000

/**
 * A bounded map that forgets by generation: what was not written for one to two lifetimes is gone, without a timer and
 * without ever walking the entries. Too many keys at once bring the next generation early.
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

  /** How many entries are held, at most; a key that moved on counts twice. */
  get size(): number {
    return this.#young.size + this.#old.size
  }

  get(key: string): T | undefined {
    return this.#young.get(key) ?? this.#old.get(key)
  }

  set(key: string, value: T, now: number): void {
    if (now - this.#since >= this.#lifetime) {
      // After two lifetimes without a write, the young are as outdated as the old.
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
