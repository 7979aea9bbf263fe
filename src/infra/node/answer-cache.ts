import { LRUCache } from 'lru-cache'
import { memoryOf } from '../../kernel/text-memory.ts'

/**
 * An answer as the node wrote it. The text takes a fraction of the memory of the parsed object, and nobody can modify
 * it.
 */
export interface RememberedText {
  text: string
  /** Undefined if no event can change the answer. */
  stamp: number | undefined
  expiresAt: number
}

/** Measured memory of the objects around the texts. */
const OVERHEAD_BYTES = 220

/** Answers by request, limited in bytes; the least recently used are dropped first. */
export class AnswerCache {
  readonly #entries: LRUCache<string, RememberedText>
  readonly #entryBytesMax: number

  constructor(bytesMax: number) {
    this.#entries = new LRUCache({ maxSize: Math.ceil(bytesMax) })
    this.#entryBytesMax = bytesMax / 8
  }

  get bytes(): number {
    return this.#entries.calculatedSize
  }

  find(key: string, stamp: number, now: number): RememberedText | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if ((entry.stamp === undefined || entry.stamp === stamp) && entry.expiresAt > now) return entry
    this.#entries.delete(key)
    return undefined
  }

  /**
   * An entry that expired before `now` is dropped at once; otherwise many different requests would fill the cache with
   * expired entries.
   */
  put(key: string, { text, stamp, expiresAt }: RememberedText, now = 0): void {
    const size = memoryOf(key) + memoryOf(text) + OVERHEAD_BYTES
    if (size > this.#entryBytesMax) {
      this.#entries.delete(key)
      return
    }
    this.#entries.set(key, { text, stamp, expiresAt }, { size })
    for (const oldest of this.#entries.rkeys()) {
      if (this.#entries.peek(oldest)!.expiresAt > now) break
      this.#entries.delete(oldest)
    }
  }
}
