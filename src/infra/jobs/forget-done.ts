import type { Db } from '../../kernel/db.ts'
import type { Job } from '../../kernel/job.ts'
import type { Clock } from '../../kernel/ports.ts'
import { type Retention, inSteps } from '../../kernel/retention.ts'
import { deleteDead, deleteDone } from './queue.ts'

const HOUR = 3_600_000
const KEPT = 24 * HOUR

/** Finished jobs are kept for a day, so that people can see what happened; those that failed for good for longer. */
export const forgetDoneJobs = (
  { db, clock }: { db: Db; clock: Clock },
  jobs: readonly Pick<Job, 'kind' | 'money'>[],
  { keepDeadJobs }: Pick<Retention, 'keepDeadJobs'>,
): Job => ({
  kind: 'jobs.forget-done',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: HOUR,
  async run(_payload, signal) {
    const now = clock.now()
    await inSteps((limit) => deleteDone(db, now - KEPT, limit), signal)
    if (keepDeadJobs === undefined) return
    const kinds = jobs.filter(({ money }) => money !== true).map(({ kind }) => kind)
    await inSteps((limit) => deleteDead(db, { before: now - keepDeadJobs, kinds, limit }), signal)
  },
})
