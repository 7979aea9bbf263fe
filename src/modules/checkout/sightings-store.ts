import type { Db } from '../../kernel/db.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'
import { earlier } from './store.ts'

/**
 * Stored in place of the number of a look, for a send that no look found but that pays no checkout: it came too early by a node's own time, or it
 * paid for a request.
 */
export const BEFORE_LOOKS = 0
const ROWS_AT_ONCE = 500

/** Stores the sends found on an address by a look. A send that was stored before keeps its first look. */
export async function insertSightings(
  db: Db,
  { address, hashes, look }: { address: string; hashes: readonly string[]; look: number },
): Promise<void> {
  for (let at = 0; at < hashes.length; at += ROWS_AT_ONCE) {
    const rows = hashes.slice(at, at + ROWS_AT_ONCE).map((hash) => ({ address, hash, look }))
    await db
      .insertInto('checkout_sightings')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['address', 'hash']).doUpdateSet({ look: earlier('checkout_sightings.look', look) }),
      )
      .execute()
  }
}

/** Returns which of these sends were not seen on the address before. */
export async function listUnsighted(db: Db, address: string, hashes: readonly string[]): Promise<string[]> {
  const known = new Set<string>()
  for (let at = 0; at < hashes.length; at += ROWS_AT_ONCE) {
    const part = hashes.slice(at, at + ROWS_AT_ONCE)
    const rows = await db
      .selectFrom('checkout_sightings')
      .select('hash')
      .where('address', '=', address)
      .where('hash', 'in', part)
      .execute()
    for (const { hash } of rows) known.add(hash)
  }
  return hashes.filter((hash) => !known.has(hash))
}

/** The first look that saw a send on an address; undefined when none has. */
export async function findSighting(db: Db, address: string, hash: string): Promise<number | undefined> {
  const [row] = await selectLook(db, { address, hash })
  return row?.look
}

const selectLook = prepared((db, given: Given<{ address: string; hash: string }>) =>
  db
    .selectFrom('checkout_sightings')
    .select('look')
    .where('address', '=', given('address'))
    .where('hash', '=', given('hash')),
)

/** Deletes the sightings of addresses at which no checkout waits any more. */
export async function deleteSightings(db: Db, addresses: readonly string[]): Promise<void> {
  for (let at = 0; at < addresses.length; at += ROWS_AT_ONCE) {
    const part = addresses.slice(at, at + ROWS_AT_ONCE)
    await db.deleteFrom('checkout_sightings').where('address', 'in', part).execute()
  }
}
