import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import { deleteSome } from '../../kernel/retention.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import type { FollowedSwap, SwapStatus } from '../../kernel/swap.ts'
import type { SwapsTable } from './tables.ts'

export interface Swap extends FollowedSwap {
  provider: string
  depositAddress: string
  createdAt: number
}

/** Final statuses. */
const FINAL: readonly SwapStatus[] = ['finished', 'failed', 'refunded', 'expired']

export async function insertSwap(db: Db, swap: Swap & { accountId: string | null }): Promise<void> {
  await db
    .insertInto('swaps')
    .values({
      id: swap.id,
      account_id: swap.accountId,
      provider: swap.provider,
      reference: swap.reference,
      from_code: swap.from,
      to_code: swap.to,
      send: swap.amount,
      receive: swap.receive,
      address: swap.address,
      refund_address: swap.refundAddress,
      deposit_address: swap.depositAddress,
      status: swap.status,
      created_at: swap.createdAt,
      looked_at: swap.createdAt,
      expires_at: swap.expiresAt,
    })
    .execute()
}

export async function findSwap(db: Db, id: string): Promise<Swap | undefined> {
  const row = await db.selectFrom('swaps').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toSwap(row)
}

/** Open swaps, the one not checked for longest first. */
export async function listOpenSwaps(db: Db, provider: string, limit: number): Promise<Swap[]> {
  const rows = await db
    .selectFrom('swaps')
    .selectAll()
    .where('status', 'not in', FINAL)
    .where('provider', '=', provider)
    .orderBy('looked_at')
    .limit(limit)
    .execute()
  return rows.map(toSwap)
}

/** Deletes unpaid swaps that were opened without a key. */
export function deleteExpiredSwaps(db: Db, lookedBefore: number, limit: number): Promise<number> {
  const where = sql<boolean>`status = 'expired' and looked_at < ${lookedBefore} and account_id is null`
  return deleteSome(db, { from: 'swaps', key: ['id'], where, limit })
}

/** Changes a swap's status; false when another process has changed it meanwhile. */
export async function markSwap(db: Db, { id, status }: Swap, next: SwapStatus, now: number): Promise<boolean> {
  const won = await db
    .updateTable('swaps')
    .set({ status: next, looked_at: now })
    .where('id', '=', id)
    .where('status', '=', status)
    .returning('id')
    .executeTakeFirst()
  return won !== undefined
}

function toSwap(row: SwapsTable): Swap {
  return {
    id: row.id,
    provider: row.provider,
    reference: row.reference,
    from: row.from_code,
    to: row.to_code,
    amount: row.send,
    receive: row.receive,
    address: row.address,
    refundAddress: row.refund_address,
    depositAddress: row.deposit_address,
    status: row.status,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

/** A swap as in the contract: the sent amount as a number, the received one as text with its currency. */
export function shapeSwap(swap: Swap): JsonObject {
  return {
    id: swap.id,
    send: Number(swap.amount),
    receive: `${swap.receive} ${swap.to.toUpperCase()}`,
    swap_address: swap.depositAddress,
    refund_address: swap.refundAddress,
    status: swap.status,
    source: swap.provider,
    expires_unix: Math.floor(swap.expiresAt / 1000),
  }
}
