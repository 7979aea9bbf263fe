import { LRUCache } from 'lru-cache'
import type { Freshness } from '../kernel/ctx.ts'
import type { Leaving } from '../kernel/leaving.ts'
import type { Names } from '../kernel/ports.ts'
import { memoryOf } from '../kernel/text-memory.ts'
import type { Body } from './door.ts'
import type { RegisteredAction } from './registry.ts'

type Credentials = Partial<Record<'key' | 'public_key', string>>

/** Texts alone: of anything else no credential is made, and it may be a thousand times as large as it was written. */
export function credentialsOf({ key, public_key }: Body): Credentials | undefined {
  const texts: Credentials = {
    ...(typeof key === 'string' && { key }),
    ...(typeof public_key === 'string' && { public_key }),
  }
  return Object.keys(texts).length === 0 ? undefined : texts
}

/** What is known of a request without reading it again. */
interface KnownRequest {
  found: RegisteredAction
  /** That of the door it was asked at. */
  prefix: string
  /** Request fields that were not read, repeated with the answer. */
  ignoredNames: string | undefined
  /** What of the body may be a credential: equal bytes bring the same one, and it is asked after each time. */
  credentials: Credentials | undefined
  /** Of the names when it was read: an answer may have been made through a name, or carry one. */
  namesRevision: number
}

interface FinishedAnswer extends KnownRequest {
  text: string
  /** Whether the node's answer it was made from still counts. */
  freshness: Freshness
  running?: undefined
}

/** An answer that another request waits for. */
interface RunningAnswer extends KnownRequest {
  running: Promise<string>
  /** Waits for it too, until the client leaves; not where something may have happened since it began. */
  join(leaving: Leaving): boolean
  /** Whether the client who began it has left: what comes of it then is no answer for others. */
  isAbandoned(): boolean
}

export type KnownAnswer = FinishedAnswer | RunningAnswer

const ENTRY_BYTES_MAX = 64 * 1024
/** Of the objects around the texts, estimated. */
const OVERHEAD_BYTES = 400

/**
 * Answers by the door and the exact bytes of the request, for requests that repeat: those that are finished, and those that
 * a caller waits for. It never decides by itself what is fresh: that is the nodes' word, and with their cache switched off
 * nothing finished is remembered here.
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
    // A body may be any text, also one that looks like the key of another door.
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

  /** Lets others wait for an answer that is on its way. */
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
