import { action } from '../../../kernel/action.ts'
import { toFieldError } from '../../../kernel/errors.ts'
import { input, optional } from '../../../kernel/fields.ts'
import { form, freeField } from '../../../kernel/free-field.ts'
import { textOf } from '../../../kernel/shape.ts'
import { shownSchema, takenSchema } from '../../../kernel/resource/resource.ts'
import { getLink, makeLink, readLink } from '../domain/make-link.ts'
import { paymentLink as declared } from '../payment-link.ts'
import type { LinkContext } from '../context.ts'
import { showLink } from '../shape.ts'

const taken = takenSchema(declared, 'create').properties
const ADDRESS = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'

export const paymentLink = action({
  name: 'payment_link',
  summary: 'Creates a link that you can share: each visitor of its page gets a checkout of their own.',
  input: input({
    ...taken,
    id: optional(
      freeField(form.text, 'The id of one of your links: then nothing is created, and its current state is returned.'),
    ),
  }),
  example: {
    request: { address: ADDRESS, amount: '1.5', title: 'Blue mug', slug: 'blue-mug', sold_max: 100 },
    response: {
      id: 'lnk_2b3c4d5e6f7g8h9i1j2k3m',
      slug: 'blue-mug',
      url: 'https://gateway.example/buy/blue-mug',
      status: 'active',
      sold: 0,
      held: 0,
      left: 100,
      orders: 0,
      revenue: '0',
      revenue_raw: '0',
      revenue_fiat: null,
      refunded: '0',
      refunded_raw: '0',
      refunded_fiat: null,
      net: '0',
      net_raw: '0',
      net_fiat: null,
      paused: false,
      title: 'Blue mug',
      address: ADDRESS,
      currency: 'NANO',
      mode: 'unique_amount',
      amount: '1.5',
      plans: [],
      metadata: {},
      webhook_events: [],
      webhook_secret_set: false,
      quantity: { min: 1, max: 1 },
      suggested: [],
      sold_max: 100,
      ends_unix: null,
      every: null,
      grace_days: 0,
      invoice: null,
      created_unix: 1794796443,
      updated_unix: 1794796443,
    },
  },
  output: shownSchema(declared),
  errors: {
    invalid_request:
      'A field cannot be used; `field` says which: the slug is taken, or you have no such template or link.',
    invalid_amount: '`amount`, a plan or a suggestion is not a valid amount.',
    feature_disabled: 'The account has no generated wallets.',
    limit_reached: 'The account already has 1000 links.',
  },
  auth: 'secret-key',
  scope: 'checkout',
  once: true,
  async run({ caller, idempotency }, fields, context: LinkContext) {
    // Unreachable: the action admits account callers only.
    if (caller.kind !== 'account') throw new Error('A payment link needs an account.')
    const { accountId: owner, actor } = caller
    const { id }: { id?: unknown } = fields
    try {
      if (id !== undefined) return await showLink(context, await getLink(context, { id: textOf(id), owner }))
      return await showLink(
        context,
        await makeLink(context, { owner, actor }, await readLink(context, owner, fields), idempotency),
      )
    } catch (error) {
      throw toFieldError(error, id === undefined ? undefined : 'id')
    }
  },
})
