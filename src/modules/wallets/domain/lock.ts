import type { Db } from '../../../kernel/db.ts'
import { allOrNone } from '../../../kernel/store-connection.ts'
import type { WalletContext } from '../context.ts'
import { LockLost } from '../errors.ts'
import { type WalletLock, holdLock, releaseLock, takeLock } from '../lock-store.ts'
import type { Wallet } from '../store.ts'

/** Long enough for a slow node, short enough that a crash blocks a wallet only briefly. */
const LEASE_MILLISECONDS = 10_000

/** Runs with exclusive access to a wallet; undefined when another process has it. After a crash, the lock expires. */
export async function withLock<T>(
  { store: { db, clock, failures } }: WalletContext,
  walletId: string,
  run: (lock: WalletLock, wallet: Wallet) => Promise<T>,
): Promise<T | undefined> {
  const now = clock.now()
  const taken = await takeLock(db, walletId, { now, until: now + LEASE_MILLISECONDS })
  if (!taken) return undefined
  const { lock, wallet } = taken
  let over = false
  let cancel = () => {}
  const renewLater = () => {
    cancel = clock.after(Math.floor(LEASE_MILLISECONDS / 3), () => {
      // Proof of work can take longer than the lock lasts, so it is renewed. Signing checks that it was not lost.
      holdLock(db, lock, clock.now() + LEASE_MILLISECONDS).then(
        (held) => (held && !over ? renewLater() : undefined),
        (error: unknown) => {
          failures.lost('wallets.lease')(error)
          if (!over) renewLater()
        },
      )
    })
  }
  renewLater()
  try {
    return await run(lock, wallet)
  } finally {
    over = true
    cancel()
    await releaseLock(db, lock).catch(failures.lost('wallets.lease'))
  }
}

/** A transaction that is rolled back unless the lock is still ours; both statements are sent together. */
export async function underLock<T>(
  { store: { db, clock } }: WalletContext,
  lock: WalletLock,
  run: (db: Db, now: number) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (tx) => {
    const now = clock.now()
    const [held, done] = await Promise.allSettled([holdLock(tx, lock, now + LEASE_MILLISECONDS), run(tx, now)])
    if (held.status === 'rejected') throw held.reason
    if (!held.value) throw new LockLost()
    if (done.status === 'rejected') throw done.reason
    return done.value
  })
}

/** The same for a single function that returns what it changed; when it returns undefined, the transaction is rolled back. */
export async function movedUnderLock<T>(
  { store: { db, clock } }: WalletContext,
  lock: WalletLock,
  move: (db: Db, now: number) => Promise<T>,
): Promise<T> {
  const [held, moved] = await allOrNone(db, (tx) => {
    const now = clock.now()
    return [holdLock(tx, lock, now + LEASE_MILLISECONDS), move(tx, now)]
  })
  if (!held) throw new LockLost()
  return moved
}
