import type { Db } from '../../kernel/db.ts'

interface Who {
  posId: string
  /** A device that has entered the right PIN before, or a network address. */
  who: string
}

interface Limits {
  now: number
  /** After this many attempts there is a pause. */
  triesMax: number
  lockedUntil: number
  /** After this many wrong attempts no more are allowed. */
  wrongMax: number
}

/**
 * Counts an attempt before the PIN is checked, in one statement, so that concurrent attempts on any number of instances cannot exceed the limit.
 * False during a pause, and once all attempts are used up.
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

/** Clears the attempts after the right PIN. */
export async function forgetTries(db: Db, { posId, who }: Who): Promise<void> {
  await db.deleteFrom('pos_pin_tries').where('pos_id', '=', posId).where('who', '=', who).execute()
}

/** Clears all attempts after the PIN was changed. */
export async function forgetAllTries(db: Db, posId: string): Promise<void> {
  await db.deleteFrom('pos_pin_tries').where('pos_id', '=', posId).execute()
}

/** Counts an attempt of new devices together; false once they have used up theirs. */
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

/** Takes the attempt back after the right PIN. */
export async function giveStrangeTryBack(db: Db, posId: string): Promise<void> {
  await db
    .updateTable('points_of_sale')
    .set(({ eb }) => ({ wrong_pins: eb('wrong_pins', '-', 1) }))
    .where('id', '=', posId)
    .where('wrong_pins', '>', 0)
    .execute()
}
