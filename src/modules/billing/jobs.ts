import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { giveUpWaiting } from './domain/give-up.ts'
import type { Settlement } from './domain/settle.ts'

/** Refunds what was paid and never authorised. */
export const refundUnauthorized = (settlement: Settlement, ctx: StoreCtx): Job => ({
  kind: 'billing.refund-unauthorized',
  money: true,
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: 60_000,
  run: () => giveUpWaiting(settlement, ctx),
})
