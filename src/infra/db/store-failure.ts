import { storeAway, storeUnwritable } from '../../kernel/errors.ts'
import { textOf } from '../../kernel/shape.ts'

/**
 * Codes of temporary failures of a store, which are not faults of ours. They are codes of sockets, and of PostgreSQL:
 * the connection ended (08), a waiting transaction was ended (25P03, 25P04), one of two conflicting transactions was
 * aborted (40), resources are short (53), the server stops, starts or recovers (57P), or it cannot read its disk
 * (58030).
 */
const AWAY_CODES = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08|25P0[34]|40|53|57P|58030)/
/** Messages of the library about lost connections; these errors have no code. */
const AWAY_WORDS =
  /^(Connection (terminated|ended)|Client (has encountered a connection error|was closed)|The store does not answer|timeout (expired|exceeded)|Query read timeout)/
/**
 * Another process has locked the file, or the file cannot be opened. The lowest eight bits of an extended code are
 * SQLite's basic code.
 */
const SQLITE_AWAY = new Set([5, 6, 14])

/** PostgreSQL's code for a read-only server; such a connection cannot be used. */
export const READ_ONLY = '25006'

/** Reasons why a store can be read but not written. */
const UNWRITABLE = new Map<unknown, string>([
  ['53100', 'disk full'],
  [READ_ONLY, 'read-only'],
  [13, 'disk full'],
  [8, 'read-only'],
  [10, 'disk error'],
])

/** Knows from the latest failures whether a store accepts writes. */
export class StoreHealth {
  onUnwritable: () => void = () => undefined
  #unwritable: string | undefined

  /** Why the store accepts no writes; undefined while it does. */
  get unwritable(): string | undefined {
    return this.#unwritable
  }

  recover(): void {
    this.#unwritable = undefined
  }

  /**
   * Turns a temporary failure of the store into a refusal with `Retry-After`. A fault of ours is returned unchanged.
   */
  readonly judge = (error: unknown): unknown => {
    if (!(error instanceof Error)) return error
    const value = 'code' in error ? error.code : undefined
    const code = typeof value === 'number' ? value & 0xff : textOf(value)
    const reason = UNWRITABLE.get(code)
    if (reason !== undefined) {
      const isNew = this.#unwritable === undefined
      this.#unwritable = reason
      if (isNew) this.onUnwritable()
      return storeUnwritable(reason, error)
    }
    const isAway = typeof code === 'number' ? SQLITE_AWAY.has(code) : AWAY_CODES.test(code)
    return isAway || AWAY_WORDS.test(error.message) ? storeAway(error) : error
  }
}
