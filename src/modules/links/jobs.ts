import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { type Retention, inSteps } from '../../kernel/retention.ts'
import { forgetVisitors } from './orders-store.ts'

/** Deletes the visitors' fingerprints; their orders stay. */
export const forgetOrderers = ({ db, clock }: StoreCtx, { keepVisitors }: Pick<Retention, 'keepVisitors'>): Job => ({
  kind: 'links.forget-visitors',
  everyMilliseconds: 3_600_000,
  async run(_payload, signal) {
    if (keepVisitors === undefined) return
    const before = clock.now() - keepVisitors
    await inSteps((limit) => forgetVisitors(db, before, limit), signal)
  },
})
