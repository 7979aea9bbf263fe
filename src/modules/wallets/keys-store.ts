import type { KeyHolder, EncryptedKey } from '../../kernel/key-vault.ts'
import type { Db } from '../../kernel/db.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'

export async function getEncryptedKey(db: Db, walletId: string): Promise<EncryptedKey> {
  const [row] = await selectKey(db, { walletId })
  if (!row) throw new Error('A wallet has no key.')
  return toEncryptedKey(row)
}

const selectKey = prepared((db, given: Given<{ walletId: string }>) =>
  db
    .selectFrom('wallet_keys')
    .select(['master_key_id', 'wrapped_data_key', 'sealed_key'])
    .where('wallet_id', '=', given('walletId')),
)

export function toEncryptedKey(row: {
  master_key_id: string
  wrapped_data_key: string
  sealed_key: string
}): EncryptedKey {
  return {
    version: 1,
    masterKeyId: row.master_key_id,
    wrappedDataKey: row.wrapped_data_key,
    encryptedKey: row.sealed_key,
  }
}

/** Keys that are wrapped by a master key other than this one. */
export async function listWrappedByOthers(
  db: Db,
  masterKeyId: string,
  limit: number,
): Promise<(KeyHolder & { encrypted: EncryptedKey })[]> {
  const rows = await db
    .selectFrom('wallet_keys')
    .innerJoin('wallets', 'wallets.id', 'wallet_keys.wallet_id')
    .selectAll('wallet_keys')
    .select('wallets.address')
    .where('master_key_id', '!=', masterKeyId)
    .limit(limit)
    .execute()
  return rows.map((row) => ({ walletId: row.wallet_id, address: row.address, encrypted: toEncryptedKey(row) }))
}

/** Stores the same key in a new wrapping; false when another process was faster. */
export async function updateWrapping(db: Db, walletId: string, was: EncryptedKey, now: EncryptedKey): Promise<boolean> {
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

export async function listCanaries(db: Db): Promise<EncryptedKey[]> {
  return (await db.selectFrom('wallet_canaries').selectAll().execute()).map(toEncryptedKey)
}

/** Keeps the first canary of each master key. */
export async function insertCanary(db: Db, encrypted: EncryptedKey, now: number): Promise<void> {
  await db
    .insertInto('wallet_canaries')
    .values({
      master_key_id: encrypted.masterKeyId,
      wrapped_data_key: encrypted.wrappedDataKey,
      sealed_key: encrypted.encryptedKey,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
