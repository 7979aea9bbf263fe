import { storeAway } from '../../kernel/errors.ts'
import { textOf } from '../../kernel/shape.ts'

/**
 * What a store says that passes by itself, and is never a fault of ours: sockets; and of PostgreSQL that the connection ended (08), that
 * the server takes no writes because another has its place (25006), ended a transaction that had waited (25P03, 25P04), let one of two
 * yield (40), has too little of something (53), stops, starts or recovers (57P), or cannot read its disk (58030).
 */
const AWAY_CODES =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08|25006|25P0[34]|40|53|57P|58030)/
/** What the library says of a connection that has no code to give. */
const AWAY_WORDS =
  /^(Connection (terminated|ended)|Client (has encountered a connection error|was closed)|The store does not answer|timeout (expired|exceeded)|Query read timeout)/
/** Another process holds the file. */
const SQLITE_AWAY = new Set([5, 6])

/** The server answers, but only to readers: what is stored there reaches no one, so the connection is of no use. */
export const READ_ONLY = '25006'

/** A failure of the store as a refusal with `Retry-After`, where it passes by itself; any other as it is. */
export function toStoreFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error ? error.code : undefined
  // SQLite's own codes are the lowest eight bits of the extended ones.
  const isAway = typeof code === 'number' ? SQLITE_AWAY.has(code & 0xff) : AWAY_CODES.test(textOf(code))
  return isAway || AWAY_WORDS.test(error.message) ? storeAway(error) : error
}
