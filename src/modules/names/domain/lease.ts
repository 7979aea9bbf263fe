import type { JsonObject } from '../../../kernel/shape.ts'

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
