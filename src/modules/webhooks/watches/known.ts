/** This many digits identify a hash among a few thousand. */
const DIGITS = 16

/** Hashes that cause no event, stored by their first digits. */
export class Known {
  readonly #beginnings: Set<string>

  constructor(packed: string) {
    this.#beginnings = new Set(packed.match(/.{16}/g))
  }

  has(hash: string): boolean {
    return this.#beginnings.has(hash.slice(0, DIGITS))
  }

  /** The list without the sends that the chain has received by now, and with further hashes. */
  repacked({ taken, more }: { taken: readonly string[]; more: readonly string[] }): string {
    const gone = new Set(taken.map((hash) => hash.slice(0, DIGITS)))
    return packKnown([...[...this.#beginnings].filter((beginning) => !gone.has(beginning)), ...more])
  }
}

/** In a fixed order, so that the same hashes give the same text. */
export const packKnown = (hashes: Iterable<string>): string =>
  [...new Set([...hashes].map((hash) => hash.slice(0, DIGITS)))].sort().join('')
