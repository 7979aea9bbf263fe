import Type from 'typebox'
import { actorOf } from '../../../kernel/actor.ts'
import { answer } from '../../../kernel/answers.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import { lazily } from '../../../kernel/lazily.ts'
import { formatNano } from '../../../kernel/money.ts'
import { toPaymentUri } from '../../../kernel/nano/payment-uri.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { createAccountIn, findAccountByEmail, grantCreditsIn } from '../../accounts/index.ts'
import type { Checkout, CheckoutPorts } from '../../checkout/index.ts'
import type { BillingContext } from '../context.ts'
import { openOrder } from './order.ts'
import type { Fulfil } from './settle.ts'

export const CREDITS = 'credits'

/** The receiver of the credits: an account, or the person who reads an email address. */
export type Buyer = { accountId: string } | { email: string }

const whole = lazily(() => new Intl.NumberFormat('en-US'))
const titleOf = (credits: number) => `${whole().format(credits)} Credits`

/** Offers credits for sale. */
export function offerCredits(
  context: BillingContext,
  payer: string,
  { buyer, back, idempotency }: { buyer: Buyer; back?: string; idempotency?: Idempotency | undefined },
): Promise<Checkout> {
  const { creditPlans } = context
  return openOrder(context, payer, {
    kind: CREDITS,
    // In lower case, as accounts are stored.
    subject: 'accountId' in buyer ? buyer.accountId : buyer.email.toLowerCase(),
    accountId: 'accountId' in buyer ? buyer.accountId : null,
    detail: { credits: creditPlans.map(({ credits }) => credits) },
    title: 'Credits',
    description: 'Credits pay for what exceeds the free plan. They are added once the payment is confirmed.',
    plans: creditPlans.map(({ credits, price }) => ({ title: titleOf(credits), price })),
    back,
    idempotency,
  })
}

/** Adds the credits, once for each block. A buyer who gave an email address gets an account for it. */
export const giveCredits =
  (onGiven: (accountId: string) => void): Fulfil =>
  async (tx, { subject, accountId: known, detail }, { plan, blockHash }) => {
    const amount = (detail.credits as number[])[plan ?? -1]
    if (amount === undefined) throw new Error('No plan of credits has this amount.')
    const accountId = known ?? (await accountOf(tx, subject))
    const grant = {
      accountId,
      amount,
      reason: 'bought',
      reference: `payment:${blockHash}`,
      actor: actorOf.service('buy_rpc'),
    }
    await grantCreditsIn(tx, grant)
    const what = titleOf(amount)
    if (known === null) await mailReceipt(tx, { recipient: subject, what, blockHash })
    return { what, accountId, afterCommit: () => onGiven(accountId) }
  }

async function accountOf(tx: StoreCtx, email: string): Promise<string> {
  const account = await findAccountByEmail(tx.db, email)
  // A concurrent purchase may make the same account; then this transaction fails and is repeated.
  return (account ?? (await createAccountIn(tx, { email, role: 'user', actor: actorOf.service('buy_rpc') }))).id
}

/** The buyer has no key, so a mail says what was bought, and how to use it. */
async function mailReceipt(
  tx: StoreCtx,
  { recipient, what, blockHash }: { recipient: string; what: string; blockHash: string },
): Promise<void> {
  const text = [
    `${what} were added to the account of this email address.`,
    '',
    'Sign in with this address to create an API key and use them.',
    '',
    `Paid by block ${blockHash}.`,
  ].join('\n')
  const mail = { id: `mail_credits_${blockHash}`, recipient, subject: 'Credits were added', text }
  await enqueue(tx, { kind: 'mail.send', payload: mail, key: mail.id })
}

/** Members of the answer to every offer. */
export const OFFERED = {
  id: Type.String({ pattern: '^[0-9a-f]{16}$', description: 'Id of the checkout.' }),
  address: answer.address,
  browser: answer.url,
  check: answer.url,
  json: answer.url,
  expires_unix: answer.unix,
}

export const OFFERED_PLAN = answer.record({
  title: answer.text,
  value: answer.nano,
  value_raw: answer.raw,
  link: answer.paymentUri,
  qrcode: answer.optional(answer.png),
})

/** The offer of contract 2: where to pay how much for what. Each plan has an amount of its own. */
export function toOffer(
  { links, qrPng }: CheckoutPorts,
  { id, address, plans, expiresAt }: Checkout,
  { qrcode = false }: { qrcode?: boolean } = {},
): JsonObject {
  return {
    id,
    address,
    browser: links.pay(id),
    check: links.check(id),
    json: links.record(id),
    plans: plans.map(({ title, amountRaw }) => {
      const link = toPaymentUri({ address, amount: amountRaw })
      const picture = qrcode && { qrcode: qrPng(link) }
      return { title, value: formatNano(amountRaw!), value_raw: amountRaw!.toString(), link, ...picture }
    }),
    expires_unix: Math.floor(expiresAt / 1000),
  }
}
