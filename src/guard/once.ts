import { createHash } from 'node:crypto'
import { AppError, type ErrorCode } from '../kernel/errors.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import type { SecretBox } from '../kernel/ports.ts'
import {
  type RepeatKey,
  deleteStarted,
  findSeenRequest,
  insertStarted,
  markFinished,
  markTakenOver,
} from '../modules/accounts/index.ts'
import type { RequestHeaders } from './credential.ts'

const KEPT_MILLISECONDS = 24 * 3_600_000
/** Nothing runs this long; whoever started it has died. */
const CRASHED_AFTER = 10 * 60_000
/** How often a key may change hands while we look at it. */
const LOOKS_MAX = 5
const PRINTABLE = /^[\x20-\x7e]{1,255}$/
/**
 * Refusals that the client can lift without changing its request: buying credits, waiting, asking for a permission.
 * Nothing has happened, so the key is free again.
 */
const LIFTABLE = new Set([401, 402, 403, 404, 409, 429])

interface OnceRequest extends RepeatKey {
  fingerprint: string
  /** Called when the answer, or the refusal, is a stored one. */
  onReplay(): void
}

/** The store that keeps answers, and what seals them there: some hold what is shown once, or somebody's mail address. */
export interface OnceCtx extends Pick<StoreCtx, 'db' | 'clock' | 'failures'> {
  secrets: Pick<SecretBox, 'seal' | 'open'>
}

type Kept = { text: string } | { refusal: { code: ErrorCode; message: string; body: AppError['body'] } }

/**
 * Runs a request once for each key of an account and action (contract 8). The first one runs and its answer is kept for
 * 24 hours; a repeated one gets the same bytes, one with another body or while the first still runs gets 409. A failure
 * on our side frees the key, and so does a refusal that the client can lift.
 */
export async function once(
  { db, clock, secrets, failures }: OnceCtx,
  { fingerprint, onReplay, ...key }: OnceRequest,
  run: () => Promise<string>,
): Promise<string> {
  const place = `idempotency:${key.accountId}:${key.action}`
  const claim = await claimKey({ db, clock }, key, fingerprint)
  if ('kept' in claim) {
    onReplay()
    return secrets.open(place, replay(claim.kept))
  }
  const { startedAt } = claim
  const keep = (kept: Kept) =>
    markFinished(db, key, { startedAt, answer: JSON.stringify(kept), expiresAt: clock.now() + KEPT_MILLISECONDS })
  let text: string
  try {
    text = await run()
  } catch (error) {
    const settled =
      error instanceof AppError && error.status < 500 && !LIFTABLE.has(error.status)
        ? keep({ refusal: { code: error.code, message: error.message, body: error.body } })
        : deleteStarted(db, key, startedAt)
    await settled.catch(failures.lost('once.key'))
    throw error
  }
  // It has happened: the client gets its answer even when it cannot be kept.
  await keep({ text: secrets.seal(place, text) }).catch(failures.failed('once.answer', { doing: key.action }))
  return text
}

/** The right to run, or what a finished run has left. */
async function claimKey(
  { db, clock }: Pick<StoreCtx, 'db' | 'clock'>,
  key: RepeatKey,
  fingerprint: string,
): Promise<{ startedAt: number } | { kept: string }> {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const now = clock.now()
    const started = { fingerprint, now, expiresAt: now + KEPT_MILLISECONDS }
    if (await insertStarted(db, key, started)) return { startedAt: now }
    const seen = await findSeenRequest(db, key)
    // Freed between the two statements.
    if (!seen) continue
    const expired = seen.expiresAt <= now
    if (!expired && seen.fingerprint !== fingerprint) throw conflict()
    if (!expired && seen.status === 'finished') return { kept: seen.answer! }
    if (!expired && seen.createdAt > now - CRASHED_AFTER) throw inFlight()
    if (await markTakenOver(db, key, seen, started)) return { startedAt: now }
  }
  throw inFlight()
}

/** The sealed answer that was kept, or the refusal. */
function replay(stored: string): string {
  const kept = JSON.parse(stored) as Kept
  if ('text' in kept) return kept.text
  const { code, message, body } = kept.refusal
  throw new AppError(code, message, { body })
}

const conflict = () => new AppError('idempotency_conflict', 'This Idempotency-Key was used with another request.')
const inFlight = () =>
  new AppError('idempotency_in_flight', 'The first request with this Idempotency-Key is still running.', {
    retryAfterSeconds: 1,
  })

/** The key of a request from its header or body; undefined when it has none. */
export function readIdempotencyKey(
  headers: RequestHeaders,
  body: Readonly<Record<string, unknown>>,
): string | undefined {
  const given = [
    ['Idempotency-Key', headers['idempotency-key']],
    ['idempotency_key', body.idempotency_key],
  ] as const
  let found: string | undefined
  for (const [field, value] of given) {
    if (value === undefined || value === null) continue
    if (typeof value !== 'string' || !PRINTABLE.test(value)) {
      throw new AppError('invalid_request', `${field} must be 1 to 255 printable characters.`, { body: { field } })
    }
    if (found !== undefined && found !== value) {
      const text = 'Two different idempotency keys were given.'
      throw new AppError('invalid_request', text, { body: { field } })
    }
    found = value
  }
  return found
}

/** Members that say who asks and how often, and not what for; the action is part of the key's scope. */
const NOT_MEANT = new Set(['action', 'key', 'public_key', 'idempotency_key'])

/**
 * Equal for bodies that mean the same, in whatever order their members stand. What is a field of the action itself, such
 * as the `key` of `account_get`, is always meant.
 */
export function fingerprintOf(body: Readonly<Record<string, unknown>>, fields: object = {}): string {
  const meant = Object.entries(body).filter(([name]) => Object.hasOwn(fields, name) || !NOT_MEANT.has(name))
  return createHash('sha256')
    .update(canonical(Object.fromEntries(meant)))
    .digest('hex')
}

/** Depth is bounded by whoever has read the body. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`
}
