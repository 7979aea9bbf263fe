import { type RecordIn, type RowIn, columns, named, plain, raw } from '../../kernel/resource/columns.ts'
import type { Db } from '../../kernel/db.ts'

/** A claim, stored before it is paid. Its block is the payment `faucet:<id>` of the treasury. */
const CLAIM = columns({
  id: plain<string>(),
  accountId: plain<string>(),
  address: plain<string>(),
  amount: named('amount_raw', raw()),
  /** The client's key of the request, so that a repeated request is the same claim. */
  idempotencyKey: plain<string | null>(),
  createdAt: plain<number>(),
})

export type FaucetClaim = RecordIn<typeof CLAIM>
export type FaucetClaimsTable = RowIn<typeof CLAIM>
const toClaim = CLAIM.toRecord

export async function insertClaim(db: Db, claim: FaucetClaim): Promise<void> {
  await db.insertInto('faucet_claims').values(CLAIM.toRow(claim)).execute()
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
