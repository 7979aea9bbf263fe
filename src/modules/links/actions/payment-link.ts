import { action } from '../../../kernel/action.ts'
import { toFieldError } from '../../../kernel/errors.ts'
import { input, optional } from '../../../kernel/fields.ts'
import { form, freeField } from '../../../kernel/free-field.ts'
import { textOf } from '../../../kernel/shape.ts'
import { checkoutAction } from '../../checkout/index.ts'
import { LINK } from '../answers.ts'
import { getLink } from '../domain/change-link.ts'
import { makeLink } from '../domain/make-link.ts'
import type { LinkRoom } from '../room.ts'
import { showLink } from '../shape.ts'

/** Fields that the module reads itself, as those of `checkout`. */
const free = (...field: Parameters<typeof freeField>) => optional(freeField(...field))

const { public_key: _ofStrangers, invoice: _ofOne, ...TEMPLATE } = checkoutAction.input.properties
const ADDRESS = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'

export const paymentLink = action({
  name: 'payment_link',
  summary: 'Creates a link that you can share: each visitor of its page gets a checkout of their own.',
  input: input({
    ...TEMPLATE,
    id: free(form.text, 'The id of one of your links: then nothing is created, and its current state is returned.'),
    slug: free(
      form.text,
      'The last part of its URL: 3 to 40 letters, digits and dashes. By default one is generated.',
      'blue-mug',
    ),
    quantity: free(
      form.record({ min: form.optional(form.amount), max: form.optional(form.amount) }),
      'How many items a visitor may buy, up to 1000; one by default.',
      { min: 1, max: 5 },
    ),
    suggested: free(form.list(form.amount), 'Without a price: up to 6 amounts to choose from.', ['1', '5']),
    sold_max: free(form.amount, 'How many items there are. Open checkouts hold theirs until they end.', 100),
    ends_unix: free(form.moment, 'When it stops taking orders.'),
    every: free(
      form.amount,
      '`month`, `year`, or a number of days: payers are reminded by email to pay again. Nothing is charged automatically.',
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
      'Whether each order has an invoice: `buyer` says whether the page asks for the buyer, `optional` or `required`; `tax` are amounts per item, included in its price.',
      { buyer: 'required', tax: [{ title: 'VAT 20 %', amount: '0.25' }] },
    ),
    paused: free(form.flag, 'Whether it is paused and takes no orders.', false),
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
  output: LINK,
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
  async run({ caller, idempotency }, fields, room: LinkRoom) {
    // Unreachable: the action admits account callers only.
    if (caller.kind !== 'account') throw new Error('A payment link needs an account.')
    const { accountId: owner, actor } = caller
    const { id } = fields as { id?: unknown }
    try {
      if (id !== undefined) return await showLink(room, await getLink(room, { id: textOf(id), owner }))
      return await showLink(room, await makeLink(room, { owner, actor }, fields, idempotency))
    } catch (error) {
      throw toFieldError(error, id === undefined ? undefined : 'id')
    }
  },
})
