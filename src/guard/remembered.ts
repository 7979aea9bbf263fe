import { LRUCache } from 'lru-cache'
import type { Freshness } from '../kernel/ctx.ts'
import type { Leaving } from '../kernel/leaving.ts'
import type { Names } from '../kernel/ports.ts'
import { memoryOf } from '../kernel/text-memory.ts'
import type { Body } from './endpoints.ts'
import type { RegisteredAction } from './registry.ts'

type Credentials = Partial<Record<'key' | 'public_key', string>>

/** Only text can be a credential; a parsed value may take a thousand times the memory of its text. */
export function credentialsOf({ key, public_key }: Body): Credentials | undefined {
  const texts: Credentials = {
    ...(typeof key === 'string' && { key }),
    ...(typeof public_key === 'string' && { public_key }),
  }
  return Object.keys(texts).length === 0 ? undefined : texts
}

/** What a request with the same bytes can reuse without being read again. */
interface KnownRequest {
  found: RegisteredAction
  prefix: string
  /** Request fields that were not read, repeated with the answer. */
  ignoredNames: string | undefined
  /** The credentials in the body. Equal bytes contain the same ones; they are verified again each time. */
  credentials: Credentials | undefined
  /** Revision of the usernames at the time of reading, because an answer may depend on a username or contain one. */
  namesRevision: number
}

interface FinishedAnswer extends KnownRequest {
  text: string
  /** Whether the node's answer from which it was made is still current. */
  freshness: Freshness
  running?: undefined
}

/** An answer that is still being made. */
interface RunningAnswer extends KnownRequest {
  running: Promise<string>
  /**
   * Waits for the answer, too, until the client leaves. Refuses if something relevant may have happened since the read
   * began.
   */
  join(leaving: Leaving): boolean
  /** Whether the client that began the read has left. A failure then says nothing about the answer. */
  isAbandoned(): boolean
}

export type KnownAnswer = FinishedAnswer | RunningAnswer

const ENTRY_BYTES_MAX = 64 * 1024
/** Estimated memory of the objects around the texts. */
const OVERHEAD_BYTES = 400

/**
 * Finished and running answers, by endpoint and exact bytes of the request. The node cache alone decides what is fresh;
 * if it is off, no finished answer is remembered.
 */
export class RememberedAnswers {
  readonly #finished: LRUCache<string, FinishedAnswer> | undefined
  readonly #running = new Map<string, RunningAnswer>()
  readonly #names: Names

  constructor(names: Names, bytesMax: number) {
    this.#names = names
    this.#finished = bytesMax >= 1 ? new LRUCache({ maxSize: Math.floor(bytesMax) }) : undefined
  }

  get bytes(): number {
    return this.#finished?.calculatedSize ?? 0
  }

  find(text: string, prefix: string): KnownAnswer | undefined {
    const request = prefix + text
    const answer = this.#finished?.get(request)
    // A body can be any text, even one that equals the key of another endpoint.
    if (answer?.prefix === prefix) {
      if (this.#isCurrent(answer) && answer.freshness.holds()) return answer
      this.#finished?.delete(request)
    }
    const running = this.#running.get(request)
    return running?.prefix === prefix && this.#isCurrent(running) ? running : undefined
  }

  #isCurrent({ namesRevision }: KnownRequest): boolean {
    return namesRevision === this.#names.revision
  }

  /** Lets others wait for an answer that is in progress. */
  share(text: string, answer: RunningAnswer): void {
    const request = answer.prefix + text
    this.#running.set(request, answer)
    const forget = () => {
      if (this.#running.get(request) === answer) this.#running.delete(request)
    }
    answer.running.then(forget, forget)
  }

  put(text: string, answer: FinishedAnswer): void {
    const request = answer.prefix + text
    const { key = '', public_key = '' } = answer.credentials ?? {}
    const texts = [request, answer.text, key, public_key]
    const size = texts.reduce((sum, one) => sum + memoryOf(one), OVERHEAD_BYTES)
    if (size <= ENTRY_BYTES_MAX) this.#finished?.set(request, answer, { size })
  }
}
