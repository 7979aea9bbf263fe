import type { JsonObject } from './shape.ts'
import type { Db } from './db.ts'
import { encryptedIn } from './encrypted.ts'

const key = ['account_id', 'action', 'key'] as const

/** The encryption context of a stored answer and of what a run has made, which ties them to their request. */
export const keptAnswerContext = encryptedIn(
  { table: 'idempotency', columns: ['answer'], key, member: 'text' },
  (accountId, action) => `idempotency:${accountId}:${action}`,
)
export const madeContext = encryptedIn(
  { table: 'idempotency', columns: ['made'], key },
  (accountId, action, name) => `deed:${accountId}:${action}:${name}`,
)

/**
 * What is stored about a request with an `Idempotency-Key`. A domain function records what it makes in the same
 * transaction, so that only one run makes it and a later run finds it.
 */
export interface Idempotency {
  /** The key that the client sent. */
  readonly key: string
  /** Whether an earlier run has begun but not ended: it may or may not have had an effect. */
  readonly resumed: boolean
  /** What the earlier run has recorded. */
  readonly made: JsonObject | undefined
  /** Throws if another run has taken over, so that this transaction is rolled back. */
  record(tx: Db, made: JsonObject): Promise<void>
}
