/**
 * Remembers the most recent texts: at least half of the maximum, never more than it. The older half is dropped at once:
 * a set that drops its first entries one by one becomes slow, because it has to skip the gaps they leave.
 */
export class BoundedSet {
  readonly #half: number
  #texts = new Set<string>()
  #before = new Set<string>()

  constructor(max: number) {
    this.#half = Math.ceil(max / 2)
  }

  has(text: string): boolean {
    return this.#texts.has(text) || this.#before.has(text)
  }

  add(text: string): void {
    if (this.#texts.add(text).size < this.#half) return
    this.#before = this.#texts
    this.#texts = new Set()
  }
}
