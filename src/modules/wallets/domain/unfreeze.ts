import { type Actor } from '../../../kernel/actor.ts'
import { AppError } from '../../../kernel/errors.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { insertAudit } from '../../accounts/index.ts'
import { countOwed } from '../outbox-store.ts'
import { type FrozenWallet, findFrozen, markUnfrozen } from '../frozen-store.ts'

interface Unfreeze {
  /** Id or address. */
  wallet: string
  actor: Actor
  /** Whether payments queued in the wallet may be made; required when there are any. */
  payQueued: boolean
}

/**
 * Unfreezes a wallet after an operator has checked it. Its next pass finishes open blocks with the same bytes, then takes over the ledger's
 * confirmed state as its own record.
 */
export function unfreezeWallet(ctx: StoreCtx, { wallet, actor, payQueued }: Unfreeze): Promise<FrozenWallet> {
  return inTx(ctx, async (tx) => {
    const frozen = await findFrozen(tx.db, wallet)
    if (!frozen) throw new AppError('not_found', 'There is no frozen wallet with this id or address.')
    const owed = await countOwed(tx.db, frozen.id)
    // A store restored from a backup does not know the payments made since, and could pay them twice.
    if (owed > 0 && !payQueued) {
      throw new AppError(
        'conflict',
        `${owed} payments wait in this wallet. If the store was set back they may have been made already: compare with the ledger, then repeat with --pay-queued.`,
      )
    }
    if (!(await markUnfrozen(tx.db, frozen.id, tx.clock.now())))
      throw new AppError('conflict', 'Someone else has unfrozen it.')
    const { id, address, accountId, reason } = frozen
    await insertAudit(tx, { actor, accountId, what: 'wallet.thawed', detail: { id, address, reason, owed } })
    return frozen
  })
}
