import { sql } from 'kysely'
import type { Raw } from '../../kernel/money.ts'
import type { Db } from '../../kernel/db.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'
import type { SendRefusal } from './errors.ts'
import { BLOCK_COLUMNS, OPEN, type OutboxBlock, QUEUED, toBlock } from './outbox-store.ts'

/** Refuses sends that are past their deadline: nothing was signed for them, and nothing will be. */
export async function refuseOverdue(db: Db, walletId: string, now: number): Promise<string[]> {
  const rows = await db
    .updateTable('wallet_blocks')
    .set({ status: 'refused', refusal: 'wallet_busy', reference: null })
    .where('wallet_id', '=', walletId)
    .where(QUEUED)
    .where('deadline_at', '<=', now)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Refuses sends that wait in a wallet which will send no more. */
export async function refuseWaiting(db: Db, walletId: string): Promise<string[]> {
  const rows = await db
    .updateTable('wallet_blocks')
    .set({ status: 'refused', refusal: 'wallet_frozen', reference: null })
    .where('wallet_id', '=', walletId)
    .where(QUEUED)
    .where('deadline_at', 'is not', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Refuses a queued send. False when it was signed meanwhile, or when no client waits for it, because what the service owes stays owed. The reference
 * of a refused send may be used again, since nothing has happened.
 */
export async function markRefused(db: Db, id: string, refusal: SendRefusal): Promise<boolean> {
  const row = await db
    .updateTable('wallet_blocks')
    .set({ status: 'refused', refusal, reference: null })
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .where('deadline_at', 'is not', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a queued receive that cannot be signed now; it is queued again when the ledger lists the deposit again. */
export async function deleteQueuedReceive(db: Db, id: string): Promise<void> {
  await db
    .deleteFrom('wallet_blocks')
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .where('kind', '=', 'receive')
    .execute()
}

interface Signed {
  hash: string
  previous: string
  balance: Raw
  amount: Raw
  block: string
}

/**
 * Changes a queued operation to `signed`, if it is still queued and not past its deadline. Call it under the lock, before anyone else can know the
 * block.
 */
export async function markSigned(db: Db, id: string, signed: Signed, now: number): Promise<OutboxBlock | undefined> {
  const { balance, amount } = signed
  const [row] = await sign(db, { ...signed, id, balance: balance.toString(), amount: amount.toString(), now })
  return row && toBlock(row)
}

type SignedRow = Record<'id' | 'hash' | 'previous' | 'balance' | 'amount' | 'block', string> & { now: number }

/** Checked at signing, because an operator may have frozen the wallet or all sends since the wallet was read. */
const NOT_FROZEN = sql<boolean>`not exists (select 1 from wallets where wallets.id = wallet_blocks.wallet_id and (
    frozen_at is not null or (kind = 'send' and exists (select 1 from send_freezes
      where scope in ('all', wallets.account_id, wallet_blocks.account_id)))))`

const sign = prepared((db, given: Given<SignedRow>) =>
  db
    .updateTable('wallet_blocks')
    .set({
      status: 'signed',
      hash: given('hash'),
      previous: given('previous'),
      balance_raw: given('balance'),
      amount_raw: given('amount'),
      block: given('block'),
      signed_at: given('now'),
    })
    .where('id', '=', given('id'))
    .where('status', '=', 'queued')
    .where((where) => where.or([where('deadline_at', 'is', null), where('deadline_at', '>', given('now'))]))
    .where(NOT_FROZEN)
    .returning(BLOCK_COLUMNS),
)

/** Replaces the work, which is not part of the block's hash: the same block may carry better work. */
export async function updateWork(db: Db, id: string, block: string): Promise<void> {
  await db.updateTable('wallet_blocks').set({ block }).where('id', '=', id).where(OPEN).execute()
}

export async function markBroadcast(db: Db, id: string, now: number): Promise<void> {
  await broadcast(db, { id, now })
}

const broadcast = prepared((db, given: Given<{ id: string; now: number }>) =>
  db
    .updateTable('wallet_blocks')
    .set({ status: 'broadcast', broadcast_at: given('now') })
    .where('id', '=', given('id'))
    .where(OPEN),
)

/** Changes an open block to `confirmed`; true for the caller that changed it. */
export async function markConfirmed(db: Db, id: string, now: number): Promise<boolean> {
  return (await confirm(db, { id, now })).length > 0
}

const confirm = prepared((db, given: Given<{ id: string; now: number }>) =>
  db
    .updateTable('wallet_blocks')
    .set({ status: 'confirmed', confirmed_at: given('now') })
    .where('id', '=', given('id'))
    .where(OPEN)
    .returning('id'),
)

/** Changes an open block to `lost`: a confirmed foreign block has taken its place. Its frontier stays used for ever. */
export async function markLost(db: Db, id: string): Promise<void> {
  await db.updateTable('wallet_blocks').set({ status: 'lost' }).where('id', '=', id).where(OPEN).execute()
}

/** Changes a lost block to `confirmed`: the ledger has it after all. */
export async function markFound(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('wallet_blocks')
    .set({ status: 'confirmed', confirmed_at: now })
    .where('id', '=', id)
    .where('status', '=', 'lost')
    .execute()
}

/**
 * Changes a lost block back to `signed`: nothing has taken its place, and its frontier is used by no other block. The same bytes are published again.
 */
export async function reopenLost(db: Db, id: string): Promise<void> {
  await db
    .updateTable('wallet_blocks')
    .set({ status: 'signed' })
    .where('id', '=', id)
    .where('status', '=', 'lost')
    .execute()
}

/** Lets another block receive the deposit, because this one cannot any more. */
export async function releaseSource(db: Db, id: string): Promise<void> {
  await db
    .updateTable('wallet_blocks')
    .set({ source_hash: null })
    .where('id', '=', id)
    .where('status', '=', 'lost')
    .execute()
}
