import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import type { OutboxBlock } from './outbox-store.ts'
import type { Wallet } from './store.ts'

/** Counts one more round in which all nodes denied the block; for a new block the count starts at one. */
export async function markDenied(db: Db, { id, denied }: Wallet, hash: string, now: number): Promise<void> {
  const known = denied?.hash === hash ? denied : { since: now, rounds: 0 }
  await db
    .updateTable('wallets')
    .set({ denied_hash: hash, denied_at: known.since, denied_rounds: known.rounds + 1 })
    .where('id', '=', id)
    .execute()
}

/** A node has the block after all. */
export async function clearDenied(db: Db, id: string): Promise<void> {
  await db
    .updateTable('wallets')
    .set({ denied_hash: null, denied_at: null, denied_rounds: 0 })
    .where('id', '=', id)
    .execute()
}

/** Clears the denial and records that some blocks are void. */
export async function markReleased(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('wallets')
    .set({ denied_hash: null, denied_at: null, denied_rounds: 0, voided_at: now })
    .where('id', '=', id)
    .execute()
}

/**
 * Makes a block void that is signed, broadcast, or confirmed by a false answer; false when it changed meanwhile. The columns for its frontier and its
 * deposit are freed; both remain in the signed bytes. `refusal` is set once the block certainly can never be confirmed, which may be later.
 */
export async function markVoid(db: Db, block: OutboxBlock, refusal: string | null): Promise<boolean> {
  const row = await db
    .updateTable('wallet_blocks')
    .set({ status: 'void', refusal, previous: null, source_hash: null, confirmed_at: null })
    .where('id', '=', block.id)
    .where('status', '=', block.status)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Changes a void block to `confirmed`: the ledger has it after all. A queued receive of the same deposit is deleted, since it has nothing to receive.
 */
export async function restoreVoid(
  db: Db,
  { id, walletId }: Pick<OutboxBlock, 'id' | 'walletId'>,
  { previous, sourceHash }: { previous: string; sourceHash: string | null },
  now: number,
): Promise<boolean> {
  if (sourceHash !== null) {
    await db
      .deleteFrom('wallet_blocks')
      .where('wallet_id', '=', walletId)
      .where('source_hash', '=', sourceHash)
      .where('status', '=', 'queued')
      .execute()
  }
  const other =
    sourceHash === null
      ? undefined
      : await db
          .selectFrom('wallet_blocks')
          .select('id')
          .where('wallet_id', '=', walletId)
          .where('source_hash', '=', sourceHash)
          .executeTakeFirst()
  const row = await db
    .updateTable('wallet_blocks')
    .set({ status: 'confirmed', refusal: null, previous, source_hash: other ? null : sourceHash, confirmed_at: now })
    .where('id', '=', id)
    .where('status', '=', 'void')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Whether a wallet's block was signed after some of its blocks were released, perhaps in the same millisecond, so that it replaces them. */
export async function isSignedSince(db: Db, walletId: string, hash: string, at: number): Promise<boolean> {
  const row = await db
    .selectFrom('wallet_blocks')
    .select('id')
    .where('hash', '=', hash)
    .where('wallet_id', '=', walletId)
    .where('status', '=', 'confirmed')
    .where('signed_at', '>=', at)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether a wallet has confirmed blocks besides these. */
export async function hasOtherConfirmed(db: Db, walletId: string, blocks: readonly OutboxBlock[]): Promise<boolean> {
  const ids = blocks.map(({ id }) => id)
  const row = await db
    .selectFrom('wallet_blocks')
    .select('id')
    .where('wallet_id', '=', walletId)
    .where('status', '=', 'confirmed')
    .where((where) => (ids.length === 0 ? where.lit(true) : where('id', 'not in', ids)))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Marks void blocks that will certainly never be confirmed; returns their ids. */
export async function settleVoid(db: Db, walletId: string, refusal: string): Promise<string[]> {
  const rows = await db
    .updateTable('wallet_blocks')
    .set({ refusal })
    .where('wallet_id', '=', walletId)
    .where(sql<boolean>`status = 'void'`)
    .where('refusal', 'is', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Records that no void block is in doubt any more; false when more were released meanwhile. */
export async function markSettled(db: Db, { id, voidedAt }: Pick<Wallet, 'id' | 'voidedAt'>): Promise<boolean> {
  const row = await db
    .updateTable('wallets')
    .set({ voided_at: null })
    .where('id', '=', id)
    .where('voided_at', '=', voidedAt)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Wallets with a block open since before a time, or with blocks that nodes deny or that were released. */
export async function listStuck(db: Db, before: number, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from wallets where frozen_at is null and id in (
      select wallet_id from wallet_blocks where status in ('signed', 'broadcast') and created_at <= ${before}
      union select id from wallets where denied_at is not null
      union select id from wallets where voided_at is not null
    ) order by lease_until, id limit ${sql.lit(limit)}`.execute(db)
  return rows.map(({ id }) => id)
}
