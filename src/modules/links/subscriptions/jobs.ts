import { type Job, forEachDue } from '../../../kernel/job.ts'
import { mailJob } from '../../../kernel/mail-job.ts'
import type { Mailer } from '../../../kernel/ports.ts'
import type { LinkContext } from '../context.ts'
import { MAIL_SUBSCRIPTION, type SubscriptionMail, followSubscription } from './follow.ts'
import { mailSubscriber } from './mail.ts'
import { listDueSubscriptions, postponeSubscription } from './store.ts'

const AT_ONCE = 200

/** Handles subscriptions that are due. */
export const followSubscriptions = ({ checkouts: ctx }: LinkContext): Job => ({
  kind: 'links.subscriptions',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: 60_000,
  async run(_payload, signal) {
    const { db, clock, failures } = ctx
    const postpone = (id: string, milliseconds: number) => postponeSubscription(db, id, clock.now() + milliseconds)
    const failed = (subscriptionId: string) => failures.failed('links.subscriptions', { subscriptionId })
    const due = await listDueSubscriptions(db, clock.now(), AT_ONCE)
    await forEachDue(due, { signal, failed, postpone }, (id) => followSubscription(ctx, id))
  },
})

/** Mails a reminder, or that a subscription is over. */
export const mailSubscribers = (context: LinkContext, mailer: Mailer): Job<SubscriptionMail> =>
  mailJob(MAIL_SUBSCRIPTION, (asked) => mailSubscriber(context, mailer, asked))
