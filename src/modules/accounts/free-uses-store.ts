import { sql } from 'kysely'
import { STEP_ROWS, deleteSome } from '../../kernel/retention.ts'
import type { Db } from '../../kernel/db.ts'

/** A number of free uses within a time. */
export interface Allowance {
  max: number
  windowMilliseconds: number
}

export interface FreeUse {
  caller: string
  meter: string
  endsAt: number
}

/** Takes one free use, or returns when the next one will be available. One statement decides, so that instances together never grant too many. */
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

/** The uses in the current period, and when it ends; undefined when there is none. */
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

/** Gives a use back after a failure, unless its period has ended meanwhile. */
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
