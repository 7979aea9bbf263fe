import type { WalletAlarm } from '../../../kernel/custody.ts'
import type { WalletCtx } from '../ctx.ts'
import { markLost, refuseWaiting } from '../outbox-store.ts'
import { type Wallet, markFrozen } from '../store.ts'

/**
 * Stops a wallet for good: the ledger has what we did not sign, or our own records do not fit together. Its open block is
 * given up, since it can never follow; nothing more is signed until a person has looked.
 */
export async function freezeWallet(ctx: WalletCtx, wallet: Wallet, reason: string, kind: WalletAlarm = 'frozen') {
  const { store, custody } = ctx
  const over = await store.db.transaction().execute(async (tx) => {
    if (!(await markFrozen(tx, wallet.id, reason, store.clock.now()))) return undefined
    return [...(await markLost(tx, wallet.id)), ...(await refuseWaiting(tx, wallet.id))]
  })
  if (!over) return
  custody.alarm(kind, { walletId: wallet.id, reason })
  for (const blockId of over) custody.tellBlock(blockId)
}
