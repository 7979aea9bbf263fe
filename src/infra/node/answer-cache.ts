import { LRUCache } from 'lru-cache'
import type { NodeAnswer } from '../../kernel/ports.ts'

interface Entry {
  answer: NodeAnswer
  /** Undefined when nothing that happens can change the answer. */
  stamp: number | undefined
  expiresAt: number
}

/** Answers by request, bounded by bytes; what was not used for longest goes first. */
export class AnswerCache {
  readonly #entries: LRUCache<string, Entry>
  readonly #entryBytesMax: number

  constructor(bytesMax: number) {
    this.#entries = new LRUCache({ maxSize: bytesMax })
    this.#entryBytesMax = bytesMax / 8
  }

  get bytes(): number {
    return this.#entries.calculatedSize
  }

  find(key: string, stamp: number, now: number): NodeAnswer | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if ((entry.stamp === undefined || entry.stamp === stamp) && entry.expiresAt > now) return entry.answer
    this.#entries.delete(key)
    return undefined
  }

  /** `now` lets what has expired go at once: under many different requests it would fill the cache with the past. */
  put(key: string, answer: NodeAnswer, { stamp, expiresAt }: Omit<Entry, 'answer'>, now = 0): void {
    // Two bytes a character, and about as much again for the objects around them.
    const size = (key.length + JSON.stringify(answer).length) * 4
    if (size > this.#entryBytesMax) {
      this.#entries.delete(key)
      return
    }
    this.#entries.set(key, { answer, stamp, expiresAt }, { size })
    for (const oldest of this.#entries.rkeys()) {
      if (this.#entries.peek(oldest)!.expiresAt > now) break
      this.#entries.delete(oldest)
    }
  }
}
