import type { NodeAnswer } from '../../kernel/ports.ts'

interface Entry {
  answer: NodeAnswer
  /** Undefined when nothing that happens can change the answer. */
  stamp: number | undefined
  expiresAt: number
  bytes: number
}

/** Answers by request, bounded by bytes; what was not used for longest goes first. */
export class AnswerCache {
  readonly #entries = new Map<string, Entry>()
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  find(key: string, stamp: number, now: number): NodeAnswer | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if ((entry.stamp !== undefined && entry.stamp !== stamp) || entry.expiresAt <= now) {
      this.#remove(key, entry)
      return undefined
    }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.answer
  }

  /** `now` lets what has expired go at once: under many different requests it would fill the cache with the past. */
  put(key: string, answer: NodeAnswer, { stamp, expiresAt }: Pick<Entry, 'stamp' | 'expiresAt'>, now = 0): void {
    const known = this.#entries.get(key)
    if (known) this.#remove(key, known)
    // Two bytes a character, and about as much again for the objects around them.
    const bytes = (key.length + JSON.stringify(answer).length) * 4
    if (bytes > this.#bytesMax / 8) return
    this.#entries.set(key, { answer, stamp, expiresAt, bytes })
    this.#bytes += bytes
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#bytesMax && entry.expiresAt > now) break
      this.#remove(oldest, entry)
    }
  }

  #remove(key: string, entry: Entry): void {
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
  }
}
