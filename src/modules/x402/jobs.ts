import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { inSteps } from '../../kernel/retention.ts'
import { deleteExpiredOffers, forgetPayments } from './store.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Forgets answers after a day and finished payments after a month; the ledger itself remembers used blocks for ever. */
export const forgetPaid = ({ db, clock }: StoreCtx): Job => ({
  kind: 'x402.forget',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: HOUR,
  async run(_payload, signal) {
    const now = clock.now()
    const until = { answersUntil: now - DAY, rowsUntil: now - 30 * DAY }
    await inSteps((limit) => forgetPayments(db, { ...until, limit }), signal)
    await inSteps((limit) => deleteExpiredOffers(db, now, limit), signal)
  },
})
