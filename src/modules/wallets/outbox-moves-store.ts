import { sql } from 'kysely'
import type { Raw } from '../../kernel/money.ts'
import type { Db } from '../../kernel/db.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'
import type { SendRefusal } from './errors.ts'
import { BLOCK_COLUMNS, OPEN, type OutboxBlock, QUEUED, toBlock } from './outbox-store.ts'

/** Sends whose client waits no longer: nothing has happened yet, and nothing will. */
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

/** Sends whose clients wait for a wallet that will not send any more. */
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
 * Queued → refused; false when it was signed meanwhile, or when no client waits for it: what the service owes stays owed.
 * Its reference is free again, since nothing has happened.
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

/** A queued receive that cannot be signed now; it is queued again when the ledger shows the deposit again. */
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

/** Queued → signed, if it still waits and its time is not over. Call it under the lease, before anybody outside can know of the block. */
export async function markSigned(db: Db, id: string, signed: Signed, now: number): Promise<OutboxBlock | undefined> {
  const { balance, amount } = signed
  const [row] = await sign(db, { ...signed, id, balance: balance.toString(), amount: amount.toString(), now })
  return row && toBlock(row)
}

type SignedRow = Record<'id' | 'hash' | 'previous' | 'balance' | 'amount' | 'block', string> & { now: number }

/** An operator may have frozen the wallet, or sends, since it was looked at. */
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

/** Work is not part of a block's hash: the same block may carry better work. */
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

/** Open → confirmed; true for the one who moved it. */
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

/** Open → lost: a confirmed foreign block stands where ours should be. Its frontier stays used for ever. */
export async function markLost(db: Db, id: string): Promise<void> {
  await db.updateTable('wallet_blocks').set({ status: 'lost' }).where('id', '=', id).where(OPEN).execute()
}

/** Lost → confirmed: the ledger has it after all. */
export async function markFound(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('wallet_blocks')
    .set({ status: 'confirmed', confirmed_at: now })
    .where('id', '=', id)
    .where('status', '=', 'lost')
    .execute()
}

/** Lost → signed: nothing stands in its place, and its frontier takes no other block. The same bytes go out again. */
export async function reopenLost(db: Db, id: string): Promise<void> {
  await db
    .updateTable('wallet_blocks')
    .set({ status: 'signed' })
    .where('id', '=', id)
    .where('status', '=', 'lost')
    .execute()
}

/** Lets a deposit be received by another block, now that this one cannot. */
export async function releaseSource(db: Db, id: string): Promise<void> {
  await db
    .updateTable('wallet_blocks')
    .set({ source_hash: null })
    .where('id', '=', id)
    .where('status', '=', 'lost')
    .execute()
}
