import { type Actor } from '../../../kernel/actor.ts'
import { AppError } from '../../../kernel/errors.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { insertAudit } from '../../accounts/index.ts'
import type { AdminPorts } from '../ports.ts'

/** Lets a dead job run again, by an administrator's word. */
export function retryJob(
  { store, retryDead }: Pick<AdminPorts, 'store' | 'retryDead'>,
  { id, accountId, actor }: { id: string; accountId: string; actor: Actor },
): Promise<void> {
  return inTx(store, async (tx) => {
    // Thrown inside, because PostgreSQL commits nothing after a key that is taken already.
    if (!(await retryDead(tx.db, id, tx.clock.now()))) {
      throw new AppError('not_found', 'There is no such failed job, or it is already queued again.')
    }
    await insertAudit(tx, { actor, accountId, what: 'job.retried', detail: { id } })
  })
}
