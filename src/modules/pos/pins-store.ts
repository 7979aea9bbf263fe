import type { Db } from '../../kernel/db.ts'

interface Who {
  posId: string
  /** A device that had the PIN right once, or an address of the network. */
  who: string
}

interface Limits {
  now: number
  /** After so many tries there is a pause. */
  triesMax: number
  lockedUntil: number
  /** After so many wrong ones nothing more is tried. */
  wrongMax: number
}

/**
 * Takes a try before the PIN is looked at, in one statement: however many come at once, on however many instances, no more are
 * tried than there are. False in a pause, and once all are used up.
 */
export async function takeTry(
  db: Db,
  { posId, who }: Who,
  { now, triesMax, lockedUntil, wrongMax }: Limits,
): Promise<boolean> {
  const row = await db
    .insertInto('pos_pin_tries')
    .values({ pos_id: posId, who, tries: 1, wrong: 1, locked_until: 0 })
    .onConflict((conflict) =>
      conflict
        .columns(['pos_id', 'who'])
        .doUpdateSet(({ eb, ref }) => {
          const isLast = eb('pos_pin_tries.tries', '>=', triesMax - 1)
          return {
            tries: eb
              .case()
              .when(isLast)
              .then(0)
              .else(eb('pos_pin_tries.tries', '+', 1))
              .end(),
            wrong: eb('pos_pin_tries.wrong', '+', 1),
            locked_until: eb.case().when(isLast).then(lockedUntil).else(ref('pos_pin_tries.locked_until')).end(),
          }
        })
        .where('pos_pin_tries.locked_until', '<=', now)
        .where('pos_pin_tries.wrong', '<', wrongMax),
    )
    .returning('who')
    .executeTakeFirst()
  return row !== undefined
}

interface Tries {
  /** Since the last pause. */
  tries: number
  wrong: number
  lockedUntil: number
}

export async function findTries(db: Db, { posId, who }: Who): Promise<Tries | undefined> {
  const row = await db
    .selectFrom('pos_pin_tries')
    .selectAll()
    .where('pos_id', '=', posId)
    .where('who', '=', who)
    .executeTakeFirst()
  return row && { tries: row.tries, wrong: row.wrong, lockedUntil: row.locked_until }
}

/** It was right. */
export async function forgetTries(db: Db, { posId, who }: Who): Promise<void> {
  await db.deleteFrom('pos_pin_tries').where('pos_id', '=', posId).where('who', '=', who).execute()
}

/** A new PIN: everybody begins anew. */
export async function forgetAllTries(db: Db, posId: string): Promise<void> {
  await db.deleteFrom('pos_pin_tries').where('pos_id', '=', posId).execute()
}

/** The same for all that are new here, together. False once they have used up theirs. */
export async function takeStrangeTry(db: Db, posId: string, wrongMax: number): Promise<boolean> {
  const row = await db
    .updateTable('points_of_sale')
    .set(({ eb }) => ({ wrong_pins: eb('wrong_pins', '+', 1) }))
    .where('id', '=', posId)
    .where('wrong_pins', '<', wrongMax)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** It was right. */
export async function giveStrangeTryBack(db: Db, posId: string): Promise<void> {
  await db
    .updateTable('points_of_sale')
    .set(({ eb }) => ({ wrong_pins: eb('wrong_pins', '-', 1) }))
    .where('id', '=', posId)
    .where('wrong_pins', '>', 0)
    .execute()
}
