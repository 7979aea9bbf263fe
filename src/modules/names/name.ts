import { lazily } from '../../kernel/lazily.ts'
import type { KnownName } from '../../kernel/ports.ts'
import type { JsonObject } from '../../kernel/shape.ts'

/** Letters and digits of ASCII: nothing that looks like them and is something else. */
const NAME = /^[A-Za-z0-9]{1,30}$/

/** How a name is compared: in small letters. Undefined for what is no name; a letter that only becomes one is none. */
export function toNameKey(text: string): string | undefined {
  return NAME.test(text) ? text.toLowerCase() : undefined
}

/** What people cannot tell apart at a glance is the same here: `I`, `l` and `1`, `O` and `0`. */
export function toSkeleton(name: string): string {
  return name.toLowerCase().replaceAll('0', 'o').replaceAll(/[1i]/g, 'l')
}

/** A name that is or was leased. Times are milliseconds. */
export interface NameLease {
  /** In small letters. */
  key: string
  /** As its owner wrote it. */
  name: string
  /** The address that paid for it, and alone may extend or change it. */
  owner: string
  /** What it stands for. */
  address: string
  accountId: string | null
  createdAt: number
  expiresAt: number
  /** Until then it is reserved for its owner. */
  graceUntil: number
  profile: JsonObject
  changedAt: number
  /** Whether search engines may list its public page. */
  indexed: boolean
}

export type LeaseStatus = 'available' | 'leased' | 'grace'

/** What a lease is worth at a time (contract 3, Username). */
export function statusAt(
  { expiresAt, graceUntil }: Pick<NameLease, 'expiresAt' | 'graceUntil'>,
  at: number,
): LeaseStatus {
  if (at < expiresAt) return 'leased'
  return at < graceUntil ? 'grace' : 'available'
}

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
