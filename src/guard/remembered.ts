import { LRUCache } from 'lru-cache'
import type { Freshness } from '../kernel/ctx.ts'
import type { Leaving } from '../kernel/leaving.ts'
import type { Names } from '../kernel/ports.ts'
import { memoryOf } from '../kernel/text-memory.ts'
import type { Body } from './endpoints.ts'
import type { RegisteredAction } from './registry.ts'

type Credentials = Partial<Record<'key' | 'public_key', string>>

/** Only texts can be credentials; any other value may take a thousand times the memory of its text. */
export function credentialsOf({ key, public_key }: Body): Credentials | undefined {
  const texts: Credentials = {
    ...(typeof key === 'string' && { key }),
    ...(typeof public_key === 'string' && { public_key }),
  }
  return Object.keys(texts).length === 0 ? undefined : texts
}

/** What is known about a request without reading it again. */
interface KnownRequest {
  found: RegisteredAction
  /** The prefix of its endpoint. */
  prefix: string
  /** Request fields that were not read, repeated with the answer. */
  ignoredNames: string | undefined
  /** The credentials in the body: equal bytes bring the same ones, which are verified again each time. */
  credentials: Credentials | undefined
  /** Revision of the usernames when it was read: an answer may depend on a username, or contain one. */
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
  /** Waits for it as well, until the client leaves; refuses if something may have happened since it began. */
  join(leaving: Leaving): boolean
  /** Whether the client that began it has left: its failure then says nothing to others. */
  isAbandoned(): boolean
}

export type KnownAnswer = FinishedAnswer | RunningAnswer

const ENTRY_BYTES_MAX = 64 * 1024
/** An estimate for the objects around the texts. */
const OVERHEAD_BYTES = 400

/**
 * Answers by endpoint and exact bytes of the request, for requests that repeat: finished ones, and ones in progress. What is fresh is
 * decided by the node cache alone; while that is switched off, no finished answer is remembered.
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
    // A body may be any text, also one that looks like the key of another endpoint.
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
