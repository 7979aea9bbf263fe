import { actorOf } from '../../../kernel/actor.ts'
import { lazily } from '../../../kernel/lazily.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import { createAccountIn, findAccountByEmail, grantCreditsIn } from '../../accounts/index.ts'
import type { Checkout } from '../../checkout/index.ts'
import { openOrder } from './open-order.ts'
import type { Fulfil } from './settle.ts'
import type { BillingRoom } from '../room.ts'

export const CREDITS = 'credits'

/** Whose credits they will be: an account, or the reader of an email address. */
export type Buyer = { accountId: string } | { email: string }

const whole = lazily(() => new Intl.NumberFormat('en-US'))
const titleOf = (credits: number) => `${whole().format(credits)} Credits`

/** Offers credits for sale. */
export function offerCredits(
  room: BillingRoom,
  payer: string,
  { buyer, back, idempotency }: { buyer: Buyer; back?: string; idempotency?: Idempotency | undefined },
): Promise<Checkout> {
  const { creditPlans } = room
  return openOrder(room, payer, {
    kind: CREDITS,
    // In small letters, as accounts have them.
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

/** Adds what was bought, once for each block. A buyer who gave an email address gets an account with it. */
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
    return { what, accountId, told: () => onGiven(accountId) }
  }

async function accountOf(tx: StoreCtx, email: string): Promise<string> {
  const account = await findAccountByEmail(tx.db, email)
  // Another purchase may make the same account right now; then all of this is undone and done again.
  return (account ?? (await createAccountIn(tx, { email, role: 'user', actor: actorOf.service('buy_rpc') }))).id
}

/** The buyer has shown no key: the address learns what came to it, and how to use it. */
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
