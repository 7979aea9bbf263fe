import type { Actor } from '../../../kernel/actor.ts'
import { AppError } from '../../../kernel/errors.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { findAccount, insertAudit } from '../../accounts/index.ts'
import { EVERYBODY, deleteFreeze, insertFreeze } from '../freezes-store.ts'
import { type FrozenWallet, markFrozen } from '../frozen-store.ts'
import { findWallet, findWalletByAddress } from '../store.ts'
import { refuseWaitingIn } from './refuse.ts'
import { unfreezeWallet } from './unfreeze.ts'

interface Wish {
  /** `all`, an account, or the id or address of a wallet. */
  target: string
  actor: Actor
}

const isScope = (target: string) => target === EVERYBODY || target.startsWith('acc_')
const nothingLike = () =>
  new AppError(
    'not_found',
    'There is no such account or wallet. Name `all`, an account, or a wallet by its id or address.',
  )

/**
 * Stops everything unsigned, at once and on every gateway, because signing checks this in the transaction that stores the signature.
 * Deposits are still received, except by a single frozen wallet, which does nothing until it is unfrozen.
 * Blocks signed before are still broadcast.
 */
export function freezeSends(ctx: StoreCtx, { target, actor, reason }: Wish & { reason: string }): Promise<void> {
  return inTx(ctx, async (tx) => {
    const { db, clock } = tx
    const now = clock.now()
    if (isScope(target)) {
      const accountId = target === EVERYBODY ? null : target
      if (accountId !== null && !(await findAccount(db, accountId))) throw nothingLike()
      if (!(await insertFreeze(db, { scope: target, reason, frozenBy: actor.id, now }))) throw frozenAlready()
      await insertAudit(tx, { actor, accountId, what: 'sends.frozen', detail: { target, reason } })
      return
    }
    const wallet = (await findWallet(db, target)) ?? (await findWalletByAddress(db, target))
    if (!wallet) throw nothingLike()
    const { id, address, accountId } = wallet
    if (!(await markFrozen(db, id, reason, now))) throw frozenAlready()
    await refuseWaitingIn(db, id)
    await insertAudit(tx, { actor, accountId, what: 'wallet.frozen', detail: { id, address, reason } })
  })
}

/** Lifts the freeze and returns the wallet, if it was a single one; that wallet first takes over the ledger's confirmed state. */
export async function unfreezeSends(
  ctx: StoreCtx,
  { target, actor, payQueued }: Wish & { payQueued: boolean },
): Promise<FrozenWallet | undefined> {
  if (!isScope(target)) return unfreezeWallet(ctx, { wallet: target, actor, payQueued })
  const accountId = target === EVERYBODY ? null : target
  await inTx(ctx, async (tx) => {
    if (!(await deleteFreeze(tx.db, target))) throw new AppError('conflict', 'These sends are not frozen.')
    await insertAudit(tx, { actor, accountId, what: 'sends.unfrozen', detail: { target } })
  })
  return undefined
}

const frozenAlready = () => new AppError('conflict', 'This is frozen already.')
