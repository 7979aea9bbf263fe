import type { Freshness } from '../../kernel/ctx.ts'
import type { RememberedText } from './answer-cache.ts'

export interface Judge {
  isCurrent(body: string, keys: readonly string[], answer: RememberedText): boolean
}

/**
 * A finished answer is current as long as the node's answer it was made from. There is one of these for each finished
 * answer, so it is small.
 */
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
