import { countJobs, listJobs, retryDead } from './infra/jobs/queue.ts'
import { listCapturedMail } from './infra/mail/captured.ts'
import { type StoreCtx, inTx } from './kernel/in-tx.ts'
import { insertAudit } from './modules/accounts/index.ts'

/** What administrators look into, and set going again: the queue of jobs, and mail that was kept instead of sent. */
export function openUpkeep(store: StoreCtx) {
  const { db, clock } = store
  return {
    listMails: (limit: number) => listCapturedMail(db, limit),
    listJobs: (filter: { status?: string; limit: number }) => listJobs(db, filter),
    countJobs: () => countJobs(db),
    retryJob: (id: string, actor: string) =>
      inTx(store, async (tx) => {
        if (!(await retryDead(tx.db, id, clock.now()))) return false
        await insertAudit(tx, { actor, accountId: actor, what: 'job.retried', detail: { id } })
        return true
      }),
  }
}
