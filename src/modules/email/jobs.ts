import { isOutage } from '../../kernel/failures.ts'
import type { Job } from '../../kernel/job.ts'
import type { Mailer } from '../../kernel/ports.ts'
import type { EmailRoom } from './room.ts'
import { followPayment } from './domain/follow.ts'
import { INVITE, inviteRecipient } from './domain/invite.ts'
import { type AskedReceipt, TELL, mailReceipt } from './domain/tell.ts'
import { forgetRecipients } from './recipients-store.ts'
import { listDuePayments, listForgettable, markForgotten, postponePayment } from './store.ts'

const PAYMENTS_AT_ONCE = 200
const FORGOTTEN_AT_ONCE = 500
const HOUR = 3_600_000
/** How long after its end its sender may still ask who a payment went to. */
const KEPT = 90 * 24 * HOUR
const RETRY_AFTER = 30_000

/** Looks at the payments whose time has come. One that fails keeps no other waiting. */
export const followEmailPayments = (ctx: EmailRoom): Job => ({
  kind: 'email.follow',
  money: true,
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: 5_000,
  async run(_payload, signal) {
    const { db, clock, failures } = ctx.store
    const faults: unknown[] = []
    for (const id of await listDuePayments(db, clock.now(), PAYMENTS_AT_ONCE)) {
      if (signal.aborted) return
      try {
        await followPayment(ctx, id)
      } catch (error) {
        failures.failed('email.follow', { paymentId: id })(error)
        await postponePayment(db, id, clock.now() + RETRY_AFTER)
        if (!isOutage(error)) faults.push(error)
      }
    }
    // A round in which one of our own faults showed is not done.
    if (faults.length > 0) throw faults[0]
  },
})

/** Mails one recipient. */
export const inviteByMail = (ctx: EmailRoom, mailer: Mailer): Job<{ recipientId: string }> => ({
  kind: INVITE,
  attemptsMax: 60,
  concurrencyMax: 4,
  leaseMilliseconds: 60_000,
  run: ({ recipientId }) => inviteRecipient(ctx, mailer, recipientId),
})

/** Mails one receipt. */
export const mailEmailReceipt = (ctx: EmailRoom, mailer: Mailer): Job<AskedReceipt> => ({
  kind: TELL,
  attemptsMax: 30,
  concurrencyMax: 4,
  leaseMilliseconds: 60_000,
  run: (asked) => mailReceipt(ctx, mailer, asked),
})

/** Erases who payments went to, long after their end. */
export const forgetEmailPayments = ({ store: { db, clock } }: EmailRoom): Job => ({
  kind: 'email.forget',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: HOUR,
  async run() {
    const now = clock.now()
    for (const id of await listForgettable(db, now - KEPT, FORGOTTEN_AT_ONCE)) {
      await db.transaction().execute(async (tx) => {
        await forgetRecipients(tx, id)
        await markForgotten(tx, id, now)
      })
    }
  },
})
