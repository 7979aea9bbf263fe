import type { Job } from '../../kernel/job.ts'
import { mailJob } from '../../kernel/mail-job.ts'
import type { Mailer } from '../../kernel/ports.ts'
import { type Retention, STEP_ROWS, inSteps } from '../../kernel/retention.ts'
import { listHolding } from '../wallets/index.ts'
import { ANNOUNCE_PROVED, type Announced, announceProved } from './domain/announce-completed.ts'
import { enqueueSweep } from './domain/credit.ts'
import { SWEEP, checkoutOf, sweepCheckout } from './domain/generated-wallet.ts'
import { NOTIFY, notifyMerchant } from './domain/notify.ts'
import { type Place, deleteUnpaid, forgetNotify, lockUnpaid } from './forget-store.ts'
import { OPEN_STATUSES } from './record.ts'
import { deleteReleased } from './reservations-store.ts'
import { type CheckoutContext, inQuietTx } from './context.ts'
import { findCheckout } from './store.ts'
import { deleteUnwatched } from './watch-store.ts'

const HOUR = 3_600_000

export const mailReceipt = (ctx: CheckoutContext, mailer: Mailer): Job<{ checkoutId: string }> =>
  mailJob(NOTIFY, ({ checkoutId }) => notifyMerchant(ctx, mailer, checkoutId))

/** Announces one completion together with the proof of its payment. */
export const announceWithProof = (ctx: CheckoutContext): Job<Announced> => ({
  kind: ANNOUNCE_PROVED,
  money: true,
  concurrencyMax: 8,
  run: (payload) => announceProved(ctx, payload),
})

/** Brings the funds of a generated wallet to its merchant. A job of its own, so that mail and webhooks do not wait for it, nor it for them. */
export const sweepToMerchant = (ctx: CheckoutContext): Job<{ checkoutId: string }> => ({
  kind: SWEEP,
  money: true,
  concurrencyMax: 4,
  async run({ checkoutId }) {
    const checkout = await findCheckout(ctx.db, checkoutId)
    if (checkout) await sweepCheckout(ctx, checkout)
  },
})

const WALLETS_AT_ONCE = 500

/** Finds wallets of ended checkouts that still hold money, and queues their sweep. */
export const findUnswept = (ctx: CheckoutContext): Job => ({
  kind: 'checkout.find-unswept',
  money: true,
  everyMilliseconds: HOUR,
  async run(_payload, signal) {
    for (let after: string | undefined = ''; after !== undefined && !signal.aborted;) {
      const wallets = await listHolding(ctx.db, { purpose: 'checkout', after, limit: WALLETS_AT_ONCE })
      for (const wallet of wallets) {
        const checkout = await findCheckout(ctx.db, checkoutOf(wallet))
        if (checkout && !OPEN_STATUSES.some((status) => status === checkout.status)) await enqueueSweep(ctx, checkout)
      }
      after = wallets.at(-1)?.id
    }
  },
})

/** Releases amounts and addresses for which no payment counts any more. */
export const releaseAmounts = ({ db, clock }: CheckoutContext): Job => ({
  kind: 'checkout.release',
  everyMilliseconds: HOUR,
  async run(_payload, signal) {
    const now = clock.now()
    await inSteps((limit) => deleteReleased(db, now, limit), signal)
    await deleteUnwatched(db, now)
  },
})

/** Deletes unpaid checkouts that were made without a key, and the addresses to mail about checkouts that are over. */
export const forgetCheckouts = (
  ctx: CheckoutContext,
  { keepUnpaid, keepNotify }: Pick<Retention, 'keepUnpaid' | 'keepNotify'>,
): Job => ({
  kind: 'checkout.forget',
  everyMilliseconds: HOUR,
  async run(_payload, signal) {
    const now = ctx.clock.now()
    if (keepUnpaid !== undefined) await forgetUnpaid(ctx, { watchedBefore: now - keepUnpaid, signal })
    if (keepNotify !== undefined) await inSteps((limit) => forgetNotify(ctx.db, now - keepNotify, limit), signal)
  },
})

/**
 * Deletes unpaid checkouts that were made without a key, among them offers of the service. Never before their watch is
 * over, after which no payment is matched with them, and never one that has a payment. Each step continues after the previous one, so
 * that checkouts which must stay are skipped once instead of at every step.
 */
async function forgetUnpaid(
  ctx: CheckoutContext,
  { watchedBefore, signal }: { watchedBefore: number; signal: AbortSignal },
): Promise<void> {
  let after: Place | undefined
  while (!signal.aborted) {
    const held = await inQuietTx(ctx, async (tx) => {
      const old = await lockUnpaid(tx.db, tx.ports.engine, { watchedBefore, after, limit: STEP_ROWS })
      const gone = await deleteUnpaid(
        tx.db,
        old.map(({ id }) => id),
      )
      await tx.ports.sales.forget(tx.db, gone)
      return old
    })
    after = held.at(-1)
    if (held.length < STEP_ROWS) return
  }
}
