import { LRUCache } from 'lru-cache'
import { memoryOf } from '../../kernel/text-memory.ts'

/** An answer as the node wrote it: texts take a fraction of the room of what they mean, and cannot be changed. */
export interface RememberedText {
  text: string
  /** Undefined when nothing that happens can change the answer. */
  stamp: number | undefined
  expiresAt: number
}

/** Of the objects around the texts, as measured. */
const OVERHEAD_BYTES = 220

/** Answers by request, bounded by bytes; what was not used for longest goes first. */
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

  /** `now` lets what has expired go at once: under many different requests it would fill the cache with the past. */
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
