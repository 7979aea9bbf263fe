import { sql } from 'kysely'
import { type Raw, toRaw } from '../../kernel/money.ts'
import type { Db } from '../../kernel/db.ts'
import type { Deposit } from './outbox-store.ts'

/** The balance of a wallet of the service, and the part not committed to sends. */
export interface Funds {
  /** Confirmed. */
  balance: Raw
  /** The balance minus every unconfirmed send; negative when more is promised than there is. */
  free: bigint
  /** Whether a deposit is being received. */
  receives: boolean
}

/**
 * Reads a wallet's funds and locks its row until the transaction ends: meanwhile no block of it is confirmed, and other callers that ask here
 * first wait until this one has stored what it promises. Undefined when the wallet has begun to end or is frozen. A lost send is still
 * owed, and counts until an operator has checked it; a void one counts until it certainly never leaves.
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
  // Each part uses an index of its own, because a treasury has very many confirmed blocks.
  const { rows: blocks } = await sql<{ kind: string; amount_raw: string | null }>`
    select kind, amount_raw from wallet_blocks where wallet_id = ${walletId} and status in ('signed', 'broadcast')
    union all select kind, amount_raw from wallet_blocks where wallet_id = ${walletId} and status = 'queued'
    union all select kind, amount_raw from wallet_blocks where wallet_id = ${walletId} and status = 'lost'
      and kind = 'send'
    union all select kind, amount_raw from wallet_blocks where wallet_id = ${walletId} and status = 'void'
      and kind = 'send' and refusal is null`.execute(db)
  const balance = toRaw(BigInt(wallet.balance_raw))
  const sends = blocks.filter(({ kind }) => kind === 'send')
  const promised = sends.reduce((sum, { amount_raw: amount }) => sum + BigInt(amount ?? wallet.balance_raw), 0n)
  return { balance, free: balance - promised, receives: sends.length < blocks.length }
}

/** The balance of a wallet by our record: after its unconfirmed block, if there is one. */
export interface Holding {
  walletId: string
  balance: Raw
  isFrozen: boolean
  /** The deposit that this block receives. */
  receiving: { sourceHash: string; amount: Raw } | undefined
}

const AT_ONCE = 500

/** One statement for wallet and block: between two statements, a confirmation could be missed by both. */
export async function listHoldings(db: Db, walletIds: readonly string[]): Promise<Holding[]> {
  const holdings: Holding[] = []
  for (let at = 0; at < walletIds.length; at += AT_ONCE) {
    const rows = await db
      .selectFrom('wallets as wallet')
      .leftJoin('wallet_blocks as open', (join) =>
        join
          .onRef('open.wallet_id', '=', 'wallet.id')
          // A literal instead of a parameter, so that the partial index of such rows is used.
          .on(sql<boolean>`open.status in ('signed', 'broadcast')`),
      )
      .select([
        'wallet.id',
        'wallet.balance_raw',
        'wallet.frozen_at',
        'open.kind',
        'open.source_hash',
        'open.amount_raw',
      ])
      .select('open.balance_raw as open_balance_raw')
      .where('wallet.id', 'in', walletIds.slice(at, at + AT_ONCE))
      .execute()
    for (const row of rows) {
      const isReceive = row.kind === 'receive' && row.source_hash !== null && row.amount_raw !== null
      holdings.push({
        walletId: row.id,
        balance: toRaw(BigInt(row.open_balance_raw ?? row.balance_raw)),
        isFrozen: row.frozen_at !== null,
        receiving: isReceive ? { sourceHash: row.source_hash!, amount: toRaw(BigInt(row.amount_raw!)) } : undefined,
      })
    }
  }
  return holdings
}

/** Deposits that a wallet has received, newest first. */
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
