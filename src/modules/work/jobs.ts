import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { inSteps } from '../../kernel/retention.ts'
import { deleteExpiredWorks } from './store.ts'

/** Forgets work that no caller came for. */
export const forgetWorks = ({ db, clock }: StoreCtx): Job => ({
  kind: 'work.forget-expired',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: 3_600_000,
  run(_payload, signal) {
    const now = clock.now()
    return inSteps((limit) => deleteExpiredWorks(db, now, limit), signal)
  },
})
