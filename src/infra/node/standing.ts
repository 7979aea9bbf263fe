import type { Freshness } from '../../kernel/ctx.ts'
import type { RememberedText } from './answer-cache.ts'

/** Who knows whether a remembered answer is still the one to give. */
export interface Judge {
  isCurrent(body: string, keys: readonly string[], answer: RememberedText): boolean
}

/** That what was made from an answer stands as long as the answer does. There are as many as finished answers: it is small. */
export class Standing implements Freshness {
  readonly #judge: Judge
  readonly #body: string
  readonly #keys: readonly string[]
  readonly #answer: RememberedText

  constructor(judge: Judge, body: string, keys: readonly string[], answer: RememberedText) {
    this.#judge = judge
    this.#body = body
    this.#keys = keys
    this.#answer = answer
  }

  holds(): boolean {
    return this.#judge.isCurrent(this.#body, this.#keys, this.#answer)
  }
}
