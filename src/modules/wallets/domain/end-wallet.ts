import { type Actor } from '../../../kernel/actor.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import type { KeyRights } from '../../../kernel/rights.ts'
import { toRaw } from '../../../kernel/money.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { whenOver } from '../../../kernel/when-over.ts'
import { findPayout, hasSpendingLimit, insertAudit, lockAccount, reserveSpend } from '../../accounts/index.ts'
import { type WalletContext, notifyWallet } from '../context.ts'
import { walletFrozen, walletIsPayout, walletNotEmpty, walletNotFound } from '../errors.ts'
import { type Wallet } from '../store.ts'
import { listDueWallets, markExpiring, markHeld } from '../ending-store.ts'
import { holdsFunds } from './chain.ts'
import { requireSends } from './may-send.ts'
import { readBalance } from './read-balance.ts'
import { waitAtMost } from './wait-until-sent.ts'
import { toList } from './shares.ts'

interface Ending {
  actor: Actor
  idempotency?: Idempotency | undefined
  rights?: KeyRights | undefined
}

/**
 * Ends a wallet at its owner's request: its balance goes to the refund addresses, now or as soon as possible. For a key with a spending
 * limit, the balance counts as spent.
 */
export async function deleteWallet(
  ctx: WalletContext,
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
    if (owner !== null) {
      // Locked, because the account may choose this wallet at the same moment: buyers would pay an address that has ended.
      await lockAccount(db, owner)
      if ((await findPayout(db, owner)) === wallet.address) throw walletIsPayout()
    }
    if (!(await markExpiring(db, wallet.id, 'deleted'))) throw walletNotFound()
    if (held) {
      const amount = toRaw(held.balance + held.receivable)
      const now = clock.now()
      // A wallet that received something after its end can be ended again.
      await reserveSpend(db, { rights, amount, reference: `ending:${wallet.id}:${now}`, now })
    }
    const { address } = wallet
    if (owner !== null) await insertAudit(tx, { actor, accountId: owner, what: 'wallet.ended', detail: { address } })
    await idempotency?.record(db, { id: wallet.id })
  })
  notifyWallet(ctx, wallet)
  await bringAway(ctx, wallet.id)
}

/**
 * Ends a wallet of the service: its balance, and whatever still arrives, goes to its destination. The decision is stored even while sends
 * are off or the wallet is frozen, so that no caller has to repeat it: the jobs send the money as soon as that is allowed.
 */
export async function sweepWallet(ctx: WalletContext, walletId: string): Promise<void> {
  await markExpiring(ctx.store.db, walletId, 'deleted')
  await bringAway(ctx, walletId)
}

/** The decision is stored, so the jobs do whatever fails now or takes too long. */
const bringAway = ({ store, rules, queue }: WalletContext, walletId: string) =>
  waitAtMost(store.clock, rules.waitMilliseconds, whenOver(queue.advance(walletId)))

/** Starts to end wallets whose lifetime is over, and returns them. Without a refund address, the owner keeps the balance. */
export async function expireDue({ store }: WalletContext, batchMax: number): Promise<string[]> {
  const due = await listDueWallets(store.db, store.clock.now(), batchMax)
  for (const { id, refundAddress } of due) {
    if (toList(refundAddress).length > 0) await markExpiring(store.db, id, 'ended')
    else await markHeld(store.db, id)
  }
  return due.map(({ id }) => id)
}
