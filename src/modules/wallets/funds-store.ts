import { sql } from 'kysely'
import { type Raw, toRaw } from '../../kernel/money.ts'
import type { Db } from '../../kernel/tables/index.ts'
import type { Deposit } from './outbox-store.ts'

/** What a wallet of the service holds, and how much of it nobody has been promised. */
export interface Funds {
  /** Confirmed. */
  balance: Raw
  /** Balance less every send that is not confirmed; below zero when more is promised than there is. */
  free: bigint
  /** Whether a deposit is being received. */
  receives: boolean
}

/**
 * Reads a wallet's funds and holds its row until the transaction ends: no block of it is confirmed, and nothing else is
 * promised by whoever asks here first, before the caller has written down what it promises. Undefined when the wallet
 * has begun to end or is frozen. A lost send is still owed, and stays promised until a person has looked into it.
 */
export async function lockFunds(db: Db, walletId: string): Promise<Funds | undefined> {
  const wallet = await db
    .updateTable('wallets')
    .set(({ ref }) => ({ fence: ref('fence') }))
    .where('id', '=', walletId)
    .where('status', '=', 'active')
    .where('frozen_at', 'is', null)
    .returning('balance_raw')
    .executeTakeFirst()
  if (!wallet) return undefined
  // Each part has an index of its own: a treasury has any number of blocks that are long confirmed.
  const { rows: blocks } = await sql<{ kind: string; amount_raw: string | null }>`
    select kind, amount_raw from wallet_blocks where wallet_id = ${walletId} and status in ('signed', 'broadcast')
    union all select kind, amount_raw from wallet_blocks where wallet_id = ${walletId} and status = 'queued'
    union all select kind, amount_raw from wallet_blocks where wallet_id = ${walletId} and status = 'lost'
      and kind = 'send'`.execute(db)
  const balance = toRaw(BigInt(wallet.balance_raw))
  const sends = blocks.filter(({ kind }) => kind === 'send')
  const promised = sends.reduce((sum, { amount_raw: amount }) => sum + BigInt(amount ?? wallet.balance_raw), 0n)
  return { balance, free: balance - promised, receives: sends.length < blocks.length }
}

/** Deposits that a wallet has received, the latest first. */
export async function listDeposits(db: Db, walletId: string, limit: number): Promise<Deposit[]> {
  const rows = await db
    .selectFrom('wallet_blocks')
    .select(['source_hash', 'source_address', 'amount_raw'])
    .where('wallet_id', '=', walletId)
    .where('kind', '=', 'receive')
    .where('status', '=', 'confirmed')
    .orderBy('confirmed_at', 'desc')
    .orderBy('sequence', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    hash: row.source_hash!,
    source: row.source_address!,
    amount: toRaw(BigInt(row.amount_raw!)),
  }))
}
