import type { Db } from '../../kernel/db.ts'

/** What a store knows about itself: whose ledger it is of, what proves the key of its secrets, how large it is, and that it can be written. */
type FactName = 'ledger' | 'secret-key' | 'sizes' | 'backup' | 'probe'

export async function findFact(db: Db, name: FactName): Promise<string | undefined> {
  const row = await db.selectFrom('store_facts').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

/** The first one stays; answers the one that is there now, which another gateway may have been faster to write. */
export async function keepFact(db: Db, fact: { name: FactName; value: string; now: number }): Promise<string> {
  const { name, value, now } = fact
  await db
    .insertInto('store_facts')
    .values({ name, value, created_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return (await findFact(db, name)) ?? value
}

/** Puts another one in its place. */
export async function replaceFact(db: Db, { name, value, now }: { name: FactName; value: string; now: number }) {
  await db
    .insertInto('store_facts')
    .values({ name, value, created_at: now })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value, created_at: now }))
    .execute()
}
