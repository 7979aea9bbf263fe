import type { Job } from '../../kernel/job.ts'
import type { Clock } from '../../kernel/ports.ts'
import type { Db } from '../../kernel/db.ts'
import { deleteDone } from './queue.ts'

const HOUR = 3_600_000
const KEPT = 24 * HOUR

/** Finished jobs are kept for a day, so that people can see what happened. */
export const forgetDoneJobs = (db: Db, clock: Clock): Job => ({
  kind: 'jobs.forget-done',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: HOUR,
  run: () => deleteDone(db, clock.now() - KEPT),
})
