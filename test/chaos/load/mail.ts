import { type Caller, PRICES } from './caller.ts'
import { planClaim } from './claim.ts'

/** Pays one or two people by email. */
export async function payByMail(caller: Caller): Promise<void> {
  const { random, money, mailbox, payer, made, over } = caller.options
  const key = caller.nextKey('mail')
  const emails = ['alice', 'bob'].slice(random.below(2)).map((who) => `${who}.${key}@example.com`)
  const terms = { amount: random.pick(PRICES), refund_address: money.home.address }
  const answer = await caller.untilClear({ action: 'nano_email', emails, ...terms }, key)
  if (!answer) return
  const { id, address, amount_raw: amount } = answer.body as Record<string, string>
  const shares = answer.body.emails as { email: string; amount_raw: string }[] | undefined
  if (id === undefined || address === undefined || amount === undefined || shares?.length !== emails.length) {
    caller.complain('no payment by mail', answer)
    return
  }
  if (payer.balance < BigInt(amount)) {
    made.unaffordable++
    return
  }
  await payer.pay(address, BigInt(amount), { through: undefined, over })
  for (const { email, amount_raw: part } of shares) {
    planClaim(caller, { kind: 'mail', of: id, amountRaw: BigInt(part) }, { code: () => mailbox.codes.get(email) })
  }
}
