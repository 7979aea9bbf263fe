import type { RegisteredAction } from './registry.ts'

export interface RememberedAnswer extends RegisteredAction {
  /** That of the door it was asked at. */
  prefix: string
  text: string
  /** Request fields that nobody read, told again with the answer. */
  ignoredNames: string | undefined
  /** Whether the node's answer it was made from still counts. */
  fresh: () => boolean
}

const BYTES_MAX = 8 * 1024 * 1024
const ENTRY_BYTES_MAX = 64 * 1024

/**
 * Finished answers by the door and the exact bytes of the request, for requests that repeat. It never decides by itself what is
 * fresh: that is the node cache's word, and with the cache switched off nothing is ever remembered here.
 */
export class RememberedAnswers {
  readonly #answers = new Map<string, RememberedAnswer>()
  #bytes = 0

  find(text: string, prefix: string): RememberedAnswer | undefined {
    const request = prefix + text
    const answer = this.#answers.get(request)
    // A body may be any text, also one that looks like the key of another door.
    if (answer === undefined || answer.prefix !== prefix) return undefined
    if (answer.fresh()) return answer
    this.#remove(request, answer)
    return undefined
  }

  put(text: string, answer: RememberedAnswer): void {
    const request = answer.prefix + text
    const bytes = bytesOf(request, answer)
    if (bytes > ENTRY_BYTES_MAX) return
    const known = this.#answers.get(request)
    if (known) this.#remove(request, known)
    this.#answers.set(request, answer)
    this.#bytes += bytes
    for (const [oldest, other] of this.#answers) {
      if (this.#bytes <= BYTES_MAX) break
      this.#remove(oldest, other)
    }
  }

  #remove(request: string, answer: RememberedAnswer): void {
    this.#answers.delete(request)
    this.#bytes -= bytesOf(request, answer)
  }
}

function bytesOf(request: string, { text }: RememberedAnswer): number {
  return (request.length + text.length) * 2 + 200
}
