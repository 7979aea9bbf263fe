import { type RecordIn, type RowIn, columns, named, plain } from '../../kernel/resource/columns.ts'
import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import { deleteSome } from '../../kernel/retention.ts'
import type { SwapStatus } from '../../kernel/swap.ts'

/** An exchange of one currency for another. Amounts are decimal texts in their own currency. */
const SWAP = columns({
  id: plain<string>(),
  provider: plain<string>(),
  /** The provider's id of this swap. */
  reference: plain<string>(),
  from: named('from_code', plain<string>()),
  to: named('to_code', plain<string>()),
  amount: named('send', plain<string>()),
  receive: plain<string>(),
  address: plain<string>(),
  refundAddress: plain<string>(),
  depositAddress: plain<string>(),
  status: plain<SwapStatus>(),
  createdAt: plain<number>(),
  expiresAt: plain<number>(),
})

export type Swap = RecordIn<typeof SWAP>
export interface SwapsTable extends RowIn<typeof SWAP> {
  account_id: string | null
  /** When the provider was last asked. */
  looked_at: number
}
const toSwap = SWAP.toRecord

/** Final statuses. */
const FINAL: readonly SwapStatus[] = ['finished', 'failed', 'refunded', 'expired']

export async function insertSwap(db: Db, swap: Swap & { accountId: string | null }): Promise<void> {
  await db
    .insertInto('swaps')
    .values({ ...SWAP.toRow(swap), account_id: swap.accountId, looked_at: swap.createdAt })
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
