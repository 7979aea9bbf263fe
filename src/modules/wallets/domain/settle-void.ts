import { releaseSpends } from '../../accounts/index.ts'
import { type WalletContext, notifyWallet } from '../context.ts'
import { LockLost } from '../errors.ts'
import type { WalletLock } from '../lock-store.ts'
import { findWallet } from '../store.ts'
import { clearDenied, isSignedSince, markSettled, settleVoid } from '../void-store.ts'
import { underLock } from './lock.ts'

/**
 * Nodes that deny a void block do not prove that it will never be confirmed: they may be hiding it. A later final block of the same wallet
 * proves it, because an account has one chain. Only then has a void send failed, and what was reserved for it is released.
 */
export async function settleReleased(ctx: WalletContext, lock: WalletLock, walletId: string): Promise<void> {
  const { store, node, queue } = ctx
  const wallet = await findWallet(store.db, walletId)
  // The wallet makes progress again: the denied block has appeared, or was released.
  if (wallet?.denied) await underLock(ctx, lock, (db) => clearDenied(db, walletId))
  if (!wallet || wallet.voidedAt === null) return
  if (!(await isSignedSince(store.db, walletId, wallet.frontier, wallet.voidedAt))) return
  if (!(await node.readBlocks([wallet.frontier])).get(wallet.frontier)?.isFinal) return
  const settled = await underLock(ctx, lock, async (db) => {
    if (!(await markSettled(db, wallet))) throw new LockLost()
    const ids = await settleVoid(db, walletId, 'send_void')
    await releaseSpends(db, ids)
    return ids
  })
  for (const id of settled) queue.reportBlock(id)
  notifyWallet(ctx, wallet)
}
