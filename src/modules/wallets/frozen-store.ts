import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import type { WalletsTable } from './store.ts'

/** From now on nothing is signed for this wallet. True for the caller that froze it. */
export async function markFrozen(db: Db, id: string, reason: string, now: number): Promise<boolean> {
  const row = await db
    .updateTable('wallets')
    .set({ frozen_at: now, frozen_reason: reason })
    .where('id', '=', id)
    .where('frozen_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** A wallet that waits for an operator. */
export interface FrozenWallet {
  id: string
  accountId: string | null
  address: string
  frozenAt: number
  reason: string
  /** The last block that the store knows. */
  frontier: string
}

const selectFrozen = (db: Db) =>
  db
    .selectFrom('wallets')
    .select(['id', 'account_id', 'address', 'frozen_at', 'frozen_reason', 'frontier'])
    .where('frozen_at', 'is not', null)

type FrozenRow = Pick<WalletsTable, 'id' | 'account_id' | 'address' | 'frozen_at' | 'frozen_reason' | 'frontier'>

const toFrozen = ({
  id,
  account_id: accountId,
  address,
  frozen_at: at,
  frozen_reason: reason,
  frontier,
}: FrozenRow) => ({
  id,
  accountId,
  address,
  frozenAt: at!,
  reason: reason!,
  frontier,
})

/** Wallets that wait for an operator, the latest first. */
export async function listFrozen(db: Db, limit: number): Promise<FrozenWallet[]> {
  return (await selectFrozen(db).orderBy('frozen_at', 'desc').limit(limit).execute()).map(toFrozen)
}

export async function findFrozen(db: Db, name: string): Promise<FrozenWallet | undefined> {
  const row = await selectFrozen(db)
    .where((where) => where.or([where('id', '=', name), where('address', '=', name)]))
    .executeTakeFirst()
  return row && toFrozen(row)
}

/** Unfreezes a wallet; false when it is not frozen. The ledger's confirmed state is taken over before anything is signed. */
export async function markUnfrozen(db: Db, id: string, now: number): Promise<boolean> {
  const row = await db
    .updateTable('wallets')
    .set({ frozen_at: null, frozen_reason: null, thawed_at: now })
    .where('id', '=', id)
    .where('frozen_at', 'is not', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Ends the unfreezing: the wallet works normally again. */
export async function markAdopted(db: Db, id: string): Promise<void> {
  await db.updateTable('wallets').set({ thawed_at: null }).where('id', '=', id).execute()
}

/** How the reason begins where the ledger has a block that the store does not know. */
export const FOREIGN = 'The ledger has block '

/** How many wallets are frozen for that reason. */
export async function countForeign(db: Db): Promise<number> {
  const row = await db
    .selectFrom('wallets')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('frozen_at', 'is not', null)
    .where(sql<boolean>`frozen_reason like ${`${FOREIGN}%`}`)
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}
