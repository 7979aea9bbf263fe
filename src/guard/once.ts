import { createHash } from 'node:crypto'
import { type Idempotency, keptAnswerContext, madeContext } from '../kernel/idempotency.ts'
import { AppError, type ErrorCode } from '../kernel/errors.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import type { SecretBox } from '../kernel/ports.ts'
import type { EncryptionContext } from '../kernel/encrypted.ts'
import type { JsonObject } from '../kernel/shape.ts'
import {
  type RepeatKey,
  findSeenRequest,
  insertStarted,
  markFailed,
  markFinished,
  markTakenOver,
  recordMade,
  renewLease,
} from '../modules/accounts/index.ts'
import { findRestore } from '../modules/wallets/index.ts'
import type { RequestHeaders } from './credential.ts'

const KEPT_MILLISECONDS = 24 * 3_600_000
/** A run renews its lease this often, and counts as dead when the lease has ended. */
const RENEWED_EVERY = 1_000
const LEASE_MILLISECONDS = 3_000
/** How often a second request checks whether the first has renewed its lease. */
const LOOK_EVERY = 250
const PRINTABLE = /^[\x20-\x7e]{1,255}$/
/**
 * Statuses of refusals that the client can resolve without changing the request: it buys credits, waits, or gets a
 * permission. Nothing has happened, so the Idempotency-Key may be used again.
 */
const LIFTABLE = new Set([401, 402, 403, 404, 409, 429])

/** The claims of all runs in this process. Those runs are alive, so their leases need not be checked. */
const running = new Set<string>()

interface OnceRequest extends RepeatKey {
  fingerprint: string
  /** Whether the request sends money. After a restore, an unknown key may be that of a send that the store has lost. */
  movesMoney?: boolean
  /** Called if the result is a stored answer or refusal. */
  onReplay(): void
}

/**
 * The store that keeps answers, and the box that encrypts them: some contain a secret that is shown once, or an email
 * address.
 */
export interface OnceCtx extends Pick<StoreCtx, 'db' | 'clock' | 'ids' | 'failures'> {
  secrets: Pick<SecretBox, 'encrypt' | 'open'>
}

type Kept = { text: string } | { refusal: { code: ErrorCode; message: string; body: AppError['body'] } }

/**
 * Runs a request once for each Idempotency-Key of an account and action (contract 8). The answer of the first request
 * is kept for 24 hours, and a repeated request gets the same bytes. It gets 409 if its body differs or the first
 * request still runs. A failure on our side frees the key, and so does a refusal that the client can resolve. If the
 * first request's process has died, the repeated request runs instead and finds what was made.
 */
export async function once(
  ctx: OnceCtx,
  { fingerprint, onReplay, movesMoney = false, ...key }: OnceRequest,
  run: (idempotency: Idempotency) => Promise<string>,
): Promise<string> {
  const claim = ctx.ids.next('run')
  // Added before the claim is stored, so that this process never mistakes its own claim for that of a dead process.
  running.add(claim)
  try {
    const place = keptAnswerContext(key.accountId, key.action, key.key)
    const claimed = await claimKey(ctx, key, { fingerprint, claim })
    if ('kept' in claimed) {
      onReplay()
      return ctx.secrets.open(place, replay(claimed.kept))
    }
    if (movesMoney && claimed.made === null && (await findRestore(ctx.db))) {
      // A dead run stays recorded, because it may have had an effect.
      await (claimed.resumed ? renewLease(ctx.db, key, claim, 0) : markFailed(ctx.db, key, claim))
      throw restored()
    }
    const stopRenewing = keepAlive(ctx, key, claim)
    try {
      return await runAndKeep(ctx, key, { claim, place }, () => run(toIdempotency(ctx, key, claimed)))
    } finally {
      stopRenewing()
    }
  } finally {
    running.delete(claim)
  }
}

async function runAndKeep(
  { db, clock, secrets, failures }: OnceCtx,
  key: RepeatKey,
  { claim, place }: { claim: string; place: EncryptionContext },
  run: () => Promise<string>,
): Promise<string> {
  const keep = (kept: Kept) => markFinished(db, key, claim, JSON.stringify(kept), clock.now() + KEPT_MILLISECONDS)
  let text: string
  try {
    text = await run()
  } catch (error) {
    const settled =
      error instanceof AppError && error.status < 500 && !LIFTABLE.has(error.status)
        ? keep({ refusal: { code: error.code, message: error.message, body: error.body } })
        : markFailed(db, key, claim)
    await settled.catch(failures.lost('once.key'))
    throw error
  }
  // The request has taken effect, so the client gets its answer even if it cannot be stored.
  await keep({ text: secrets.encrypt(place, text) }).catch(failures.failed('once.answer', { doing: key.action }))
  return text
}

interface Claimed {
  claim: string
  resumed: boolean
  made: string | null
}

/** Claims the right to run, or returns the result of a finished run. */
async function claimKey(
  { db, clock }: OnceCtx,
  key: RepeatKey,
  { fingerprint, claim }: { fingerprint: string; claim: string },
): Promise<Claimed | { kept: string }> {
  let before: { claim: string | null; leaseUntil: number } | undefined
  let waited = 0
  for (;;) {
    const now = clock.now()
    const run = { fingerprint, claim, now, leaseUntil: now + LEASE_MILLISECONDS, expiresAt: now + KEPT_MILLISECONDS }
    if (await insertStarted(db, key, run)) return { claim, resumed: false, made: null }
    const seen = await findSeenRequest(db, key)
    // Another request freed the key between the two statements.
    if (!seen) continue
    const isNew = seen.expiresAt <= now
    if (!isNew) {
      if (seen.fingerprint !== fingerprint) throw conflict()
      if (seen.status === 'finished') return { kept: seen.answer! }
      if (seen.claim !== null && running.has(seen.claim)) throw inFlight()
      // Since the last look, the lease was renewed, or another request has taken the claim over.
      if (before && (seen.claim !== before.claim || seen.leaseUntil > before.leaseUntil)) throw inFlight()
      // If the lease was not renewed for its whole duration, its process is dead, even if a clock that was set back
      // says otherwise.
      if (seen.leaseUntil > now && waited < LEASE_MILLISECONDS) {
        // The claim belongs to a gateway of the previous version, which does not renew it.
        if (seen.claim === null) throw inFlight()
        // If the run belongs to this process, it may have ended since the row was read; the second look shows that
        // without waiting.
        if (before) {
          await new Promise<void>((resolve) => void clock.after(LOOK_EVERY, resolve))
          waited += LOOK_EVERY
        }
        before = seen
        continue
      }
    }
    const taken = await markTakenOver(db, key, seen, { ...run, isNew })
    if (taken) return { claim, resumed: !isNew, made: taken.made }
  }
}

/** Renews the lease of a run until the run ends or another has taken over. Returns a function that stops it. */
function keepAlive({ db, clock, failures }: OnceCtx, key: RepeatKey, claim: string): () => void {
  let stop = () => {}
  const renew = async () => {
    const isOurs = await renewLease(db, key, claim, clock.now() + LEASE_MILLISECONDS).catch(failures.lost('once.key'))
    // If the store is unavailable, try again: it may be back before the lease ends. If not, `record` refuses what this
    // run makes.
    if (isOurs !== false && running.has(claim)) stop = clock.after(RENEWED_EVERY, () => void renew())
  }
  stop = clock.after(RENEWED_EVERY, () => void renew())
  return () => stop()
}

/**
 * Gives a run what an earlier run has made, and lets it record what it makes. If two runs of one request both go on, the transaction of one of them fails
 * here.
 */
function toIdempotency({ secrets }: OnceCtx, key: RepeatKey, { claim, resumed, made }: Claimed): Idempotency {
  const place = madeContext(key.accountId, key.action, key.key)
  return {
    key: key.key,
    resumed,
    made: made === null ? undefined : (JSON.parse(secrets.open(place, made)) as JsonObject),
    async record(tx, what) {
      if (!(await recordMade(tx, key, claim, secrets.encrypt(place, JSON.stringify(what))))) throw inFlight()
    },
  }
}

/** Returns the stored answer, or throws the stored refusal. */
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

const restored = () =>
  new AppError(
    'restored',
    'The gateway was restored from a backup and does not know this Idempotency-Key: the first request may have been carried out. Look for it on the ledger, and repeat it once the operator has settled the restore.',
  )

/** The Idempotency-Key in the header or body; undefined if there is none. */
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

/**
 * Members that identify the caller or the attempt and do not change the meaning of a request. The action is part of the
 * key's scope.
 */
const NOT_MEANT = new Set(['action', 'key', 'public_key', 'idempotency_key'])

/**
 * The same for all bodies with the same meaning, whatever the order of their members. A field of the action, such as
 * `key` of `account_get`, is part of the meaning.
 */
export function fingerprintOf(body: Readonly<Record<string, unknown>>, fields: object = {}): string {
  const meant = Object.entries(body).filter(([name]) => Object.hasOwn(fields, name) || !NOT_MEANT.has(name))
  return createHash('sha256')
    .update(canonical(Object.fromEntries(meant)))
    .digest('hex')
}

/** Recursion is safe: the parser of the body bounds the depth. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`
}
