import { type Raw, toRaw } from '../../kernel/money.ts'
import type { Db } from '../../kernel/db.ts'
import type { FaucetClaimsTable } from './tables.ts'

export interface FaucetClaim {
  id: string
  accountId: string
  address: string
  amount: Raw
  idempotencyKey: string | null
  createdAt: number
}

const toClaim = (row: FaucetClaimsTable): FaucetClaim => ({
  id: row.id,
  accountId: row.account_id,
  address: row.address,
  amount: toRaw(BigInt(row.amount_raw)),
  idempotencyKey: row.idempotency_key,
  createdAt: row.created_at,
})

export async function insertClaim(db: Db, claim: FaucetClaim): Promise<void> {
  await db
    .insertInto('faucet_claims')
    .values({
      id: claim.id,
      account_id: claim.accountId,
      address: claim.address,
      amount_raw: claim.amount.toString(),
      idempotency_key: claim.idempotencyKey,
      created_at: claim.createdAt,
    })
    .execute()
}

export async function findClaimByKey(db: Db, accountId: string, key: string): Promise<FaucetClaim | undefined> {
  const row = await db
    .selectFrom('faucet_claims')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst()
  return row && toClaim(row)
}

export async function findLatestClaim(db: Db, accountId: string, address: string): Promise<FaucetClaim | undefined> {
  const row = await db
    .selectFrom('faucet_claims')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('address', '=', address)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && toClaim(row)
}
