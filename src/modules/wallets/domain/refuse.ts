import type { Db } from '../../../kernel/db.ts'
import { releaseSpends } from '../../accounts/index.ts'
import type { SendRefusal } from '../errors.ts'
import { markRefused, refuseOverdue, refuseWaiting } from '../outbox-moves-store.ts'

/** Takes a send back that was not signed yet, and what a key had set aside for it. */
export function refuseSend(db: Db, id: string, refusal: SendRefusal): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const isRefused = await markRefused(tx, id, refusal)
    if (isRefused) await releaseSpends(tx, [id])
    return isRefused
  })
}

/** The same for those of a wallet whose time is over; answers which. */
export function refuseLate(db: Db, walletId: string, now: number): Promise<string[]> {
  return db.transaction().execute(async (tx) => released(tx, await refuseOverdue(tx, walletId, now)))
}

/** The same for those that wait for a wallet which will not send any more, in the transaction that says so. */
export async function refuseWaitingIn(tx: Db, walletId: string): Promise<string[]> {
  return released(tx, await refuseWaiting(tx, walletId))
}

async function released(tx: Db, ids: string[]): Promise<string[]> {
  await releaseSpends(tx, ids)
  return ids
}
