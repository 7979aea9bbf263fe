import { createHash, timingSafeEqual } from 'node:crypto'
import type { Random } from '../../../kernel/ports.ts'
import type { TokenHash } from '../recipients-store.ts'

const BYTES = 32
const SELECTOR_LENGTH = 32
const FORM = /^[A-Za-z0-9_-]{43}$/

/** 256 bits that open a share. Their holder is its recipient. */
export function createToken(random: Random): string {
  return Buffer.from(random.bytes(BYTES)).toString('base64url')
}

/** What is kept of a token: half of its hash finds the row, the other half is compared without giving away how far it fits. */
export function hashToken(token: string): TokenHash {
  const hash = createHash('sha256').update(token).digest('hex')
  return { selector: hash.slice(0, SELECTOR_LENGTH), verifier: hash.slice(SELECTOR_LENGTH) }
}

/** A token as people paste it; undefined when it cannot be one. */
export function readToken(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  // A whole link is what many will paste.
  const token = text.slice(text.indexOf('#') + 1)
  return FORM.test(token) ? token : undefined
}

export function fits(given: TokenHash, kept: Pick<TokenHash, 'verifier'>): boolean {
  return timingSafeEqual(Buffer.from(given.verifier), Buffer.from(kept.verifier))
}
