import { type Actor } from '../../../kernel/actor.ts'
import { AppError } from '../../../kernel/errors.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { insertAudit } from '../../accounts/index.ts'
import type { AdminPorts } from '../ports.ts'

/** Makes a dead job run again, at an administrator's request. */
export function retryJob(
  { store, retryDead }: Pick<AdminPorts, 'store' | 'retryDead'>,
  { id, accountId, actor }: { id: string; accountId: string; actor: Actor },
): Promise<void> {
  return inTx(store, async (tx) => {
    // Thrown inside the transaction, because after a duplicate key PostgreSQL cannot commit.
    if (!(await retryDead(tx.db, id, tx.clock.now()))) {
      throw new AppError('not_found', 'There is no such failed job, or it is already queued again.')
    }
    await insertAudit(tx, { actor, accountId, what: 'job.retried', detail: { id } })
  })
}
