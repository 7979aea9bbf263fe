import { type Job, PutOff, enqueue } from '../../../kernel/job.ts'
import { MailRefused, mailJob } from '../../../kernel/mail-job.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Mailer } from '../../../kernel/ports.ts'
import { showMoney, showNano, showTime } from '../../../web/formats.ts'
import { type MailPart, renderMail, renderMailText } from '../../../web/mail.tsx'
import { type FreeUse, giveBackFree, takeFree } from '../../accounts/index.ts'
import { wantsNoMail } from '../../email/index.ts'
import { formatFiat } from '../domain/fiat.ts'
import { merchantOf } from '../domain/show.ts'
import { INVOICE_TEXTS } from '../invoices/texts.ts'
import { ANONYMOUS, type Checkout } from '../record.ts'
import { type Refund, findRefund } from '../refunds/store.ts'
import type { CheckoutContext } from '../context.ts'
import { findCheckout } from '../store.ts'
import { LANGUAGES, TEXTS, fill } from '../texts/index.ts'
import { type Buyer, findBuyer, markReceipt } from './store.ts'
import { BUYER_TEXTS } from './texts.ts'

/** Name of the job that mails a buyer. */
const MAIL_BUYER = 'checkout.mail-buyer'
const METER = 'buyer-mail'
const DAY = 86_400_000
/** The maximum from one merchant to one address. */
const MAILS_TO_ONE = 10

export interface BuyerMail {
  checkoutId: string
  /** A receipt; the money that went back; or the link by which it is collected. */
  about: 'paid' | 'refunded' | 'refund-link'
  refundId?: string
}

/** Queues a mail in the transaction of what it reports. The job contains no address. */
export const queueMail = (tx: StoreCtx, mail: BuyerMail) =>
  enqueue(tx, { kind: MAIL_BUYER, payload: mail, key: `${mail.about} ${mail.refundId ?? mail.checkoutId}` })

export const mailBuyers = (ctx: CheckoutContext, mailer: Mailer): Job<BuyerMail> =>
  mailJob(MAIL_BUYER, (asked) => mailBuyer(ctx, mailer, asked))

/** Mails a buyer once about each event. If a crash sends it twice, mailboxes recognise the duplicate by its message id. */
async function mailBuyer(ctx: CheckoutContext, mailer: Mailer, asked: BuyerMail): Promise<void> {
  const { db, clock } = ctx
  const [checkout, buyer] = [await findCheckout(db, asked.checkoutId), await findBuyer(db, asked.checkoutId)]
  if (!checkout || !buyer || buyer.email === null) return
  if (asked.about === 'paid' && (checkout.status !== 'complete' || buyer.receiptAt !== null)) return
  const refund = asked.refundId === undefined ? undefined : await findRefund(db, asked.refundId)
  if (asked.refundId !== undefined && !refund) return
  // Collected or returned meanwhile.
  if (asked.about === 'refund-link' && refund?.status !== 'sent') return
  if (await wantsNoMail(db, ctx.ports.secrets, buyer.email)) return
  const mail = { ...(await toMail(ctx, checkout, { buyer, refund, about: asked.about })), recipient: buyer.email }
  const counted = await countMail(ctx, checkout.owner, buyer.email)
  try {
    await mailer.send(mail)
  } catch (error) {
    // Anybody can mistype an address, so a mailbox that never accepts it is not a failure of ours.
    if (error instanceof MailRefused) return
    for (const use of counted) await giveBackFree(db, use)
    throw error
  }
  if (asked.about === 'paid') await markReceipt(db, checkout.id, clock.now())
}

/** Counts one mail against the merchant's share and that of this address; at a limit, the mail waits for the next day. */
async function countMail({ db, clock, ports }: CheckoutContext, owner: string, email: string): Promise<FreeUse[]> {
  const { buyerMailsPerDayMax } = ports.rules
  // Callers without a key have no common share: each visitor's was counted when the mail address was left.
  const shared = owner === ANONYMOUS || buyerMailsPerDayMax === 0 ? [] : [{ meter: METER, max: buyerMailsPerDayMax }]
  const limits = [{ meter: `${METER} ${ports.secrets.fingerprint('buyer', email.toLowerCase())}`, max: MAILS_TO_ONE }]
  return db.transaction().execute(async (tx) => {
    const counted: FreeUse[] = []
    for (const { meter, max } of [...limits, ...shared]) {
      const use = await takeFree(
        tx,
        { caller: `acc:${owner}`, meter, now: clock.now() },
        { max, windowMilliseconds: DAY },
      )
      if ('freeAt' in use) throw new PutOff(use.freeAt, 'The daily limit of receipts is reached.')
      counted.push(use.taken)
    }
    return counted
  })
}

interface About {
  buyer: Buyer
  refund: Refund | undefined
  about: BuyerMail['about']
}

/** The gateway writes the subject. The body has the merchant's texts, but no text of callers without an account. */
async function toMail(ctx: CheckoutContext, checkout: Checkout, { buyer, refund, about }: About) {
  const { ports } = ctx
  const language = LANGUAGES.find((one) => one === buyer.language) ?? 'en'
  const [words, texts] = [BUYER_TEXTS[language], TEXTS[language]]
  const locale = `${language}-u-nu-latn`
  const merchant = await merchantOf(ctx, checkout)
  const page = (part: string) => `${ports.links.pay(checkout.id)}${part}?lang=${language}`
  const isReceipt = about === 'paid'
  const subject = isReceipt ? words.paidSubject : words.refundSubject
  const sentence = { paid: words.paidText, refunded: words.refundText, 'refund-link': words.linkText }[about]
  const amount = refund ? returnedOf(locale, checkout, refund) : paidOf(locale, checkout)
  const way =
    about === 'refund-link'
      ? { link: ports.claims.link(refund!.id), label: words.collect }
      : isReceipt
        ? { link: page('/receipt'), label: texts.receipt }
        : { link: page(''), label: texts.details }
  const parts: (MailPart | false)[] = [
    { text: fill(sentence, { amount }) },
    checkout.title !== null && checkout.owner !== ANONYMOUS && { quote: checkout.title },
    way,
    isReceipt &&
      checkout.invoice !== null && { link: page('/invoice'), label: INVOICE_TEXTS[language].invoice, quiet: true },
    isReceipt &&
      checkout.paidAt !== null && { text: `${texts.paidOn}: ${showTime(locale, checkout.paidAt, merchant?.timeZone)}` },
    { text: `${texts.id}: ${checkout.id}` },
    merchant !== undefined && merchant.supportEmail !== null && { text: `${texts.contact}: ${merchant.supportEmail}` },
  ]
  const letter = {
    title: subject,
    parts: parts.filter((part) => part !== false),
    foot: words.why,
    language,
    ...(merchant && { shop: merchant }),
  }
  const id = `mail_${about}_${refund?.id ?? checkout.id}`
  return { id, subject, text: renderMailText(letter), html: renderMail(letter) }
}

/** What was paid: the price in its currency, and the nano. */
function paidOf(locale: string, { currency, price, chosen, plans, plan, paidRaw }: Checkout): string {
  const value = (plan === null ? undefined : plans[plan]?.value) ?? price ?? chosen
  const nano = showNano(locale, paidRaw)
  return currency === 'NANO' || value === null ? nano : `${showMoney(locale, value, currency)} (${nano})`
}

function returnedOf(locale: string, { currency }: Checkout, { fiatE8, amountRaw }: Refund): string {
  const nano = showNano(locale, amountRaw)
  return fiatE8 === undefined ? nano : `${showMoney(locale, formatFiat(fiatE8), currency)} (${nano})`
}
