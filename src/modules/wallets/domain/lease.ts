import type { Db } from '../../../kernel/db.ts'
import type { WalletRoom } from '../room.ts'
import { LeaseLost } from '../errors.ts'
import { type Lease, holdLease, releaseLease, takeLease } from '../store.ts'

/** Long enough for a slow node, short enough that a crash holds a wallet up only briefly. */
const LEASE_MILLISECONDS = 10_000

/** Runs with the sole right to a wallet; undefined when somebody else has it. A crash lets the lease run out. */
export async function withLease<T>(
  { store: { db, clock, failures } }: WalletRoom,
  walletId: string,
  run: (lease: Lease) => Promise<T>,
): Promise<T | undefined> {
  const now = clock.now()
  const lease = await takeLease(db, walletId, { now, until: now + LEASE_MILLISECONDS })
  if (!lease) return undefined
  let over = false
  let cancel = () => {}
  const renewLater = () => {
    cancel = clock.after(LEASE_MILLISECONDS / 3, () => {
      // Proof of work can take longer than a lease. A lease that was lost is found out before anything is signed.
      holdLease(db, lease, clock.now() + LEASE_MILLISECONDS).then(
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
    return await run(lease)
  } finally {
    over = true
    cancel()
    await releaseLease(db, lease).catch(failures.lost('wallets.lease'))
  }
}

/** One transaction that changes nothing unless the lease is still ours. */
export async function underLease<T>(
  { store: { db, clock } }: WalletRoom,
  lease: Lease,
  run: (db: Db, now: number) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (tx) => {
    const now = clock.now()
    if (!(await holdLease(tx, lease, now + LEASE_MILLISECONDS))) throw new LeaseLost()
    return run(tx, now)
  })
}
