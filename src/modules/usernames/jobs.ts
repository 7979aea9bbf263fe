import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { remindOwners } from './domain/remind.ts'

/** Tells owners how their leases end. */
export const remindOfEnds = (ctx: StoreCtx, baseUrl: () => string): Job => ({
  kind: 'usernames.remind',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: 15 * 60_000,
  run: () => remindOwners(ctx, baseUrl()),
})
