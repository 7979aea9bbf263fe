import { action } from '../../../kernel/action.ts'
import { input, optional } from '../../../kernel/fields.ts'
import { form, freeField } from '../../../kernel/free-field.ts'
import { checkoutAction, toFieldError } from '../../checkout/index.ts'
import { LINK } from '../answers.ts'
import { getLink } from '../domain/change-link.ts'
import { makeLink } from '../domain/make-link.ts'
import type { LinkRoom } from '../room.ts'
import { showLink } from '../shape.ts'

/** Read by the room itself, as those of `checkout` are. */
const free = (...field: Parameters<typeof freeField>) => optional(freeField(...field))

const { public_key: _ofStrangers, invoice: _ofOne, ...TEMPLATE } = checkoutAction.input.properties
const ADDRESS = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'

export const paymentLink = action({
  name: 'payment_link',
  summary: 'Makes a link that can be shared: each visitor of its page gets a checkout of their own.',
  input: input({
    ...TEMPLATE,
    id: free(form.text, 'The id of an own link: with it, nothing is made, and how it stands is answered.'),
    slug: free(
      form.text,
      'The end of its address: 3 to 40 letters, digits and dashes. Otherwise one is made.',
      'blue-mug',
    ),
    quantity: free(
      form.record({ min: form.optional(form.amount), max: form.optional(form.amount) }),
      'How many pieces a visitor may take, up to 1000; one unless told.',
      { min: 1, max: 5 },
    ),
    suggested: free(form.list(form.amount), 'Where no price is given: up to 6 amounts to choose from.', ['1', '5']),
    sold_max: free(form.amount, 'How many pieces there are. Open checkouts hold theirs until they end.', 100),
    ends_unix: free(form.moment, 'When it takes no more orders.'),
    every: free(
      form.amount,
      '`month`, `year`, or a number of days: whoever pays is reminded by mail to pay again. Nothing is taken by itself.',
      'month',
    ),
    grace_days: free(form.amount, 'Days after the end of a period before a subscription lapses: 0 to 30.', 3),
    invoice: free(
      form.oneOf(
        form.flag,
        form.record({
          buyer: form.optional(form.words('optional', 'required')),
          seller: form.optional(form.text),
          tax: form.optional(form.list(form.record({ title: form.text, amount: form.amount }))),
        }),
      ),
      'Whether each order has an invoice: `buyer` is asked for on the page, as `optional` or `required`; `tax` are amounts of one piece, and part of its price.',
      { buyer: 'required', tax: [{ title: 'VAT 20 %', amount: '0.25' }] },
    ),
    paused: free(form.flag, 'Whether it takes no orders for now.', false),
  }),
  fieldSynonyms: { webhook: 'webhook_url' },
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
  output: LINK,
  errors: {
    invalid_request:
      'A field cannot be used; `field` says which: the slug is taken, or there is no such template of yours.',
    invalid_amount: '`amount`, a plan or a suggestion is no amount.',
    feature_disabled: 'The account has no generated wallets.',
    limit_reached: 'The account has 1000 links already.',
    not_found: 'There is no such link of yours.',
  },
  auth: 'secret-key',
  scope: 'checkout',
  once: true,
  async run({ caller, idempotency }, fields, room: LinkRoom) {
    // No other caller is let in.
    if (caller.kind !== 'account') throw new Error('A payment link needs an account.')
    const { accountId: owner } = caller
    const { id } = fields as { id?: unknown }
    if (typeof id === 'string') return showLink(room, await getLink(room, { id, owner }))
    try {
      return showLink(room, await makeLink(room, owner, fields, { idempotency }))
    } catch (error) {
      throw toFieldError(error)
    }
  },
})
