import { type Job, forEachDue, PutOff } from '../../../kernel/job.ts'
import { mailJob, MailRefused } from '../../../kernel/mail-job.ts'
import type { Mailer, Mail } from '../../../kernel/ports.ts'
import type { LinkContext } from '../context.ts'
import { MAIL_SUBSCRIPTION, type SubscriptionMail, followSubscription } from './follow.ts'
import { listDueSubscriptions, postponeSubscription, type Subscription, findSubscription } from './store.ts'
import { type FreeUse, findMerchant, giveBackFree, takeFree } from '../../accounts/index.ts'
import { LANGUAGES, fill } from '../../checkout/index.ts'
import { fingerprintOf, wantsNoMail } from '../../email/index.ts'
import { readStatus } from '../domain/order.ts'
import { paymentLinks } from '../payment-link.ts'
import { payerLink } from './payer-link.ts'
import { SUBSCRIPTION_TEXTS } from './texts.ts'

const DAY = 86_400_000
/** The maximum from one merchant to one address. */
const MAILS_A_DAY = 5
const MAILS_OF_A_MERCHANT = 500
const METER = 'subscription-mail'

/**
 * Mails a payer that their paid time ends, or has ended. The message id is that of the period, so that mailboxes recognise a duplicate. Not sent
 * to a payer who has paid or ended it meanwhile, or cannot pay at the moment, nor to anyone who has asked this gateway for no more mail.
 */
async function mailSubscriber(context: LinkContext, mailer: Mailer, asked: SubscriptionMail): Promise<void> {
  const { db } = context.checkouts
  const subscription = await findSubscription(db, asked.id)
  if (!subscription || subscription.status !== asked.about || subscription.periods !== asked.periods) return
  const { email, linkId, owner } = subscription
  const link = await paymentLinks.findOwn(db, { id: linkId, owner })
  if (email === null || !link || (await readStatus(context, link)) !== 'active') return
  if (await wantsNoMail(db, context.secrets, email)) return
  const title = link.title ?? link.slug
  const merchant = await findMerchant(db, owner)
  const mail = toMail(context, subscription, { ...asked, email, title, seller: merchant?.name })
  const counted = await countMail(context, owner, email)
  try {
    await mailer.send(mail)
  } catch (error) {
    // A mailbox that never accepts it is not a failure of ours: the subscription lapses in time.
    if (error instanceof MailRefused) return
    for (const use of counted) await giveBackFree(db, use)
    throw error
  }
}

/**
 * Counts one mail against the merchant's daily limit and the limit for this address; at a limit, the mail waits. Payments do not lift the
 * limits, because a merchant can pay their own subscription in order to write to people who want no mail.
 */
function countMail(
  { checkouts: { db, clock }, secrets }: LinkContext,
  owner: string,
  email: string,
): Promise<FreeUse[]> {
  const address = fingerprintOf({ ports: { secrets } }, email)
  const limits = [
    { meter: `${METER} ${address}`, max: MAILS_A_DAY },
    { meter: METER, max: MAILS_OF_A_MERCHANT },
  ]
  return db.transaction().execute(async (tx) => {
    const now = clock.now()
    const counted: FreeUse[] = []
    for (const { meter, max } of limits) {
      const use = await takeFree(tx, { caller: `acc:${owner}`, meter, now }, { max, windowMilliseconds: DAY })
      if ('freeAt' in use) throw new PutOff(use.freeAt, 'The daily limit of reminders is reached.')
      counted.push(use.taken)
    }
    return counted
  })
}

interface Written extends SubscriptionMail {
  email: string
  title: string
  seller: string | undefined
}

function toMail(context: LinkContext, subscription: Subscription, { about, email, title, seller }: Written): Mail {
  const { id, periods, paidUntil } = subscription
  const language = LANGUAGES.find((one) => one === subscription.language) ?? 'en'
  const texts = SUBSCRIPTION_TEXTS[language]
  const until = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(paidUntil!)
  const page = `${payerLink(context, id)}?lang=${language}`
  const lines = [
    ...(seller === undefined ? [] : [seller, '']),
    fill(texts[`${about}Text`], { title, until }),
    page,
    '',
    texts.endText,
    page,
  ]
  return {
    id: `mail_${id}_${about}_${periods}`,
    recipient: email,
    subject: fill(texts[`${about}Subject`], { title }),
    text: lines.join('\n'),
  }
}

const AT_ONCE = 200

/** Handles subscriptions that are due. */
export const followSubscriptions = ({ checkouts: ctx }: LinkContext): Job => ({
  kind: 'links.subscriptions',
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
