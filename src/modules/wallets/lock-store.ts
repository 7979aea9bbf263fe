import type { Db } from '../../kernel/db.ts'
import { sharedLock } from '../../kernel/dialect.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'
import { WALLET_COLUMNS, type Wallet, toWallet } from './store.ts'

/** Exclusive access to a wallet until another process takes it over. */
export interface WalletLock {
  walletId: string
  fence: number
}

/** Takes a free or expired lock and returns the wallet as read with it. One statement, so that two instances never both get it. */
export async function takeLock(
  db: Db,
  walletId: string,
  { now, until }: { now: number; until: number },
): Promise<{ lock: WalletLock; wallet: Wallet } | undefined> {
  const [row] = await lockFree(db, { walletId, now, until })
  return row && { lock: { walletId, fence: row.fence }, wallet: toWallet(row) }
}

const lockFree = prepared((db, given: Given<{ walletId: string; now: number; until: number }>) =>
  db
    .updateTable('wallets')
    .set(({ eb }) => ({ lease_until: given('until'), fence: eb('fence', '+', 1) }))
    .where('id', '=', given('walletId'))
    .where('lease_until', '<=', given('now'))
    .returning(['fence', ...WALLET_COLUMNS]),
)

/**
 * Checks that the lock is still ours, extends it, and locks the row until the transaction ends. A frozen wallet cannot be locked, and a
 * freeze of sends waits for the transaction: what comes after it in the transaction sees every freeze that is in force.
 */
export async function holdLock(db: Db, { walletId, fence }: WalletLock, until: number): Promise<boolean> {
  return (await lockHeld(db, { walletId, fence, until })).length > 0
}

const lockHeld = prepared((db, given: Given<WalletLock & { until: number }>) =>
  db
    .updateTable('wallets')
    .set({ lease_until: given('until') })
    .where('id', '=', given('walletId'))
    .where('fence', '=', given('fence'))
    .where('frozen_at', 'is', null)
    .returning(['id', sharedLock(db, 'sends').as('shared')]),
)

/** Releases our lock. The fence moves on, so that a renewal still on its way changes nothing. */
export async function releaseLock(db: Db, { walletId, fence }: WalletLock): Promise<void> {
  await lockOver(db, { walletId, fence, next: fence + 1 })
}

const lockOver = prepared((db, given: Given<WalletLock & { next: number }>) =>
  db
    .updateTable('wallets')
    .set({ lease_until: 0, fence: given('next') })
    .where('id', '=', given('walletId'))
    .where('fence', '=', given('fence')),
)
