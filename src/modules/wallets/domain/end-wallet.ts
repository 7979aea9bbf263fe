import type { Deed } from '../../../kernel/deed.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { whenOver } from '../../../kernel/when-over.ts'
import type { WalletRoom } from '../room.ts'
import { sendsDisabled, walletFrozen, walletNotEmpty, walletNotFound } from '../errors.ts'
import { type Wallet, listDueWallets, markExpiring, markHeld } from '../store.ts'
import { holdsFunds } from './chain.ts'
import { waitAtMost } from './wait-at-most.ts'
import { toList } from './shares.ts'

/** Ends a wallet at its owner's wish: what it holds goes to its refund addresses, now or as soon as the ledger lets it. */
export async function deleteWallet(ctx: WalletRoom, wallet: Wallet, deed?: Deed): Promise<void> {
  const { store, node, rules, queue } = ctx
  if (wallet.frozenAt !== null) throw walletFrozen()
  if (!rules.sendsAllowed) throw sendsDisabled()
  const hasRefund = toList(wallet.refundAddress).length > 0
  if (!hasRefund && (await holdsFunds(node, wallet.address))) throw walletNotEmpty()
  await inTx(store, async ({ db }) => {
    if (!(await markExpiring(db, wallet.id, 'deleted'))) throw walletNotFound()
    await deed?.record(db, { id: wallet.id })
  })
  // It is decided; whatever fails now, or takes too long, is done by the jobs.
  await waitAtMost(store.clock, rules.waitMilliseconds, whenOver(queue.advance(wallet.id)))
}

/** Begins the end of wallets whose time is over; answers which. Without a refund address the owner keeps what is there. */
export async function expireDue({ store }: WalletRoom, batchMax: number): Promise<string[]> {
  const due = await listDueWallets(store.db, store.clock.now(), batchMax)
  for (const { id, refundAddress } of due) {
    if (toList(refundAddress).length > 0) await markExpiring(store.db, id, 'ended')
    else await markHeld(store.db, id)
  }
  return due.map(({ id }) => id)
}
