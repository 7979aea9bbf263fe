import type { Db } from '../../kernel/db.ts'

/**
 * What a store knows about itself: its ledger, a proof of the key of its secrets, the key of its fingerprints, its
 * size, its last backup, a test of writing, and how far it has come.
 */
type FactName = 'ledger' | 'secret-key' | 'fingerprint-key' | 'sizes' | 'backup' | 'probe' | 'mark'

export async function findFact(db: Db, name: FactName): Promise<string | undefined> {
  const row = await db.selectFrom('store_facts').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

/**
 * Stores the fact unless there is one already. Returns the stored one, which another gateway may have written first.
 */
export async function keepFact(db: Db, fact: { name: FactName; value: string; now: number }): Promise<string> {
  const { name, value, now } = fact
  await db
    .insertInto('store_facts')
    .values({ name, value, created_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return (await findFact(db, name)) ?? value
}

export async function replaceFact(db: Db, { name, value, now }: { name: FactName; value: string; now: number }) {
  await db
    .insertInto('store_facts')
    .values({ name, value, created_at: now })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value, created_at: now }))
    .execute()
}

/** Returns false if the fact was changed meanwhile. */
export async function moveFact(
  db: Db,
  { name, from, to, now }: { name: FactName; from: string; to: string; now: number },
): Promise<boolean> {
  const row = await db
    .updateTable('store_facts')
    .set({ value: to, created_at: now })
    .where('name', '=', name)
    .where('value', '=', from)
    .returning('name')
    .executeTakeFirst()
  return row !== undefined
}
