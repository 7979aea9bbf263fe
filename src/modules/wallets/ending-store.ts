import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import { type WalletStatus, type Wallet, toWallet } from './store.ts'

export async function listDueWallets(db: Db, now: number, limit: number): Promise<Wallet[]> {
  const rows = await db
    .selectFrom('wallets')
    .selectAll()
    .where(sql<boolean>`status = 'active'`)
    .where('expires_at', '<=', now)
    .where('frozen_at', 'is', null)
    .orderBy('expires_at')
    .limit(limit)
    .execute()
  return rows.map(toWallet)
}

/** Changes an active or held wallet to `expiring`; false when it is ending already. */
export async function markExpiring(db: Db, id: string, endsAs: 'ended' | 'deleted'): Promise<boolean> {
  return mark(db, id, ['active', 'held'], { status: 'expiring', ends_as: endsAs })
}

/** Changes a wallet to `held`: without a refund address, its balance stays with the owner. */
export async function markHeld(db: Db, id: string): Promise<boolean> {
  return mark(db, id, ['active', 'expiring', 'ended', 'deleted'], { status: 'held', ends_as: null, ended_at: null })
}

/** Ends a wallet that is empty and has nothing under way. */
export async function markEnded(db: Db, id: string, as: 'ended' | 'deleted', now: number): Promise<boolean> {
  return mark(db, id, ['expiring', 'held'], { status: as, ends_as: null, ended_at: now })
}

async function mark(
  db: Db,
  id: string,
  from: WalletStatus[],
  change: { status: WalletStatus; ends_as: 'ended' | 'deleted' | null; ended_at?: number | null },
): Promise<boolean> {
  const row = await db
    .updateTable('wallets')
    .set(change)
    .where('id', '=', id)
    .where('status', 'in', from)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
