import type { Db } from '../../kernel/db.ts'
import type { EncryptedKey } from '../../kernel/key-vault.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'
import { toEncryptedKey } from './keys-store.ts'

/** A seed from which keys of wallets are derived; it is stored encrypted only. */
export interface Seed {
  id: string
  isActive: boolean
  nextIndex: number
  shownAt: number | null
  checkedAt: number | null
}

/** The place of a derived key. */
export interface SeedPlace {
  seedId: string
  index: number
}

/** The seed of new wallets comes first. */
export async function listSeeds(db: Db): Promise<Seed[]> {
  const rows = await db.selectFrom('wallet_seeds').selectAll().orderBy('created_at').orderBy('id').execute()
  const seeds = rows.map((row) => ({
    id: row.id,
    isActive: row.active === 1,
    nextIndex: row.next_index,
    shownAt: row.shown_at,
    checkedAt: row.checked_at,
  }))
  return seeds.toSorted((one, other) => Number(other.isActive) - Number(one.isActive))
}

/** Stores a seed with its encrypted copies, in the caller's transaction; false when it was to be active and another is. */
export async function insertSeed(
  db: Db,
  { id, isActive, now }: { id: string; isActive: boolean; now: number },
  seals: readonly EncryptedKey[],
): Promise<boolean> {
  const row = await db
    .insertInto('wallet_seeds')
    .values({ id, active: isActive ? 1 : null, next_index: 0, shown_at: null, checked_at: null, created_at: now })
    .onConflict((conflict) => conflict.column('active').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!row) return false
  await insertSeals(db, id, seals)
  return true
}

/** From now on no wallet is made from the active seed. */
export async function retireSeed(db: Db): Promise<void> {
  await db.updateTable('wallet_seeds').set({ active: null }).where('active', '=', 1).execute()
}

/** Takes the next place of the active seed. It is used up even when no wallet comes of it: no two wallets ever share a key. */
export async function takeIndex(db: Db): Promise<SeedPlace> {
  const [row] = await takeNext(db, {})
  if (!row) throw new Error('This store has no active wallet seed.')
  return { seedId: row.id, index: row.next_index - 1 }
}

const takeNext = prepared((db) =>
  db
    .updateTable('wallet_seeds')
    .set(({ eb }) => ({ next_index: eb('next_index', '+', 1) }))
    .where('active', '=', 1)
    .returning(['id', 'next_index']),
)

/** Returns a place whose key was never shown, unless another was taken meanwhile. */
export async function giveIndexBack(db: Db, { seedId, index }: SeedPlace): Promise<void> {
  await db
    .updateTable('wallet_seeds')
    .set({ next_index: index })
    .where('id', '=', seedId)
    .where('next_index', '=', index + 1)
    .execute()
}

export async function listSeals(db: Db, seedId: string): Promise<EncryptedKey[]> {
  return (await selectSeals(db, { seedId })).map(toEncryptedKey)
}

const selectSeals = prepared((db, given: Given<{ seedId: string }>) =>
  db
    .selectFrom('wallet_seed_seals')
    .select(['master_key_id', 'wrapped_data_key', 'sealed_key'])
    .where('seed_id', '=', given('seedId')),
)

export async function insertSeals(db: Db, seedId: string, seals: readonly EncryptedKey[]): Promise<void> {
  if (seals.length === 0) return
  await db
    .insertInto('wallet_seed_seals')
    .values(
      seals.map(({ masterKeyId, wrappedDataKey, encryptedKey }) => ({
        seed_id: seedId,
        master_key_id: masterKeyId,
        wrapped_data_key: wrappedDataKey,
        sealed_key: encryptedKey,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteSeal(db: Db, seedId: string, masterKeyId: string): Promise<void> {
  await db
    .deleteFrom('wallet_seed_seals')
    .where('seed_id', '=', seedId)
    .where('master_key_id', '=', masterKeyId)
    .execute()
}

/** Notes that the words of a seed were shown; false when they had been before. */
export async function markShown(db: Db, id: string, now: number): Promise<boolean> {
  const row = await db
    .updateTable('wallet_seeds')
    .set({ shown_at: now })
    .where('id', '=', id)
    .where('shown_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Notes that the operator has the words of a seed. */
export async function markChecked(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('wallet_seeds').set({ checked_at: now }).where('id', '=', id).execute()
}

/** The highest index of this seed that a wallet in the store uses; -1 if none does. */
export async function findLastPlace(db: Db, seedId: string): Promise<number> {
  const row = await db
    .selectFrom('wallet_keys')
    .select('seed_index')
    .where('seed_id', '=', seedId)
    .orderBy('seed_index', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.seed_index ?? -1
}

/** Leaves out all places below; the counter never goes back. */
export async function skipPlaces(db: Db, seedId: string, next: number): Promise<void> {
  await db
    .updateTable('wallet_seeds')
    .set({ next_index: next })
    .where('id', '=', seedId)
    .where('next_index', '<', next)
    .execute()
}

/** Which of these addresses are wallets of the store. */
export async function listKnown(db: Db, addresses: readonly string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('wallets').select('address').where('address', 'in', addresses).execute()
  return new Set(rows.map(({ address }) => address))
}

/** Keeps what a recovered wallet has for its owner; it takes over the ledger's state before anything is signed. */
export async function markRecovered(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('wallets').set({ status: 'held', thawed_at: now }).where('id', '=', id).execute()
}

/** Gives a recovered wallet to an account; undefined when there is none by this id or address that lacks an owner. */
export async function markAssigned(db: Db, name: string, accountId: string): Promise<{ address: string } | undefined> {
  return db
    .updateTable('wallets')
    .set({ account_id: accountId })
    .where('account_id', 'is', null)
    .where('purpose', '=', 'cloud')
    .where((where) => where.or([where('id', '=', name), where('address', '=', name)]))
    .returning('address')
    .executeTakeFirst()
}
