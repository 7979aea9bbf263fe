import Type from 'typebox'
import { OPTIONAL_KINDS } from '../event-kinds.ts'
import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { toFieldError } from '../../../kernel/errors.ts'
import { input, optional } from '../../../kernel/fields.ts'
import { form, freeField } from '../../../kernel/free-field.ts'
import type { CheckoutContext } from '../context.ts'
import { openCheckout } from '../domain/open.ts'
import { toResponse } from '../shape.ts'
import { readCheckout, refuseUnproved } from '../wire-fields.ts'

/** Fields that the module reads itself, because clients write them in many ways; the action and the REST interface share that reader. */
const free = (...field: Parameters<typeof freeField>) => optional(freeField(...field))

/** A price in an object that may have other fields as well. */
const PRICED = form.record({ price: form.amount }, { additionalProperties: true })
const PLAN_FORM = form.record({
  title: form.optional(form.text),
  name: form.optional(form.text),
  value: form.optional(form.amount),
  price: form.optional(form.amount),
  discount: form.optional(form.oneOf(form.amount, answer.bool)),
})

const PLAN = answer.record({
  title: answer.text,
  value: answer.text,
  value_raw: answer.optional(answer.raw),
  fiat_amount: answer.optional(answer.text),
  discount: answer.oneOf(answer.number, answer.bool),
  link: answer.optional(answer.paymentUri),
  qrcode: answer.png,
})
const INVOICE_FORM = form.record({
  number: form.optional(form.text),
  seller: form.optional(form.text),
  buyer: form.optional(
    form.record({
      name: form.optional(form.text),
      address: form.optional(form.text),
      tax_id: form.optional(form.text),
    }),
  ),
  lines: form.list(form.record({ title: form.text, quantity: form.optional(form.amount), price: form.amount })),
  tax: form.optional(
    form.list(
      form.record({ title: form.text, amount: form.optional(form.amount), percent: form.optional(form.amount) }),
    ),
  ),
})
const RECEIVER = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'

export const checkout = action({
  name: 'checkout',
  summary: 'Requests a payment: a page, a unique amount or address, and a way to know when it is paid.',
  input: input({
    address: free(
      form.text,
      'The account to be paid: an address or `@username`. With a key it may be left out: the payout address of the account is paid.',
      RECEIVER,
    ),
    amount: free(
      form.amount,
      'The price. Each digit written as `X` is chosen at random. Without a price the payer decides.',
      '1.5',
    ),
    currency: free(form.text, '`NANO`, or a supported code such as `USD`.', 'NANO'),
    title: free(form.text, 'What is sold, up to 120 characters.', 'Coffee'),
    description: free(form.text, 'More about it, up to 1000 characters.'),
    image: free(form.text, 'An https URL of a picture.'),
    webhook_url: free(
      form.text,
      'Where signed events are sent: a URL of up to 2048 characters.',
      'https://shop.example/paid',
    ),
    webhook: free(form.text, 'The same as `webhook_url`.'),
    webhook_secret: free(form.text, 'The secret that signs them.'),
    webhook_events: free(
      form.list(form.words('payment.completed', ...OPTIONAL_KINDS)),
      `Additional kinds of events to send: ${OPTIONAL_KINDS.join(', ')}.`,
      ['payment.partial'],
    ),
    webhook_proof: free(
      form.flag,
      'Whether `payment.completed` has the proof of the payment in `proof`; needs a gateway with `PROOF=votes`.',
      false,
    ),
    notify: free(form.text, 'Email address for one receipt; needs a secret key.'),
    success_url: free(form.text, 'Where the payer goes after paying.'),
    cancel_url: free(form.text, 'Where the payer goes without paying.'),
    metadata: free(form.object, 'An object that is returned with events: up to 4096 bytes, 50 members, 4 levels.', {
      order: 'A-1',
    }),
    template: free(form.text, 'The id of one of your checkouts to use as a template; needs a key.'),
    mode: free(
      form.words('unique_amount', 'unique_address', 'generated_wallet'),
      '`unique_amount`, `unique_address` or `generated_wallet`.',
      'unique_amount',
    ),
    random: free(
      form.flag,
      '`true` means the mode `unique_amount`; `false` asks for the bare price, which a secret key gets while no other order has it.',
      true,
    ),
    expire: free(form.text, 'How long it is open, from 5 minutes to 30 days; the service has a default.', '2 hours'),
    note: free(form.text, 'Your own note, up to 1000 characters; payers do not see it.'),
    line_items: free(
      form.list(
        form.oneOf(
          form.amount,
          form.record({ price: form.amount, quantity: form.optional(form.amount) }, { additionalProperties: true }),
        ),
      ),
      'Instead of `amount`: up to 100 of `{price, quantity?}`, which are added up. `value`, `amount` and `cost` mean `price`.',
      [{ name: 'Lamp', price: '2.5', quantity: 2 }],
    ),
    shipping: free(
      form.oneOf(form.text, answer.number, PRICED),
      'Added to the line items, or to the price of the template: a price, or an object with `price`, `value`, `amount` or `cost`.',
      '0.5',
    ),
    plans: free(form.list(PLAN_FORM), 'Prices to choose from: up to 20 of `{title, value, discount?}`.', [
      { title: 'Large', value: '3' },
    ]),
    invoice: free(
      INVOICE_FORM,
      'Its invoice: up to 100 `lines` of `{title, quantity?, price}`, `tax` of `{title, percent}` (of the lines) or `{title, amount}`, `buyer`, `seller`, `number`. Lines and taxes must add up to `amount`; needs a secret key.',
      { lines: [{ title: 'Coffee', price: '1.5' }] },
    ),
    buyer: free(
      form.record({ name: form.optional(form.text), email: form.optional(form.text) }),
      'Who buys: `{name?, email?}`. The email address gets a receipt and messages about refunds; needs a secret key.',
      { name: 'Marta Kowalska', email: 'marta@example.com' },
    ),
    public_key: free(form.text, 'A key that may be used in a browser.'),
  }),
  // The payment dialog NanoPay sends it along with `unique`.
  unusedByClients: ['cloud'],
  example: {
    request: {
      address: RECEIVER,
      amount: '1.5',
      title: 'Coffee',
    },
    response: {
      id: '5c363461a1b2c3d4',
      browser: 'https://gateway.example/pay/5c363461a1b2c3d4',
      check: 'https://gateway.example/check/5c363461a1b2c3d4',
      json: 'https://gateway.example/checkout/5c363461a1b2c3d4',
      address: RECEIVER,
      amount: '1.503241',
      amount_raw: '1503241000000000000000000000000',
      link: 'nano:nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8?amount=1503241000000000000000000000000',
      qrcode: 'data:image/png;base64,…',
      mode: 'unique_amount',
      status: 'pending',
      expires_unix: 1794796443,
    },
  },
  output: answer.record({
    id: Type.String({ pattern: '^[0-9a-f]{16}$' }),
    browser: answer.url,
    check: answer.url,
    json: answer.url,
    address: answer.address,
    amount: answer.optional(answer.nano),
    amount_raw: answer.optional(answer.raw),
    currency: answer.optional(answer.text),
    fiat_amount: answer.optional(answer.text),
    note: answer.optional(answer.text),
    rate: answer.optional(answer.text),
    rate_source: answer.optional(answer.text),
    plans: answer.optional(answer.list(PLAN)),
    link: answer.optional(answer.paymentUri),
    qrcode: answer.png,
    mode: answer.words('unique_amount', 'unique_address', 'generated_wallet'),
    status: answer.words('pending', 'detected', 'partial', 'complete', 'expired', 'cancelled'),
    expires_unix: answer.unix,
    webhook_secret: answer.optional(answer.text),
    invoice_url: answer.optional(answer.url),
  }),
  errors: {
    invalid_amount: '`amount` or a plan is not a valid amount.',
    invalid_account: '`address` is not a valid address.',
    invalid_currency: '`currency` is not supported.',
    invalid_url: 'A URL cannot be used; `field` says which.',
    invalid_email: '`notify` or `buyer.email` is not an email address.',
    invalid_metadata: '`metadata` is larger than 4096 bytes, 50 members or 4 levels.',
    key_required: '`notify`, `buyer` and `template` need a key.',
    feature_disabled: 'A public key, or an account without generated wallets, asked for something it may not use.',
    invalid_request:
      'A field cannot be used; `field` says which: you have no such template, or the address is in use by another checkout.',
    invalid_duration: '`expire` is not a duration from 5 minutes to 30 days.',
    no_node: 'No node could read the address: nothing was created.',
    too_many_requests: 'Too many checkouts are open on this address.',
    amount_space_exhausted: 'No free amount near this price.',
  },
  auth: 'none',
  scope: 'checkout',
  once: true,
  async run({ caller, idempotency }, fields, context: CheckoutContext) {
    const { prices, rules } = context.ports
    const { plainHttpAllowed } = rules
    refuseUnproved(context.ports, fields)
    const request = readCheckout(fields, { currencies: prices.currencies, plainHttpAllowed })
    try {
      return toResponse(context.ports, await openCheckout(context, caller, request, idempotency))
    } catch (error) {
      throw toFieldError(error)
    }
  },
})
