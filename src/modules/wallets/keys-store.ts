import type { KeyHolder, SealedKey } from '../../kernel/key-vault.ts'
import type { Db } from '../../kernel/db.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'

export async function getSealedKey(db: Db, walletId: string): Promise<SealedKey> {
  const [row] = await selectKey(db, { walletId })
  if (!row) throw new Error('A wallet has no key.')
  return toSealedKey(row)
}

const selectKey = prepared((db, given: Given<{ walletId: string }>) =>
  db
    .selectFrom('wallet_keys')
    .select(['master_key_id', 'wrapped_data_key', 'sealed_key'])
    .where('wallet_id', '=', given('walletId')),
)

export function toSealedKey(row: { master_key_id: string; wrapped_data_key: string; sealed_key: string }): SealedKey {
  return {
    version: 1,
    masterKeyId: row.master_key_id,
    wrappedDataKey: row.wrapped_data_key,
    sealedKey: row.sealed_key,
  }
}

/** Keys that are wrapped by a master key other than this one. */
export async function listWrappedByOthers(
  db: Db,
  masterKeyId: string,
  limit: number,
): Promise<(KeyHolder & { sealed: SealedKey })[]> {
  const rows = await db
    .selectFrom('wallet_keys')
    .innerJoin('wallets', 'wallets.id', 'wallet_keys.wallet_id')
    .selectAll('wallet_keys')
    .select('wallets.address')
    .where('master_key_id', '!=', masterKeyId)
    .limit(limit)
    .execute()
  return rows.map((row) => ({ walletId: row.wallet_id, address: row.address, sealed: toSealedKey(row) }))
}

/** Stores the same key in a new wrapping; false when another process was faster. */
export async function updateWrapping(db: Db, walletId: string, was: SealedKey, now: SealedKey): Promise<boolean> {
  const row = await db
    .updateTable('wallet_keys')
    .set({ master_key_id: now.masterKeyId, wrapped_data_key: now.wrappedDataKey })
    .where('wallet_id', '=', walletId)
    .where('wrapped_data_key', '=', was.wrappedDataKey)
    .returning('wallet_id')
    .executeTakeFirst()
  return row !== undefined
}

/** How many keys each master key wraps. */
export async function countByMasterKey(db: Db): Promise<{ id: string; count: number }[]> {
  const rows = await db
    .selectFrom('wallet_keys')
    .select(({ fn }) => ['master_key_id', fn.countAll().as('count')])
    .groupBy('master_key_id')
    .execute()
  return rows.map((row) => ({ id: row.master_key_id, count: Number(row.count) }))
}

export async function listCanaries(db: Db): Promise<SealedKey[]> {
  return (await db.selectFrom('wallet_canaries').selectAll().execute()).map(toSealedKey)
}

/** Keeps the first canary of each master key. */
export async function insertCanary(db: Db, sealed: SealedKey, now: number): Promise<void> {
  await db
    .insertInto('wallet_canaries')
    .values({
      master_key_id: sealed.masterKeyId,
      wrapped_data_key: sealed.wrappedDataKey,
      sealed_key: sealed.sealedKey,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
