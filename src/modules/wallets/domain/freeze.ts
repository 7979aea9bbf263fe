import { actorOf } from '../../../kernel/actor.ts'
import type { WalletAlarm } from '../../../kernel/wallet-alarm.ts'
import { type WalletContext, notifyWallet } from '../context.ts'
import { markLost } from '../outbox-moves-store.ts'
import { type OutboxBlock } from '../outbox-store.ts'
import { markFrozen } from '../frozen-store.ts'
import { type Wallet } from '../store.ts'
import { refuseWaitingIn } from './refuse.ts'
import { noteRestore } from './restores.ts'

interface Freeze {
  reason: string
  kind?: WalletAlarm
  /** The open block, when a confirmed block of another signer has taken its place, so that it can never be confirmed. */
  lost?: OutboxBlock
  /** Whether the ledger has a block of this wallet that the store does not know: the store is older, or the key was stolen. */
  isForeign?: boolean
}

/**
 * Stops a wallet until an operator has checked and unfrozen it: the ledger has a block that we did not sign, or our own records contradict
 * each other. Signed blocks that are not lost stay open, so that the same bytes are broadcast again afterwards.
 */
export async function freezeWallet(
  ctx: WalletContext,
  wallet: Wallet,
  { reason, kind = 'frozen', lost, isForeign }: Freeze,
) {
  const { store, alarm, queue } = ctx
  const over = await store.db.transaction().execute(async (tx) => {
    if (!(await markFrozen(tx, wallet.id, reason, store.clock.now()))) return undefined
    if (lost) await markLost(tx, lost.id)
    if (isForeign) await noteRestore({ ...store, db: tx }, actorOf.service('service'), `${wallet.id}: ${reason}`)
    return [...(lost ? [lost.id] : []), ...(await refuseWaitingIn(tx, wallet.id))]
  })
  if (!over) return
  alarm(kind, { walletId: wallet.id, reason })
  for (const blockId of over) queue.reportBlock(blockId)
  notifyWallet(ctx, wallet)
}
