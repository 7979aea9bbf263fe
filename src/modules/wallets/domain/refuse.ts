import type { Db } from '../../../kernel/db.ts'
import { releaseSpends } from '../../accounts/index.ts'
import type { SendRefusal } from '../errors.ts'
import { markRefused, refuseOverdue, refuseWaiting } from '../outbox-moves-store.ts'

/** Cancels a send that was not signed yet, and releases what a key has reserved for it. */
export function refuseSend(db: Db, id: string, refusal: SendRefusal): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const isRefused = await markRefused(tx, id, refusal)
    if (isRefused) await releaseSpends(tx, [id])
    return isRefused
  })
}

/** The same for a wallet's sends that are past their deadline; returns their ids. */
export function refuseLate(db: Db, walletId: string, now: number): Promise<string[]> {
  return db.transaction().execute(async (tx) => released(tx, await refuseOverdue(tx, walletId, now)))
}

/** The same for sends waiting in a wallet that will send no more, in the transaction that decides so. */
export async function refuseWaitingIn(tx: Db, walletId: string): Promise<string[]> {
  return released(tx, await refuseWaiting(tx, walletId))
}

async function released(tx: Db, ids: string[]): Promise<string[]> {
  await releaseSpends(tx, ids)
  return ids
}
