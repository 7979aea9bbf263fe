import { type Actor } from '../../../kernel/actor.ts'
import { AppError } from '../../../kernel/errors.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { insertAudit } from '../../accounts/index.ts'
import { countOwed } from '../outbox-store.ts'
import { type FrozenWallet, findFrozen, markThawed } from '../frozen-store.ts'

interface Thaw {
  /** Id or address. */
  wallet: string
  actor: Actor
  /** Whether payments that wait in it are made; needed when there are any. */
  payQueued: boolean
}

/**
 * Lets a frozen wallet go on, after a person has looked into it. Its next pass finishes what is open with the same bytes,
 * and then takes what the ledger has confirmed as its own record.
 */
export function thawWallet(ctx: StoreCtx, { wallet, actor, payQueued }: Thaw): Promise<FrozenWallet> {
  return inTx(ctx, async (tx) => {
    const frozen = await findFrozen(tx.db, wallet)
    if (!frozen) throw new AppError('not_found', 'There is no frozen wallet with this id or address.')
    const owed = await countOwed(tx.db, frozen.id)
    // A store that was set back has forgotten what it paid since.
    if (owed > 0 && !payQueued) {
      throw new AppError(
        'conflict',
        `${owed} payments wait in this wallet. If the store was set back they may have been made already: compare with the ledger, then repeat with --pay-queued.`,
      )
    }
    if (!(await markThawed(tx.db, frozen.id, tx.clock.now())))
      throw new AppError('conflict', 'Someone else has unfrozen it.')
    const { id, address, accountId, reason } = frozen
    await insertAudit(tx, { actor, accountId, what: 'wallet.thawed', detail: { id, address, reason, owed } })
    return frozen
  })
}
