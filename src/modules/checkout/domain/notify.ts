import { formatNano } from '../../../kernel/money.ts'
import type { Mail, Mailer } from '../../../kernel/ports.ts'
import { merchantOf } from './show.ts'
import type { CheckoutContext } from '../context.ts'
import { listPayments } from '../payments-store.ts'
import { markNotified } from '../changes-store.ts'
import type { Checkout } from '../record.ts'
import { findCheckout } from '../store.ts'
import { formatFiat, worthAt } from './fiat.ts'
import { rateNow } from './quote.ts'

/** Name of the job that mails a receipt. */
export const NOTIFY = 'checkout.notify'
/** The currency of the value in a receipt when the price was in nano. */
const USUAL_CURRENCY = 'USD'

/**
 * Mails the merchant that a checkout is paid, once (contract 6, rules 13 to 16). The message id is derived from the checkout: if a crash
 * sends the mail twice, mailboxes recognise the duplicate, and the captured mailbox keeps one.
 */
export async function notifyMerchant(ctx: CheckoutContext, mailer: Mailer, checkoutId: string): Promise<void> {
  const checkout = await findCheckout(ctx.db, checkoutId)
  if (!checkout || checkout.notify === null || checkout.status !== 'complete' || checkout.notifiedAt !== null) return
  await mailer.send(await toMail(ctx, checkout, checkout.notify))
  await markNotified(ctx.db, checkoutId, ctx.clock.now())
}

async function toMail(ctx: CheckoutContext, checkout: Checkout, recipient: string): Promise<Mail> {
  const { id, title, payer, blockHash, paidRaw } = checkout
  const username = payer === null ? undefined : ctx.names.usernameOf(payer)
  const merchant = await merchantOf(ctx, checkout)
  const lines = [
    merchant && `To: ${merchant.name}`,
    payer !== null && `From: ${username === undefined ? payer : `@${username}`}`,
    `Amount: ${formatNano(paidRaw)} nano (${paidRaw} raw)`,
    `Value: ${await worthOf(ctx, checkout)}`,
    blockHash !== null && `Block: ${ctx.ports.links.block(blockHash)}`,
    `Checkout: ${id}`,
    `Record: ${ctx.ports.links.record(id)}`,
    '',
    `Metadata: ${JSON.stringify(checkout.metadata, null, 2)}`,
    '',
    'This mail is not proof of payment: ask the record, or verify the signed event.',
  ]
  return {
    id: `mail_checkout_${id}`,
    recipient,
    subject: title === null ? 'Payment received' : `Payment received: ${title}`,
    text: lines.filter((line) => line !== false && line !== undefined).join('\n'),
  }
}

/** Value of the payment in the currency of the price, by the rate it was paid at, otherwise by today's rate if there is one. */
async function worthOf(ctx: CheckoutContext, { id, currency, paidRaw, blockHash }: Checkout): Promise<string> {
  const shown = currency === 'NANO' ? USUAL_CURRENCY : currency
  const paid = (await listPayments(ctx.db, id)).find((payment) => payment.blockHash === blockHash)
  const rate = paid?.rate ?? (await rateNow(ctx, shown).catch(ctx.failures.failed('checkout.rate')))?.rate
  const worth = rate === undefined ? undefined : worthAt(paidRaw, rate)
  if (worth === undefined) return 'not known at the moment'
  // Cents are enough for people to read.
  return `${formatFiat((worth / 10n ** 6n) * 10n ** 6n)} ${shown}`
}
