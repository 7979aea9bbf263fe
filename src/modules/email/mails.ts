import { type Raw, formatNano } from '../../kernel/money.ts'
import type { Mail } from '../../kernel/ports.ts'
import type { Merchant } from '../accounts/index.ts'
import { type MailPart, renderMail, renderMailText } from './pages/mail.tsx'
import type { EmailRoom } from './room.ts'
import type { Receipt } from './domain/receipt.ts'
import type { Recipient } from './recipients-store.ts'
import type { EmailPayment } from './store.ts'

/** A mail without its recipient. Its subject is ours alone: no word of a sender ever reaches a header. */
type Letter = Omit<Mail, 'recipient'>

const toDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
const at = (milliseconds: number) => `${toDay.format(milliseconds)} UTC`
const nano = (amount: bigint) => `${formatNano(amount)} nano`

function toLetter(ctx: EmailRoom, id: string, { subject, parts }: { subject: string; parts: MailPart[] }): Letter {
  const { host } = new URL(ctx.ports.links.claimPage())
  const foot = `Sent by nano-gateway at ${host}.`
  return { id, subject, text: renderMailText({ parts, foot }), html: renderMail({ title: subject, parts, foot }) }
}

interface Sent {
  token: string
  /** Who the account of the sender says it is. */
  merchant: Merchant | undefined
}

/** Hosts and mail addresses without links: a name that anybody can write should not lead anywhere by one click. */
function describeMerchant({ name, website, supportEmail }: Merchant): string {
  const where = [website !== null && new URL(website).host, supportEmail].filter(Boolean).join(', ')
  return `The account it was sent from calls itself “${name}”${where === '' ? '' : ` (${where})`}. We have not checked that.`
}

/** What brings a recipient their share. Host, amount, end and the way to refuse are always in it. */
export function inviteMail(ctx: EmailRoom, payment: EmailPayment, { id, amount }: Recipient, sent: Sent): Letter {
  const { token, merchant } = sent
  const { links } = ctx.ports
  const { host } = new URL(links.claimPage())
  const who =
    payment.sender === null
      ? 'They left no name.'
      : `They call themselves “${payment.sender}”. This name is not verified: anybody can write any name.`
  const parts: MailPart[] = [
    { text: `Somebody has sent you ${nano(amount)} through ${host}. ${who}` },
    ...(merchant ? [{ text: describeMerchant(merchant) }] : []),
    ...(payment.message === null
      ? []
      : [{ text: 'Their message, which is not verified either:' }, { quote: payment.message }]),
    { link: links.claim(token), label: 'Claim your nano' },
    { text: `If the link does not work, open ${links.claimPage()} and enter this code:` },
    { code: token },
    { text: `You can claim it until ${at(payment.expiresAt!)}. After that it goes back to its sender.` },
    {
      text: 'Nano is digital money; you need a Nano wallet to receive it. Claiming is free. Nobody needs a password, a seed or a payment from you for it. Whoever has this mail can claim the money, so do not pass it on.',
    },
    { text: 'You do not know the sender, or do not want this? Send it back, and get no more such mails:' },
    { link: links.decline(token), label: 'Decline and report', quiet: true },
  ]
  return toLetter(ctx, `mail_${id}`, { subject: `You have been sent ${nano(amount)}`, parts })
}

interface ReceiptFacts {
  kind: Receipt['kind']
  share: { id: string; email: string; amount: Raw; hash: string | undefined } | undefined
  recipients: readonly Recipient[]
}

/** What the sender hears. */
export function receiptMail(ctx: EmailRoom, payment: EmailPayment, facts: ReceiptFacts): Letter {
  const { kind, share } = facts
  const id = `mail_${kind}_${share?.id ?? payment.id}`
  return toLetter(ctx, id, describe(ctx, payment, facts))
}

function describe(
  ctx: EmailRoom,
  payment: EmailPayment,
  { kind, share, recipients }: ReceiptFacts,
): { subject: string; parts: MailPart[] } {
  const { links } = ctx.ports
  const about: MailPart = { text: `E-mail payment ${payment.id}: ${links.page(payment.id)}` }
  const back = `goes to ${payment.refundAddress}.`
  const sum = (status: Recipient['status']) =>
    recipients.filter((one) => one.status === status).reduce((total, { amount }) => total + amount, 0n)
  switch (kind) {
    case 'funded': {
      const each = recipients.length === 1 ? 'One mail is' : `${recipients.length} mails are`
      const fee = payment.fee > 0n ? ` and a fee of ${nano(payment.fee)}` : ''
      const text = `Your e-mail payment of ${nano(payment.subtotal)}${fee} is funded. ${each} on the way. Shares can be claimed until ${at(payment.expiresAt!)}; what nobody claims ${back}`
      return { subject: 'Your e-mail payment is funded', parts: [{ text }, about] }
    }
    case 'claimed': {
      const block: MailPart[] = share?.hash === undefined ? [] : [{ text: `Block: ${links.block(share.hash)}` }]
      const text = `${share!.email} has claimed ${nano(share!.amount)}.`
      return { subject: `${nano(share!.amount)} claimed`, parts: [{ text }, ...block, about] }
    }
    case 'bounced': {
      const text = `The mail to ${share!.email} could not be delivered: its mail server refuses this address. The share of ${nano(share!.amount)} ${back} That happens when the payment expires, or now if you cancel it.`
      return { subject: 'A mail could not be delivered', parts: [{ text }, about] }
    }
    case 'declined': {
      const text = `${share!.email} does not want the ${nano(share!.amount)}. The share ${back}`
      return { subject: 'An e-mail payment was declined', parts: [{ text }, about] }
    }
    case 'returned': {
      const text = `Your e-mail payment is over. ${nano(sum('claimed'))} was claimed; ${nano(sum('refunded'))} ${back}`
      return { subject: 'Your e-mail payment is over', parts: [{ text }, about] }
    }
    case 'expired': {
      const text = `Your e-mail payment of ${nano(payment.total)} was not funded in time, and no mail was sent. What came in ${back}`
      return { subject: 'Your e-mail payment has expired', parts: [{ text }, about] }
    }
  }
}
