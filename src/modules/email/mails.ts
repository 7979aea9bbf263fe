import { lazily } from '../../kernel/lazily.ts'
import { type Raw, formatNano } from '../../kernel/money.ts'
import type { Mail } from '../../kernel/ports.ts'
import type { Merchant } from '../accounts/index.ts'
import { type MailPart, renderMail, renderMailText } from '../../web/mail.tsx'
import type { Recipient } from './recipients-store.ts'
import type { EmailContext } from './context.ts'
import type { EmailPayment } from './store.ts'

/** A mail without its recipient. The gateway writes the subject: no text of a sender ever gets into a header. */
type Letter = Omit<Mail, 'recipient'>

const toDay = lazily(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }))
const at = (milliseconds: number) => `${toDay().format(milliseconds)} UTC`
const nano = (amount: bigint) => `${formatNano(amount)} nano`

function toLetter(ctx: EmailContext, id: string, { subject, parts }: { subject: string; parts: MailPart[] }): Letter {
  const { host } = new URL(ctx.ports.links.claimPage())
  const foot = `Sent by nano-gateway at ${host}.`
  return { id, subject, text: renderMailText({ parts, foot }), html: renderMail({ title: subject, parts, foot }) }
}

interface Sent {
  token: string
  /** The public profile of the sender's account. */
  merchant: Merchant | undefined
}

/** Shows hosts and mail addresses without links, because anyone can choose a name and it should not lead anywhere by one click. */
function describeMerchant({ name, website, supportEmail }: Merchant): string {
  const where = [website !== null && new URL(website).host, supportEmail].filter(Boolean).join(', ')
  return `It was sent from an account named “${name}”${where === '' ? '' : ` (${where})`}. We have not verified this.`
}

/** The mail that brings a recipient their share. It always contains host, amount, end and how to decline. */
export function inviteMail(ctx: EmailContext, payment: EmailPayment, { id, amount }: Recipient, sent: Sent): Letter {
  const { token, merchant } = sent
  const { links } = ctx.ports
  const { host } = new URL(links.claimPage())
  const who =
    payment.sender === null
      ? 'They did not give a name.'
      : `They gave the name “${payment.sender}”. This name is not verified.`
  const parts: MailPart[] = [
    { text: `Someone sent you ${nano(amount)} through ${host}. ${who}` },
    ...(merchant ? [{ text: describeMerchant(merchant) }] : []),
    ...(payment.message === null ? [] : [{ text: 'Their message, also not verified:' }, { quote: payment.message }]),
    { link: links.claim(token), label: 'Claim your nano' },
    { text: `If the link does not work, open ${links.claimPage()} and enter this code:` },
    { code: token },
    { text: `You can claim it until ${at(payment.expiresAt!)}. After that it is returned to the sender.` },
    {
      text: 'Nano is digital money; you need a Nano wallet to receive it. Claiming is free. Never share a password or seed, and never pay to claim. Anyone with this email can claim the money, so do not forward it.',
    },
    { text: 'Don’t know the sender, or don’t want this payment? Return it and stop these emails:' },
    { link: links.decline(token), label: 'Decline and report', quiet: true },
  ]
  return toLetter(ctx, `mail_${id}`, { subject: `You received ${nano(amount)}`, parts })
}

interface ReceiptFacts {
  kind: Receipt['kind']
  share: { id: string; email: string; amount: Raw; hash: string | undefined } | undefined
  recipients: readonly Recipient[]
}

/** A receipt for the sender. */
export function receiptMail(ctx: EmailContext, payment: EmailPayment, facts: ReceiptFacts): Letter {
  const { kind, share } = facts
  const id = `mail_${kind}_${share?.id ?? payment.id}`
  return toLetter(ctx, id, describe(ctx, payment, facts))
}

function describe(
  ctx: EmailContext,
  payment: EmailPayment,
  { kind, share, recipients }: ReceiptFacts,
): { subject: string; parts: MailPart[] } {
  const { links } = ctx.ports
  const about: MailPart = { text: `Email payment ${payment.id}: ${links.page(payment.id)}` }
  const back = `goes to ${payment.refundAddress}.`
  const sum = (status: Recipient['status']) =>
    recipients.filter((one) => one.status === status).reduce((total, { amount }) => total + amount, 0n)
  switch (kind) {
    case 'funded': {
      const each = recipients.length === 1 ? 'One email is' : `${recipients.length} emails are`
      const fee = payment.fee > 0n ? ` and a fee of ${nano(payment.fee)}` : ''
      const text = `Your email payment of ${nano(payment.subtotal)}${fee} is funded. ${each} on the way. Shares can be claimed until ${at(payment.expiresAt!)}; unclaimed money ${back}`
      return { subject: 'Your email payment is funded', parts: [{ text }, about] }
    }
    case 'claimed': {
      const block: MailPart[] = share?.hash === undefined ? [] : [{ text: `Block: ${links.block(share.hash)}` }]
      const text = `${share!.email} has claimed ${nano(share!.amount)}.`
      return { subject: `${nano(share!.amount)} claimed`, parts: [{ text }, ...block, about] }
    }
    case 'bounced': {
      const text = `The email to ${share!.email} could not be delivered: the mail server rejected this address. The share of ${nano(share!.amount)} ${back} That happens when the payment expires, or now if you cancel it.`
      return { subject: 'An email could not be delivered', parts: [{ text }, about] }
    }
    case 'declined': {
      const text = `${share!.email} declined ${nano(share!.amount)}. The share ${back}`
      return { subject: 'An email payment was declined', parts: [{ text }, about] }
    }
    case 'returned': {
      const text = `Your email payment is complete. ${nano(sum('claimed'))} was claimed; ${nano(sum('refunded'))} ${back}`
      return { subject: 'Your email payment is complete', parts: [{ text }, about] }
    }
    case 'expired': {
      const text = `Your email payment of ${nano(payment.total)} was not funded in time, so no emails were sent. Any money received ${back}`
      return { subject: 'Your email payment has expired', parts: [{ text }, about] }
    }
  }
}

/** The kinds of receipts for a sender. */
export type Receipt =
  | { kind: 'funded' | 'expired' | 'returned' }
  | { kind: 'claimed' | 'bounced' | 'declined'; recipientId: string }
