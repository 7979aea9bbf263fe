import type { Actor } from '../../../kernel/actor.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import {
  type Reservation,
  addAvailable,
  findAvailable,
  insertEntry,
  insertReservation,
  listExpiredReservations,
  listUsage,
  markReservation,
  takeAvailable,
} from '../credits-store.ts'
import { accountNotFound, insufficientCredits, tooFewCredits } from '../errors.ts'
import { findAccount, insertAudit } from '../store.ts'

const RESERVATION_MILLISECONDS = 10 * 60_000

interface Grant {
  accountId: string
  amount: number
  reason: string
  reference: string
  actor: Actor
}

/** Adds credits once for each reference, so that a payment reported twice counts once. */
export function grantCredits(ctx: StoreCtx, grant: Grant): Promise<'granted' | 'known'> {
  return inTx(ctx, (tx) => grantCreditsIn(tx, grant))
}

/** The same inside a running transaction. */
export async function grantCreditsIn(
  tx: StoreCtx,
  { accountId, amount, reason, reference, actor }: Grant,
): Promise<'granted' | 'known'> {
  const entry = { id: tx.ids.next('crd'), accountId, amount, reason, reference, createdAt: tx.clock.now() }
  if (!(await insertEntry(tx.db, entry))) return 'known'
  await addAvailable(tx.db, accountId, amount)
  await insertAudit(tx, { actor, accountId, what: 'credits.granted', detail: { amount, reference } })
  return 'granted'
}

/** Adds or removes credits for the operator; the balance cannot become negative. */
export function adjustCredits(
  ctx: StoreCtx,
  {
    accountId,
    amount,
    reason,
    actor,
    idempotency,
  }: Omit<Grant, 'reference'> & { idempotency?: Idempotency | undefined },
): Promise<number> {
  return inTx(ctx, async (tx) => {
    if (!idempotency?.made) {
      if (!(await findAccount(tx.db, accountId))) throw accountNotFound()
      const id = tx.ids.next('crd')
      if (amount > 0) await addAvailable(tx.db, accountId, amount)
      else if (!(await takeAvailable(tx.db, accountId, -amount))) throw tooFewCredits()
      const createdAt = tx.clock.now()
      await insertEntry(tx.db, { id, accountId, amount, reason, reference: `operator:${id}`, createdAt })
      const what = amount > 0 ? 'credits.granted' : 'credits.taken'
      await insertAudit(tx, { actor, accountId, what, detail: { amount: Math.abs(amount), reason } })
      await idempotency?.record(tx.db, { id })
    }
    return findAvailable(tx.db, accountId)
  })
}

/** Reserves credits before the work is done; refused when there are not enough. */
export function reserveCredits(ctx: StoreCtx, accountId: string, amount: number): Promise<Reservation> {
  return inTx(ctx, async (tx) => {
    if (!(await takeAvailable(tx.db, accountId, amount))) throw insufficientCredits()
    const reservation = { id: tx.ids.next('rsv'), accountId, amount }
    const createdAt = tx.clock.now()
    await insertReservation(tx.db, { ...reservation, createdAt, expiresAt: createdAt + RESERVATION_MILLISECONDS })
    return reservation
  })
}

/** Spends a reservation after the work was done. */
export function commitCredits(
  ctx: StoreCtx,
  { reservationId, reason, actor }: { reservationId: string; reason: string; actor: Actor },
): Promise<boolean> {
  return inTx(ctx, async (tx) => {
    const reservation = await markReservation(tx.db, reservationId, 'committed')
    if (!reservation) return false
    const { accountId, amount } = reservation
    await insertEntry(tx.db, {
      id: tx.ids.next('crd'),
      accountId,
      amount: -amount,
      reason,
      reference: `reservation:${reservationId}`,
      createdAt: tx.clock.now(),
    })
    await insertAudit(tx, { actor, accountId, what: 'credits.spent', detail: { amount, reason } })
    return true
  })
}

/** Releases a reservation whose work was not done, including those of a process that died. */
export function releaseCredits(ctx: StoreCtx, reservationId: string): Promise<boolean> {
  return inTx(ctx, async (tx) => {
    const reservation = await markReservation(tx.db, reservationId, 'released')
    if (!reservation) return false
    await addAvailable(tx.db, reservation.accountId, reservation.amount)
    return true
  })
}

export async function releaseExpired(ctx: StoreCtx, batchMax: number): Promise<void> {
  for (const id of await listExpiredReservations(ctx.db, ctx.clock.now(), batchMax)) await releaseCredits(ctx, id)
}

const USAGE_DAYS = 30
const DAY = 86_400_000

/** The credits left, and the usage of the last days, newest first. */
export async function readCredits(
  { db, clock }: StoreCtx,
  accountId: string,
): Promise<{ credits: number; plan: 'free' | 'prepaid'; usage: Record<string, JsonObject> }> {
  const since = new Date(clock.now() - USAGE_DAYS * DAY).toISOString().slice(0, 10)
  const [credits, rows] = await Promise.all([findAvailable(db, accountId), listUsage(db, accountId, since)])
  const usage: Record<string, JsonObject> = {}
  for (const { day, action, count } of rows) (usage[day] ??= {})[action] = count
  return { credits, plan: credits > 0 ? 'prepaid' : 'free', usage }
}

/** The calls of one day: all, and those for work. */
export function toUsage(day: JsonObject = {}): { requests: number; work: number } {
  const requests = Object.values(day).reduce<number>((sum, count) => sum + Number(count), 0)
  return { requests, work: Number(day.work_generate ?? 0) }
}

/** Whether an account pays with credits; otherwise it uses its free quota. */
export async function hasCredits({ db }: StoreCtx, accountId: string): Promise<boolean> {
  return (await findAvailable(db, accountId)) > 0
}
