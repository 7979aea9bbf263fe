import { sql } from 'kysely'
import type { Raw } from '../../kernel/money.ts'
import type { Db } from '../../kernel/db.ts'

/** Cancels a plan and its unsigned shares, so that the actual balance can be planned afresh. */
export async function cancelPlan(db: Db, planId: string, now: number): Promise<void> {
  await db
    .updateTable('wallet_blocks')
    .set({ status: 'refused', refusal: 'wallet_frozen', reference: null })
    .where('plan_id', '=', planId)
    .where('status', '=', 'queued')
    .execute()
  await markPlanDone(db, planId, now)
}

interface Plan {
  id: string
  walletId: string
  run: number
  frontier: string
  total: Raw
}

export async function insertPlan(db: Db, { id, walletId, run, frontier, total }: Plan, now: number): Promise<void> {
  await db
    .insertInto('wallet_plans')
    .values({
      id,
      wallet_id: walletId,
      run,
      frontier,
      total_raw: total.toString(),
      status: 'open',
      created_at: now,
      finished_at: null,
    })
    .execute()
}

export async function findOpenPlan(db: Db, walletId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('wallet_plans')
    .select('id')
    .where('wallet_id', '=', walletId)
    .where(sql<boolean>`status = 'open'`)
    .executeTakeFirst()
  return row?.id
}

export async function countPlans(db: Db, walletId: string): Promise<number> {
  const row = await db
    .selectFrom('wallet_plans')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('wallet_id', '=', walletId)
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** Changes an open plan to `done`, once every share is confirmed. */
export async function markPlanDone(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('wallet_plans')
    .set({ status: 'done', finished_at: now })
    .where('id', '=', id)
    .where('status', '=', 'open')
    .execute()
}
