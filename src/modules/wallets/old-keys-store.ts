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

/** What the treasury of earlier is called, which sends whatever still arrives to its successor. */
const FORMER_TREASURY = 'former_treasury'

/** Ends a wallet that the caller has locked: it sends what it has, and whatever still arrives, to its successor. */
export async function markSucceeded(
  db: Db,
  { id, purpose }: Pick<OldKeyWallet, 'id' | 'purpose'>,
  successor: string,
): Promise<void> {
  await db
    .updateTable('wallets')
    .set({
      purpose: purpose === 'treasury' ? FORMER_TREASURY : purpose,
      status: 'expiring',
      ends_as: 'deleted',
      refund_address: JSON.stringify(successor),
    })
    .where('id', '=', id)
    .execute()
}

/** Locks a wallet that is about to owe a payment; false when it is the treasury of earlier, whose money has gone to its successor. */
export async function lockPayer(db: Db, id: string): Promise<boolean> {
  const row = await db
    .updateTable('wallets')
    .set(({ ref }) => ({ fence: ref('fence') }))
    .where('id', '=', id)
    .where('purpose', '!=', FORMER_TREASURY)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Whether sends of a wallet are queued. */
export async function owesSends(db: Db, id: string): Promise<boolean> {
  const rows = await db
    .selectFrom('wallet_blocks')
    .select('id')
    .where('wallet_id', '=', id)
    .where('status', '=', 'queued')
    .where('kind', '=', 'send')
    .limit(1)
    .execute()
  return rows.length > 0
}
