/** So many digits of a hash are as good as all of them among a few thousand. */
const DIGITS = 16

/** Hashes that need no telling, by their beginnings. */
export class Known {
  readonly #beginnings: Set<string>

  constructor(packed: string) {
    this.#beginnings = new Set(packed.match(/.{16}/g))
  }

  has(hash: string): boolean {
    return this.#beginnings.has(hash.slice(0, DIGITS))
  }

  /** Without what the chain has taken, and with more of them. */
  packedAnew({ taken, more }: { taken: readonly string[]; more: readonly string[] }): string {
    const gone = new Set(taken.map((hash) => hash.slice(0, DIGITS)))
    return packKnown([...[...this.#beginnings].filter((beginning) => !gone.has(beginning)), ...more])
  }
}

/** In one order, so that the same hashes are the same text. */
export const packKnown = (hashes: Iterable<string>): string =>
  [...new Set([...hashes].map((hash) => hash.slice(0, DIGITS)))].sort().join('')
