import { storeAway, storeUnwritable } from '../../kernel/errors.ts'
import { textOf } from '../../kernel/shape.ts'

/**
 * Codes of temporary failures of a store, none of which is a fault of ours: sockets; and of PostgreSQL, that the connection ended (08),
 * a waiting transaction was ended (25P03, 25P04), one of two transactions was aborted (40), resources are short (53), the server stops,
 * starts or recovers (57P), or cannot read its disk (58030).
 */
const AWAY_CODES = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08|25P0[34]|40|53|57P|58030)/
/** Messages of the library about lost connections, which have no code. */
const AWAY_WORDS =
  /^(Connection (terminated|ended)|Client (has encountered a connection error|was closed)|The store does not answer|timeout (expired|exceeded)|Query read timeout)/
/** Another process has locked the file, or it cannot be opened. SQLite's basic codes are the lowest eight bits of the extended ones. */
const SQLITE_AWAY = new Set([5, 6, 14])

/** The server is read-only: such a connection cannot be used. */
export const READ_ONLY = '25006'

/** Why a store that can be read cannot be written. */
const UNWRITABLE = new Map<unknown, string>([
  ['53100', 'disk full'],
  [READ_ONLY, 'read-only'],
  [13, 'disk full'],
  [8, 'read-only'],
  [10, 'disk error'],
])

/** Whether a store accepts writes, judging by its latest failures. */
export class StoreHealth {
  onUnwritable: () => void = () => undefined
  #unwritable: string | undefined

  /** Why it does not. */
  get unwritable(): string | undefined {
    return this.#unwritable
  }

  recover(): void {
    this.#unwritable = undefined
  }

  /** Turns a failure of the store into a refusal with `Retry-After`, unless it is a fault of ours, which stays as it is. */
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
