import type { Job } from '../../kernel/job.ts'
import type { Mailer } from '../../kernel/ports.ts'
import type { CheckoutRoom } from './room.ts'
import { SWEEP, sweepCheckout } from './domain/generated-wallet.ts'
import { type Retention, inSteps } from '../../kernel/retention.ts'
import { forgetUnpaid } from './domain/forget-unpaid.ts'
import { forgetNotify } from './forget-store.ts'
import { NOTIFY, notifyMerchant } from './domain/notify.ts'
import { deleteReleased } from './reservations-store.ts'
import { findCheckout } from './store.ts'
import { deleteUnwatched } from './watch-store.ts'

const HOUR = 3_600_000

/** Mails one receipt. */
export const mailReceipt = (ctx: CheckoutRoom, mailer: Mailer): Job<{ checkoutId: string }> => ({
  kind: NOTIFY,
  attemptsMax: 10,
  concurrencyMax: 4,
  leaseMilliseconds: 60_000,
  run: ({ checkoutId }) => notifyMerchant(ctx, mailer, checkoutId),
})

/** Brings the funds of a generated wallet to its merchant. Mail and webhooks neither wait for it nor hold it up. */
export const sweepToMerchant = (ctx: CheckoutRoom): Job<{ checkoutId: string }> => ({
  kind: SWEEP,
  money: true,
  attemptsMax: 30,
  concurrencyMax: 4,
  leaseMilliseconds: 60_000,
  async run({ checkoutId }) {
    const checkout = await findCheckout(ctx.db, checkoutId)
    if (checkout) await sweepCheckout(ctx, checkout)
  },
})

/** Frees amounts and addresses for which no payment counts any more. */
export const releaseAmounts = ({ db, clock }: CheckoutRoom): Job => ({
  kind: 'checkout.release',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: HOUR,
  async run(_payload, signal) {
    const now = clock.now()
    await inSteps((limit) => deleteReleased(db, now, limit), signal)
    await deleteUnwatched(db, now)
  },
})

/** Forgets what strangers have asked for and nobody has paid, and whom to mail about what is over. */
export const forgetCheckouts = (
  ctx: CheckoutRoom,
  { keepUnpaid, keepNotify }: Pick<Retention, 'keepUnpaid' | 'keepNotify'>,
): Job => ({
  kind: 'checkout.forget',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: HOUR,
  async run(_payload, signal) {
    const now = ctx.clock.now()
    if (keepUnpaid !== undefined) await forgetUnpaid(ctx, { watchedBefore: now - keepUnpaid, signal })
    if (keepNotify !== undefined) await inSteps((limit) => forgetNotify(ctx.db, now - keepNotify, limit), signal)
  },
})
