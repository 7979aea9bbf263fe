import { sql } from 'kysely'
import { STEP_ROWS, deleteSome } from '../../kernel/retention.ts'
import type { Db } from '../../kernel/db.ts'

/** So many in a stretch of so long. */
export interface Allowance {
  max: number
  windowMilliseconds: number
}

export interface FreeUse {
  caller: string
  meter: string
  endsAt: number
}

/** Takes one of what is free, or says when there is more. One statement decides, so that instances never give too many. */
export async function takeFree(
  db: Db,
  { caller, meter, now }: { caller: string; meter: string; now: number },
  { max, windowMilliseconds }: Allowance,
): Promise<{ taken: FreeUse } | { freeAt: number }> {
  const won = await db
    .insertInto('free_uses')
    .values({ caller, meter, ends_at: now + windowMilliseconds, taken: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['caller', 'meter'])
        .doUpdateSet(({ eb, ref }) => ({
          taken: eb
            .case()
            .when('free_uses.ends_at', '<=', now)
            .then(1)
            .else(eb('free_uses.taken', '+', 1))
            .end(),
          ends_at: eb
            .case()
            .when('free_uses.ends_at', '<=', now)
            .then(ref('excluded.ends_at'))
            .else(ref('free_uses.ends_at'))
            .end(),
        }))
        .where(({ eb, or }) => or([eb('free_uses.ends_at', '<=', now), eb('free_uses.taken', '<', max)])),
    )
    .returning('ends_at')
    .executeTakeFirst()
  if (won) return { taken: { caller, meter, endsAt: won.ends_at } }
  const row = await db
    .selectFrom('free_uses')
    .select('ends_at')
    .where('caller', '=', caller)
    .where('meter', '=', meter)
    .executeTakeFirst()
  return { freeAt: row?.ends_at ?? now }
}

/** What was taken in the current stretch, and when it ends; undefined when there is none. */
export async function findFreeUse(
  db: Db,
  { caller, meter, now }: { caller: string; meter: string; now: number },
): Promise<{ taken: number; endsAt: number } | undefined> {
  const row = await db
    .selectFrom('free_uses')
    .select(['taken', 'ends_at'])
    .where('caller', '=', caller)
    .where('meter', '=', meter)
    .where('ends_at', '>', now)
    .executeTakeFirst()
  return row && { taken: row.taken, endsAt: row.ends_at }
}

/** What failed is not counted. A stretch that has ended meanwhile is left alone. */
export async function giveBackFree(db: Db, { caller, meter, endsAt }: FreeUse): Promise<void> {
  await db
    .updateTable('free_uses')
    .set(({ eb }) => ({ taken: eb('taken', '-', 1) }))
    .where('caller', '=', caller)
    .where('meter', '=', meter)
    .where('ends_at', '=', endsAt)
    .where('taken', '>', 0)
    .execute()
}

export function deleteEndedUses(db: Db, now: number, limit = STEP_ROWS): Promise<number> {
  return deleteSome(db, { from: 'free_uses', key: ['caller', 'meter'], where: sql`ends_at < ${now}`, limit })
}
