import type { Db } from '../../../kernel/db.ts'
import type { KeyRights } from '../../../kernel/rights.ts'
import { type Raw, toRaw } from '../../../kernel/money.ts'
import { spendingLimit } from '../errors.ts'
import {
  type SpendDay,
  deleteSpend,
  deleteSpends,
  listSpendDays,
  findSpend,
  insertSpend,
  lockSpendDay,
  moveSpent,
} from '../spends-store.ts'

const DAY = 86_400_000

export const dayOf = (now: number) => new Date(now).toISOString().slice(0, 10)
/** The end of the day in UTC. */
export const endOfDay = (now: number) => (Math.floor(now / DAY) + 1) * DAY

interface Spend {
  rights: KeyRights | undefined
  amount: Raw
  /** Identifies what the money is for; reserved once. */
  reference: string
  now: number
  /** An earlier reservation for the same money. It is replaced if this one is at least as large. */
  covers?: string
}

/** The reference of a reservation for a payment to this address; the send that pays it replaces the reservation. */
export const pledgeTo = (address: string) => `to:${address}`

/** Whether any limit counts the caller's spending. */
export const hasSpendingLimit = (rights: KeyRights | undefined): boolean =>
  rights?.limits.some(({ spendDaily }) => spendDaily !== undefined) ?? false

/**
 * Reserves the amount that a key is going to spend under each of its limits, or throws 403. Call it in the transaction
 * that decides to spend, so that both commit or neither does. Limits are locked in the same order everywhere.
 */
export async function reserveSpend(db: Db, { rights, amount, reference, now, covers }: Spend): Promise<void> {
  const day = dayOf(now)
  const limits = [...(rights?.limits ?? [])].sort((one, other) => (one.id < other.id ? -1 : 1))
  for (const { id: limitId, spendDaily: limit } of limits) {
    if (limit === undefined) continue
    const spent = await lockSpendDay(db, { limitId, day })
    const covered = covers === undefined ? undefined : await findSpend(db, { limitId, day, reference: covers })
    const replaced = covered !== undefined && covered <= amount ? covered : undefined
    const sum = spent - (replaced ?? 0n) + amount
    if (sum > limit) throw spendingLimit({ limit, spent, resetsAt: endOfDay(now) })
    if (replaced !== undefined) await deleteSpend(db, { limitId, reference: covers! })
    const taken = replaced === undefined ? undefined : { reference: covers!, amount: replaced }
    await insertSpend(db, { limitId, day, reference, amount, covered: taken })
    await change(db, { limitId, day }, spent, sum)
  }
}

/**
 * Releases the reservations of payments that will not be made, and restores reservations that those had replaced. Call
 * it in the transaction that decides this. Days are locked before their reservations, as everywhere.
 */
export async function releaseSpends(db: Db, references: readonly string[]): Promise<void> {
  for (const day of await listSpendDays(db, references)) {
    const spent = await lockSpendDay(db, day)
    let left: bigint = spent
    for (const { amount, covered } of await deleteSpends(db, day, references)) {
      left -= amount
      if (!covered) continue
      await insertSpend(db, { ...day, ...covered })
      left += covered.amount
    }
    if (left !== spent) await change(db, day, spent, left)
  }
}

async function change(db: Db, day: SpendDay, from: Raw, to: bigint): Promise<void> {
  if (!(await moveSpent(db, day, { from, to: toRaw(to) })))
    throw new Error('What a key has spent changed under its lock.')
}
