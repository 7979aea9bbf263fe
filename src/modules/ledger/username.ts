import type { Names } from '../../kernel/ports.ts'
import type { JsonObject } from '../../kernel/shape.ts'

/** Adds the username of the address in `name`, when it has one. */
export function withUsername(names: Names, record: JsonObject, name: string): JsonObject {
  const address = record[name]
  const username = typeof address === 'string' ? names.usernameOf(address) : undefined
  return username === undefined ? record : { ...record, username }
}
