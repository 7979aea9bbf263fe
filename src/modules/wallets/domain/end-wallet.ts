import { type Actor } from '../../../kernel/actor.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import type { KeyRights } from '../../../kernel/key-rights.ts'
import { toRaw } from '../../../kernel/money.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { whenOver } from '../../../kernel/when-over.ts'
import { hasSpendingLimit, insertAudit, reserveSpend } from '../../accounts/index.ts'
import { type WalletRoom, tellWallet } from '../room.ts'
import { walletFrozen, walletNotEmpty, walletNotFound } from '../errors.ts'
import { type Wallet, listDueWallets, markExpiring, markHeld } from '../store.ts'
import { holdsFunds } from './chain.ts'
import { requireSends } from './may-send.ts'
import { readBalance } from './read-balance.ts'
import { waitAtMost } from './wait-at-most.ts'
import { toList } from './shares.ts'

interface Ending {
  actor: Actor
  idempotency?: Idempotency | undefined
  rights?: KeyRights | undefined
}

/**
 * Ends a wallet at its owner's wish: what it holds goes to its refund addresses, now or as soon as the ledger lets it. A key that
 * spends within a limit spends what the wallet holds.
 */
export async function deleteWallet(
  ctx: WalletRoom,
  wallet: Wallet,
  { actor, idempotency, rights }: Ending,
): Promise<void> {
  const { store, node } = ctx
  if (wallet.frozenAt !== null) throw walletFrozen()
  const owner = wallet.accountId
  await requireSends(store.db, ctx, owner)
  const hasRefund = toList(wallet.refundAddress).length > 0
  if (!hasRefund && (await holdsFunds(node, wallet.address))) throw walletNotEmpty()
  const held = hasSpendingLimit(rights) ? await readBalance(ctx, wallet) : undefined
  await inTx(store, async (tx) => {
    const { db, clock } = tx
    if (!(await markExpiring(db, wallet.id, 'deleted'))) throw walletNotFound()
    if (held) {
      const amount = toRaw(held.balance + held.receivable)
      const now = clock.now()
      // A wallet that was given something after its end can end again.
      await reserveSpend(db, { rights, amount, reference: `ending:${wallet.id}:${now}`, now })
    }
    const { address } = wallet
    if (owner !== null) await insertAudit(tx, { actor, accountId: owner, what: 'wallet.ended', detail: { address } })
    await idempotency?.record(db, { id: wallet.id })
  })
  tellWallet(ctx, wallet)
  await bringAway(ctx, wallet.id)
}

/**
 * Ends a wallet of the service: what it holds, and whatever it still gets, goes to its destination. That is decided here also while
 * sends are off or the wallet is frozen, so that nothing has to ask again: the jobs bring it away as soon as it may leave.
 */
export async function sweepWallet(ctx: WalletRoom, walletId: string): Promise<void> {
  await markExpiring(ctx.store.db, walletId, 'deleted')
  await bringAway(ctx, walletId)
}

/** It is decided; whatever fails now, or takes too long, is done by the jobs. */
const bringAway = ({ store, rules, queue }: WalletRoom, walletId: string) =>
  waitAtMost(store.clock, rules.waitMilliseconds, whenOver(queue.advance(walletId)))

/** Begins the end of wallets whose time is over; answers which. Without a refund address the owner keeps what is there. */
export async function expireDue({ store }: WalletRoom, batchMax: number): Promise<string[]> {
  const due = await listDueWallets(store.db, store.clock.now(), batchMax)
  for (const { id, refundAddress } of due) {
    if (toList(refundAddress).length > 0) await markExpiring(store.db, id, 'ended')
    else await markHeld(store.db, id)
  }
  return due.map(({ id }) => id)
}
