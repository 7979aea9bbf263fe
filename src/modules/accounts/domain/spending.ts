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
/** When the day of a time is over. */
export const endOfDay = (now: number) => (Math.floor(now / DAY) + 1) * DAY

interface Spend {
  rights: KeyRights | undefined
  amount: Raw
  /** What it is for, once and for all. */
  reference: string
  now: number
  /** What was set aside before for the same money: where this is no less, it takes its place. */
  covers?: string
}

/** The reference of what is to be paid to an address that was made for it: the send that pays it takes its place. */
export const pledgeTo = (address: string) => `to:${address}`

/** Whether what a caller spends is counted. */
export const hasSpendingLimit = (rights: KeyRights | undefined): boolean =>
  rights?.limits.some(({ spendDaily }) => spendDaily !== undefined) ?? false

/**
 * Sets aside what a key is about to spend, against each of its limits, or refuses (403). Call it in the transaction that decides
 * the spending: with it, it happens or it does not. Limits are locked in one order everywhere.
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
 * Gives back what was set aside for what will not happen, and sets aside again what it had taken the place of. Call it in the
 * transaction that decides so. Days are locked before what is counted on them, as everywhere.
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
