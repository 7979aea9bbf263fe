import type { Db } from '../kernel/db.ts'
import { countJobs, countUnfinished, listJobs, retryDead } from './jobs/queue.ts'
import { listCapturedMail } from './mail/captured.ts'

/** What administrators look into, and set going again: the queue of jobs, and mail that was kept instead of sent. */
export function openUpkeep(db: Db) {
  return {
    listMails: (limit: number) => listCapturedMail(db, limit),
    listJobs: (filter: { status?: string; limit: number }) => listJobs(db, filter),
    countJobs: () => countJobs(db),
    countUnfinished: () => countUnfinished(db),
    retryDead,
  }
}
