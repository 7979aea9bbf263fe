import { sql } from 'kysely'
import { type Raw, toRaw } from '../../kernel/money.ts'
import type { Db } from '../../kernel/db.ts'

/** A wallet that may hold money, and whose key the words of the active seed do not open. */
export interface OldKeyWallet {
  id: string
  accountId: string | null
  address: string
  purpose: string
  balance: Raw
}

/** Such wallets that have not ended. */
export async function listOldKeys(db: Db, limit: number): Promise<OldKeyWallet[]> {
  const { rows } = await sql<{
    id: string
    account_id: string | null
    address: string
    purpose: string
    balance_raw: string
  }>`
    select w.id, w.account_id, w.address, w.purpose, w.balance_raw from wallets w
    join wallet_keys k on k.wallet_id = w.id left join wallet_seeds s on s.id = k.seed_id
    where s.active is null and w.status in ('active', 'held') order by w.id limit ${sql.lit(limit)}`.execute(db)
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    address: row.address,
    purpose: row.purpose,
    balance: toRaw(BigInt(row.balance_raw)),
  }))
}

/** Ends a wallet that the caller has locked: it sends what it has, and whatever still arrives, to its successor. */
export async function markSucceeded(db: Db, id: string, successor: string): Promise<void> {
  await db
    .updateTable('wallets')
    .set({ status: 'expiring', ends_as: 'deleted', refund_address: JSON.stringify(successor) })
    .where('id', '=', id)
    .execute()
}
