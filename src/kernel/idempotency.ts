import type { JsonObject } from './shape.ts'
import type { Db } from './db.ts'

/**
 * What a request with an `Idempotency-Key` does, however often it is asked for. A domain function that makes something records it in the
 * transaction that makes it: then it is made by one run, and a later run finds it.
 */
export interface Idempotency {
  /** What the client calls it. */
  readonly key: string
  /** An earlier run has begun and did not end: what it did may or may not have happened. */
  readonly resumed: boolean
  /** What the earlier run has recorded. */
  readonly made: JsonObject | undefined
  /** Throws where another run has taken this one over, so that its transaction comes to nothing. */
  record(tx: Db, made: JsonObject): Promise<void>
}
