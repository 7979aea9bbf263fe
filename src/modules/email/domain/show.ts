import { type Raw, formatNano, toRaw } from '../../../kernel/money.ts'
import { toPaymentUri } from '../../../kernel/nano/payment-uri.ts'
import type { Clock, Prices, Rate } from '../../../kernel/ports.ts'
import { formatFiat, worthAt } from '../../../kernel/rates.ts'
import { type JsonObject, relativeTime } from '../../../kernel/shape.ts'
import { currencyOf, showWorth } from '../../../web/formats.ts'
import { findWallet, listDeposits } from '../../wallets/index.ts'
import { type ShownRecipient, ownPayment } from '../answers.ts'
import { emailPaymentNotFound } from '../errors.ts'
import { type Recipient, listRecipients } from '../recipients-store.ts'
import type { EmailContext } from '../context.ts'
import { recipientContext } from '../tables.ts'
import { type EmailPayment, findEmailPayment, findOwnPayment } from '../store.ts'

const DEPOSITS_SHOWN = 1

/** The contract requires numbers here; `amount_raw` beside them is exact. */
const toNumber = (amount: Raw) => Number(formatNano(amount))

/** The payment URI for the sender's wallet. */
export const fundingLink = ({ address, total }: EmailPayment) => toPaymentUri({ address, amount: total })

/** The answer of `nano_email` (contract 2, Email payment). */
export async function showCreated(ctx: EmailContext, payment: EmailPayment): Promise<JsonObject> {
  const { ports, store, qrPng } = ctx
  const now = store.clock.now()
  const link = fundingLink(payment)
  const recipients = await listRecipients(store.db, payment.id)
  return {
    id: payment.id,
    address: payment.address,
    browser: ports.links.page(payment.id),
    check: ports.links.check(payment.id),
    subtotal: toNumber(payment.subtotal),
    service_fee: toNumber(payment.fee),
    amount: toNumber(payment.total),
    amount_raw: payment.total.toString(),
    special_message: payment.message ?? '',
    link,
    qrcode: qrPng(link),
    emails: recipients.map((recipient) => ({
      email: openEmail(ctx, recipient),
      amount: toNumber(recipient.amount),
      amount_raw: recipient.amount.toString(),
    })),
    refund_address: payment.refundAddress,
    status: payment.status,
    expiration: relativeTime(now + payment.lifetimeMilliseconds, now),
    expires_unix: Math.floor(payment.fundBy / 1000),
    created_at: payment.createdAt,
  }
}

/** The funding status for any caller, without the recipients. */
export async function showCheck(ctx: EmailContext, payment: EmailPayment): Promise<JsonObject> {
  const { db } = ctx.store
  const { id, status, total } = payment
  const isPaid = status === 'funded' || status === 'completed'
  const balance = isPaid ? total : ((await findWallet(db, payment.walletId))?.balance ?? 0n)
  const due = balance < total ? total - balance : 0n
  const [deposit] = isPaid ? await listDeposits(db, payment.walletId, DEPOSITS_SHOWN) : []
  return {
    id,
    status,
    success: isPaid,
    address: payment.address,
    amount: formatNano(total),
    amount_raw: total.toString(),
    amount_paid: formatNano(toRaw(balance)),
    amount_paid_raw: balance.toString(),
    amount_due_raw: due.toString(),
    expires_unix: Math.floor((payment.expiresAt ?? payment.fundBy) / 1000),
    // The address of this same answer, because an email payment has no other public record.
    json: ctx.ports.links.check(id),
    browser: ctx.ports.links.page(id),
    ...(deposit && {
      block: {
        hash: deposit.hash,
        account: deposit.source,
        amount: formatNano(deposit.amount),
        amount_raw: deposit.amount.toString(),
      },
    }),
    ...(isPaid && { message: 'Payment received.', recipients: await countShares(ctx, payment) }),
    ...(status === 'expired' && { expired: true, error: 'Expired payment.' }),
  }
}

async function countShares({ store }: EmailContext, { id }: EmailPayment): Promise<JsonObject> {
  const counts: Record<string, number> = { queued: 0, sent: 0, claimed: 0, refunded: 0 }
  for (const { status } of await listRecipients(store.db, id)) counts[status]!++
  return counts
}

interface OwnEmailPayment {
  payment: EmailPayment
  recipients: ShownRecipient[]
}

/** Everything that its owner may know. */
export async function getOwnEmailPayment(
  ctx: EmailContext,
  { id, accountId }: { id: string; accountId: string },
): Promise<OwnEmailPayment> {
  const payment = await findOwnPayment(ctx.store.db, accountId, id)
  if (!payment) throw emailPaymentNotFound()
  const recipients = await listRecipients(ctx.store.db, id)
  return {
    payment,
    recipients: recipients.map(({ email, emailHash: _hash, ...recipient }) => ({
      ...recipient,
      shownEmail: maskEmail(openEmail(ctx, { id: recipient.id, email })),
    })),
  }
}

/** The same as the REST interface returns it. */
export async function showOwnEmailPayment(
  ctx: EmailContext,
  own: { id: string; accountId: string },
): Promise<JsonObject> {
  const { payment, recipients } = await getOwnEmailPayment(ctx, own)
  return ownPayment.show(payment, recipients)
}

/** Finds a payment by its id in any form that links use, or throws 404. */
export async function getEmailPayment({ store }: EmailContext, given: string): Promise<EmailPayment> {
  const id = given.toLowerCase()
  const payment = /^[0-9a-f]{16}$/.test(id) ? await findEmailPayment(store.db, id) : undefined
  if (!payment) throw emailPaymentNotFound()
  return payment
}

/** Empty once the address was deleted. */
function openEmail({ ports }: EmailContext, { id, email }: Pick<Recipient, 'id' | 'email'>): string {
  return email === null ? '' : ports.secrets.open(recipientContext(id), email)
}

/** A masked address such as `a…@example.com`, by which the sender recognises it. */
function maskEmail(email: string): string {
  const at = email.indexOf('@')
  return at < 1 ? '' : `${email[0]}…${email.slice(at)}`
}

/** The longest that a page waits for an approximate value; outdated rates are not used. */
const WAIT = 500
const RATE_AGE_MAX = 15 * 60_000

/** Approximate value for the reader; undefined while no source of rates answers. */
export async function aboutWorth(
  { prices, clock }: { prices: Prices; clock: Clock },
  amount: bigint,
  locale: string,
): Promise<string | undefined> {
  const currency = currencyOf(locale, prices.currencies)
  if (currency === undefined) return undefined
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const cancel = clock.after(WAIT, () => resolve(undefined))
  const rate = await Promise.race([rateOf(prices, currency), late])
  cancel()
  if (rate === undefined || clock.now() - rate.at > RATE_AGE_MAX) return undefined
  const worth = worthAt(amount, rate.rate)
  return worth === undefined ? undefined : showWorth(locale, formatFiat(worth), currency)
}

async function rateOf(prices: Prices, currency: string): Promise<Rate | undefined> {
  try {
    return await prices.rate(currency)
  } catch {
    // The value is only a hint beside the amount; the code that fetches rates logs why there is none.
    return undefined
  }
}
