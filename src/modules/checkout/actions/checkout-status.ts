import Type from 'typebox'
import { action } from '../../../kernel/action.ts'
import { toFieldError } from '../../../kernel/errors.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { CHECK } from '../views.ts'
import { getCheckout } from '../domain/show.ts'
import type { CheckoutContext } from '../context.ts'
import { type StatusWaits, WAIT_SECONDS_MAX } from '../waits.ts'

interface StatusContext extends CheckoutContext {
  waits: StatusWaits
  nudge(address: string): void
}

export const checkoutStatus = action({
  name: 'checkout_status',
  summary:
    'State of a payment, at once or as soon as it moves. Proof of payment is `status` `complete` and its `block`.',
  input: input({
    id: field.id('The checkout.'),
    wait_seconds: optional(
      Type.Unsafe<number>({
        anyOf: [
          { type: 'integer', minimum: 0, maximum: WAIT_SECONDS_MAX },
          { type: 'string', pattern: '^([0-9]|[1-5][0-9]|60)$' },
        ],
        reader: 'whole',
        description: `How long to wait for a change, up to ${WAIT_SECONDS_MAX} seconds; without it the answer comes at once.`,
        examples: [30],
        refusal: { text: `wait_seconds is a whole number up to ${WAIT_SECONDS_MAX}.`, code: 'invalid_request' },
      }),
    ),
  }),
  fieldSynonyms: { checkout: 'id', checkout_id: 'id' },
  example: {
    request: { id: '5c363461a1b2c3d4', wait_seconds: 30 },
    response: {
      id: '5c363461a1b2c3d4',
      status: 'pending',
      additional_status: 'none',
      success: false,
      address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
      amount: '2.000017',
      amount_raw: '2000017000000000000000000000000',
      amount_paid: '0',
      amount_paid_raw: '0',
      amount_due_raw: '2000017000000000000000000000000',
      expires_unix: 1794796800,
      json: 'https://nano.example/checkout/5c363461a1b2c3d4',
      browser: 'https://nano.example/pay/5c363461a1b2c3d4',
    },
  },
  output: CHECK,
  auth: 'none',
  scope: 'checkout',
  async run({ payer, leaving }, { id, wait_seconds: seconds = 0 }, context: StatusContext) {
    try {
      const { address } = await getCheckout(context, id)
      context.nudge(address)
      return await context.waits.read(context, { id, seconds, who: payer, leaving })
    } catch (error) {
      throw toFieldError(error, 'id')
    }
  },
})
