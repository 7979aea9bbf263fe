import { type Job, forEachDue } from '../../kernel/job.ts'
import { mailJob } from '../../kernel/mail-job.ts'
import type { Mailer } from '../../kernel/ports.ts'
import { inSteps } from '../../kernel/retention.ts'
import type { EmailContext } from './context.ts'
import { followPayment } from './domain/follow.ts'
import { INVITE, inviteRecipient } from './domain/invite.ts'
import { type AskedReceipt, NOTIFY, mailReceipt } from './domain/notify.ts'
import { forgetRecipients } from './recipients-store.ts'
import { listDuePayments, listForgettable, markForgotten, postponePayment } from './store.ts'

const PAYMENTS_AT_ONCE = 200
const HOUR = 3_600_000

/** Follows email payments that are due. */
export const followEmailPayments = (ctx: EmailContext): Job => ({
  kind: 'email.follow',
  money: true,
  everyMilliseconds: 5_000,
  isNeeded: async () => (await listDuePayments(ctx.store.db, ctx.store.clock.now(), 1)).length > 0,
  async run(_payload, signal) {
    const { db, clock, failures } = ctx.store
    const postpone = (id: string, milliseconds: number) => postponePayment(db, id, clock.now() + milliseconds)
    const failed = (paymentId: string) => failures.failed('email.follow', { paymentId })
    const due = await listDuePayments(db, clock.now(), PAYMENTS_AT_ONCE)
    await forEachDue(due, { signal, failed, postpone }, (id) => followPayment(ctx, id))
  },
})

export const inviteByMail = (ctx: EmailContext, mailer: Mailer): Job<{ recipientId: string }> =>
  mailJob(INVITE, ({ recipientId }) => inviteRecipient(ctx, mailer, recipientId))

export const mailEmailReceipt = (ctx: EmailContext, mailer: Mailer): Job<AskedReceipt> =>
  mailJob(NOTIFY, (asked) => mailReceipt(ctx, mailer, asked))

/** Deletes the recipients of a payment long after its end; until then their sender may ask about them. */
export const forgetEmailPayments = ({ store: { db, clock }, ports: { rules } }: EmailContext): Job => ({
  kind: 'email.forget',
  everyMilliseconds: HOUR,
  async run(_payload, signal) {
    const { addressesKept } = rules
    if (addressesKept === undefined) return
    const now = clock.now()
    await inSteps(async (limit) => {
      const ids = await listForgettable(db, now - addressesKept, limit)
      for (const id of ids) {
        if (signal.aborted) break
        await db.transaction().execute(async (tx) => {
          await forgetRecipients(tx, id)
          await markForgotten(tx, id, now)
        })
      }
      return ids.length
    }, signal)
  },
})
