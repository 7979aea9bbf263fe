import { type RecordIn, type RowIn, columns, flag, json, named, plain } from '../../kernel/resource/columns.ts'
import { lazily } from '../../kernel/lazily.ts'
import type { KnownName } from '../../kernel/ports.ts'
import type { JsonObject } from '../../kernel/shape.ts'

/** ASCII letters and digits only, so that no look-alike characters are possible. */
const NAME = /^[A-Za-z0-9]{1,30}$/

/**
 * The key by which names are compared, in lower case. Undefined for an invalid name. The name is checked before it is lowered, because a few other
 * letters become ASCII in lower case.
 */
export function toNameKey(text: string): string | undefined {
  return NAME.test(text) ? text.toLowerCase() : undefined
}

/** Maps characters that people confuse to the same one: `I`, `l` and `1`, `O` and `0`. */
export function toSkeleton(name: string): string {
  return name.toLowerCase().replaceAll('0', 'o').replaceAll(/[1i]/g, 'l')
}

/** A username that is or was leased; whether the lease is valid depends on the time. */
export const LEASE = columns({
  /** In lower case. */
  key: named('name', plain<string>()),
  /** As its owner wrote it. */
  name: named('display', plain<string>()),
  /** The address that paid for it; only it may extend or change the lease. */
  owner: plain<string>(),
  /** The address that the name resolves to. */
  address: plain<string>(),
  /** The account whose key leased it. */
  accountId: plain<string | null>(),
  createdAt: plain<number>(),
  expiresAt: plain<number>(),
  /** Until then the name is reserved for its owner. */
  graceUntil: plain<number>(),
  profile: json<JsonObject>(),
  changedAt: plain<number>(),
  /** Whether search engines may list its public page. */
  indexed: flag(),
})

export type NameLease = RecordIn<typeof LEASE>
export interface UsernamesTable extends RowIn<typeof LEASE> {
  /** The last notice about its end that was sent. */
  told: number
}

export type LeaseStatus = 'available' | 'leased' | 'grace'

/** The status of a lease at a time (contract 3, Username). */
export function statusAt(
  { expiresAt, graceUntil }: Pick<NameLease, 'expiresAt' | 'graceUntil'>,
  at: number,
): LeaseStatus {
  if (at < expiresAt) return 'leased'
  return at < graceUntil ? 'grace' : 'available'
}

const date = lazily(() => new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }))

export const toUnix = (milliseconds: number) => Math.floor(milliseconds / 1000)
/** A day as text in UTC: `November 15, 2026`. */
export const toDay = (milliseconds: number) => date().format(milliseconds)

/** A known name (contract 2), with its owner's profile. */
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
