import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { MINUTE, type OwnView, look } from './domain/look.ts'

/** Looks at the service once a minute, on one instance. */
export const lookAtService = (ctx: StoreCtx, view: OwnView): Job => ({
  kind: 'status.look',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 30_000,
  everyMilliseconds: MINUTE,
  run: () => look(ctx, view),
})
