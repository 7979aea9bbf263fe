/** Remembers a limited number of texts, the latest ones. */
export class BoundedSet {
  readonly #max: number
  readonly #texts = new Set<string>()

  constructor(max: number) {
    this.#max = max
  }

  has(text: string): boolean {
    return this.#texts.has(text)
  }

  add(text: string): void {
    this.#texts.add(text)
    if (this.#texts.size > this.#max) this.#texts.delete(this.#texts.values().next().value!)
  }
}
