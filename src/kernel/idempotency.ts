import type { JsonObject } from './shape.ts'
import type { Db } from './db.ts'
import { encryptedIn } from './encrypted.ts'

const key = ['account_id', 'action', 'key'] as const

/** The context that encrypts a stored answer, and what a run has made: it binds them to their request. */
export const keptAnswerContext = encryptedIn(
  { table: 'idempotency', columns: ['answer'], key, member: 'text' },
  (accountId, action) => `idempotency:${accountId}:${action}`,
)
export const madeContext = encryptedIn(
  { table: 'idempotency', columns: ['made'], key },
  (accountId, action, name) => `deed:${accountId}:${action}:${name}`,
)

/**
 * The memory of a request with an `Idempotency-Key`. A domain function that makes something records it in the same transaction: then
 * only one run makes it, and a later run finds it.
 */
export interface Idempotency {
  /** The client's name for the request. */
  readonly key: string
  /** Whether an earlier run has begun and did not end: what it did may or may not have happened. */
  readonly resumed: boolean
  /** What the earlier run has recorded. */
  readonly made: JsonObject | undefined
  /** Throws where another run has taken over, so that this transaction is rolled back. */
  record(tx: Db, made: JsonObject): Promise<void>
}
