import type { Actor } from '../../../kernel/actor.ts'
import { AppError } from '../../../kernel/errors.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { INVISIBLE } from '../../../kernel/shown-fields.ts'
import { accountNotFound, notSuspendable, notSuspended } from '../errors.ts'
import {
  FEATURES,
  type Feature,
  markResumed,
  markSuspended,
  updateFeatures,
  updatePlan,
  updateSignedOut,
} from '../standing.ts'
import { findAccount, insertAudit, lockAccount, markAllRevoked } from '../store.ts'

/** The changes; null means the default of the settings, and a missing member stays as it is. */
interface NewStanding {
  perMinute?: number | null
  concurrencyMax?: number | null
  features?: Partial<Record<Feature, boolean | null>>
}

/** Sets or removes limits and features of one account. */
export function setStanding(
  ctx: StoreCtx,
  { accountId, actor, wanted }: { accountId: string; actor: Actor; wanted: NewStanding },
): Promise<void> {
  return inTx(ctx, async (tx) => {
    await lockAccount(tx.db, accountId)
    const account = await findAccount(tx.db, accountId)
    if (!account) throw accountNotFound()
    const { plan, features } = account.standing
    const limits = { ...plan, ...pick(wanted, ['perMinute', 'concurrencyMax']) }
    const switched = { ...features, ...wanted.features }
    await updatePlan(tx.db, accountId, dropNulls(limits))
    await updateFeatures(tx.db, accountId, dropNulls(pick(switched, Object.keys(FEATURES) as Feature[])))
    const detail = { ...pick(wanted, ['perMinute', 'concurrencyMax']), ...wanted.features }
    await insertAudit(tx, { actor, accountId, what: 'account.changed', detail: describe(detail) })
  })
}

function pick<T extends object, K extends keyof T>(from: T, names: readonly K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]))) as Partial<
    Pick<T, K>
  >
}

type Kept<T> = { [K in keyof T]?: Exclude<T[K], null | undefined> }

function dropNulls<T extends object>(values: T): Kept<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Kept<T>
}

const describe = (detail: object) =>
  Object.fromEntries(Object.entries(detail).map(([name, value]) => [name, value ?? 'as set for all']))

const REASON_LENGTH_MAX = 200
const CREDITS_MAX = 1_000_000_000
const LIMIT_MAX = 1_000_000
/** A batch runs ten requests at once, so a lower limit would make it refuse its own requests. */
const CONCURRENCY_MIN = 20

type Body = Readonly<Record<string, unknown>>

const refuse = (field: string, text: string) => new AppError('invalid_request', text, { body: { field } })

/** The operator's reason, which the account's people can read in its activity. */
export function readReason({ reason }: Body): string {
  const shown = typeof reason === 'string' ? reason.replace(INVISIBLE, '').trim() : ''
  if (shown !== '' && shown.length <= REASON_LENGTH_MAX) return shown
  throw refuse('reason', `reason must be a text of 1 to ${REASON_LENGTH_MAX} characters.`)
}

/** Credits to add, or to remove when negative. */
export function readAdjustment(body: Body): { amount: number; reason: string } {
  const { amount } = body
  const isAmount = typeof amount === 'number' && Number.isInteger(amount) && amount !== 0
  if (!isAmount || Math.abs(amount) > CREDITS_MAX) {
    throw refuse('amount', `amount must be a whole number up to ${CREDITS_MAX}. A negative amount removes credits.`)
  }
  return { amount, reason: readReason(body) }
}

/** A missing field stays as it is; null means the default of the settings. */
export function readStanding(body: Body): NewStanding {
  const { per_minute: perMinute, concurrency, features } = body
  return {
    ...(perMinute !== undefined && { perMinute: readLimit('per_minute', perMinute, 1) }),
    ...(concurrency !== undefined && { concurrencyMax: readLimit('concurrency', concurrency, CONCURRENCY_MIN) }),
    ...(features !== undefined && { features: readFeatures(features) }),
  }
}

function readLimit(field: string, value: unknown, min: number): number | null {
  if (value === null || value === 0) return value
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= LIMIT_MAX) return value
  throw refuse(field, `${field} must be null, 0 for no limit, or a whole number from ${min} to ${LIMIT_MAX}.`)
}

function readFeatures(value: unknown): Partial<Record<Feature, boolean | null>> {
  const given = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined
  const isRight = ([name, on]: [string, unknown]) =>
    Object.hasOwn(FEATURES, name) && (on === null || typeof on === 'boolean')
  if (given?.every(isRight)) return Object.fromEntries(given)
  const names = Object.keys(FEATURES).join(', ')
  throw refuse('features', `features must be an object with ${names}, each true, false or null.`)
}

interface Word {
  accountId: string
  actor: Actor
  reason: string
}

/**
 * Suspends an account: its keys and sessions stop working, and sends of its wallets wait. Payments to its open checkouts are still recorded
 * and reported to it, its wallets still receive, and nothing is deleted.
 */
export function suspendAccount(ctx: StoreCtx, { accountId, actor, reason }: Word): Promise<void> {
  return inTx(ctx, async (tx) => {
    if (!(await findAccount(tx.db, accountId))) throw accountNotFound()
    if (!(await markSuspended(tx.db, accountId, tx.clock.now()))) throw notSuspendable()
    await insertAudit(tx, { actor, accountId, what: 'account.suspended', detail: { reason } })
  })
}

export function resumeAccount(ctx: StoreCtx, { accountId, actor, reason }: Word): Promise<void> {
  return inTx(ctx, async (tx) => {
    if (!(await findAccount(tx.db, accountId))) throw accountNotFound()
    if (!(await markResumed(tx.db, accountId))) throw notSuspended()
    await insertAudit(tx, { actor, accountId, what: 'account.resumed', detail: { reason } })
  })
}

/** Suspends an account for good, ends its sessions and revokes its keys, in the caller's transaction. */
export async function closeAccount({ db, clock }: StoreCtx, accountId: string): Promise<void> {
  const now = clock.now()
  await markSuspended(db, accountId, now)
  await updateSignedOut(db, accountId, now)
  await markAllRevoked(db, accountId, now)
}

/** Ends all current sessions of an account. Its keys keep working. */
export function signOutPeople(ctx: StoreCtx, { accountId, actor }: { accountId: string; actor: Actor }): Promise<void> {
  return inTx(ctx, async (tx) => {
    if (!(await findAccount(tx.db, accountId))) throw accountNotFound()
    await updateSignedOut(tx.db, accountId, tx.clock.now())
    await insertAudit(tx, { actor, accountId, what: 'account.signed-out', detail: {} })
  })
}
