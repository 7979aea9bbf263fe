import { MailRefused } from '../../../kernel/mail-refused.ts'
import type { Mail, Mailer } from '../../../kernel/ports.ts'
import { findMerchant, takePlace } from '../../accounts/index.ts'
import { LANGUAGES, fill } from '../../checkout/index.ts'
import { wantsNoMail } from '../../email/index.ts'
import { readStatus } from '../domain/order.ts'
import type { LinkRoom } from '../room.ts'
import { findOwnLink } from '../store.ts'
import type { SubscriptionMail } from './follow.ts'
import { payerLink } from './payer-link.ts'
import { type Subscription, findSubscription } from './store.ts'
import { SUBSCRIPTION_TEXTS } from './texts.ts'

const DAY = 86_400_000
/** To one address, whoever sells. */
const MAILS_A_DAY = 5
const MAILS_OF_A_MERCHANT = 500

/**
 * Writes to a payer that their time ends, or has ended. Named after its period: sent twice, mailboxes know the second by its
 * message id. Who has paid or ended it in between, or cannot pay at the moment, is not written to;
 * neither is a person who has asked this service for no more mail.
 */
export async function mailSubscriber(room: LinkRoom, mailer: Mailer, asked: SubscriptionMail): Promise<void> {
  const { db } = room.checkouts
  const subscription = await findSubscription(db, asked.id)
  if (!subscription || subscription.status !== asked.about || subscription.periods !== asked.periods) return
  const { email, linkId, owner } = subscription
  const link = await findOwnLink(db, { id: linkId, owner })
  if (email === null || !link || (await readStatus(room, link)) !== 'active') return
  if (await wantsNoMail(db, room.secrets, email)) return
  const title = typeof link.fields.title === 'string' ? link.fields.title : link.slug
  // Who sells may pay themselves, so that a price keeps nobody from writing to strangers.
  const places = [
    { who: `invited to pay ${email}`, places: MAILS_A_DAY },
    { who: `subscribers of ${owner}`, places: MAILS_OF_A_MERCHANT },
  ]
  for (const asked of places) if (!(await takePlace(room.checkouts, { ...asked, within: DAY }))) return
  const merchant = await findMerchant(db, owner)
  try {
    await mailer.send(toMail(room, subscription, { ...asked, email, title, seller: merchant?.name }))
  } catch (error) {
    // A mailbox that will never take it is no failure of ours: the subscription lapses in its time.
    if (!(error instanceof MailRefused)) throw error
  }
}

interface Written extends SubscriptionMail {
  email: string
  title: string
  seller: string | undefined
}

function toMail(room: LinkRoom, subscription: Subscription, { about, email, title, seller }: Written): Mail {
  const { id, periods, paidUntil } = subscription
  const language = LANGUAGES.find((one) => one === subscription.language) ?? 'en'
  const texts = SUBSCRIPTION_TEXTS[language]
  const until = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(paidUntil!)
  const page = `${payerLink(room, id)}?lang=${language}`
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
