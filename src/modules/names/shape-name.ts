import { lazily } from '../../kernel/lazily.ts'
import type { KnownName } from '../../kernel/ports.ts'
import type { JsonObject } from '../../kernel/shape.ts'

const date = lazily(() => new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }))

export const toUnix = (milliseconds: number) => Math.floor(milliseconds / 1000)
/** A day for people to read, in UTC: `November 15, 2026`. */
export const toDay = (milliseconds: number) => date().format(milliseconds)

/** A known name (contract 2), and what its owner tells about it. */
export function showName({ name, address, createdAt, expiresAt, profile }: KnownName): JsonObject {
  return {
    ...profile,
    name,
    address,
    created: toDay(createdAt),
    expires: toDay(expiresAt),
    created_unix: toUnix(createdAt),
    expires_unix: toUnix(expiresAt),
  }
}
