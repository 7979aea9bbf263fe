import Type from 'typebox'
import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import type { Caller } from '../../../kernel/ctx.ts'
import { input, optional } from '../../../kernel/fields.ts'
import { EMAIL_PATTERN } from '../../accounts/index.ts'
import { type Buyer, OFFERED, OFFERED_PLAN, offerCredits, toOffer } from '../domain/sell-credits.ts'
import { buyerRequired } from '../domain/order.ts'
import type { BillingContext } from '../context.ts'

export const buyRpc = action({
  name: 'buy_rpc',
  summary: 'Sells credits to the account of the key, or to that of an email address. They are added once it is paid.',
  input: input({
    email: optional(
      Type.String({
        description: 'Who gets the credits, if the call has no key.',
        pattern: EMAIL_PATTERN,
        refusal: { text: 'Invalid email', code: 'invalid_email' },
      }),
    ),
  }),
  example: {
    request: { email: 'alice@example.com' },
    response: {
      id: '5c363461a1b2c3d4',
      address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
      browser: 'https://gateway.example/pay/5c363461a1b2c3d4',
      check: 'https://gateway.example/check/5c363461a1b2c3d4',
      json: 'https://gateway.example/checkout/5c363461a1b2c3d4',
      plans: [
        {
          title: '1,000 Credits',
          value: '0.200417',
          value_raw: '200417000000000000000000000000',
          link: 'nano:nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8?amount=200417000000000000000000000000',
        },
      ],
      expires_unix: 1794796443,
      available: true,
      status: 'available',
      lease: null,
    },
  },
  output: answer.record({
    ...OFFERED,
    plans: answer.list(OFFERED_PLAN),
    available: answer.bool,
    status: answer.words('available'),
    lease: Type.Null(),
  }),
  errors: { key_required: 'Neither a secret key nor an email address says whose credits they are.' },
  auth: 'none',
  scope: 'checkout',
  once: true,
  async run({ caller, payer, idempotency }, { email }, context: BillingContext) {
    const checkout = await offerCredits(context, payer, { buyer: buyerOf(caller, email), idempotency })
    return { ...toOffer(context.checkouts.ports, checkout), available: true, status: 'available', lease: null }
  },
})

/** Anybody can read a public key, so it does not identify the buyer. */
function buyerOf(caller: Caller, email: string | undefined): Buyer {
  if (caller.kind === 'account' && caller.access === 'secret-key') return { accountId: caller.accountId }
  if (email === undefined) throw buyerRequired()
  return { email }
}
