import Type from 'typebox'
import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { input, optional } from '../../../kernel/fields.ts'
import { toCheckoutCtx } from '../ctx.ts'
import { openCheckout } from '../domain/open.ts'
import { toResponse } from '../shape.ts'
import { readCheckout } from '../wire-fields.ts'

/** Read by the module itself, in one place for both doors: clients write these fields in many ways. */
const free = (description: string, example?: unknown) =>
  optional(Type.Unsafe<unknown>({ description, ...(example !== undefined && { examples: [example] }) }))

export const PLAN = answer.record({
  title: answer.text,
  value: answer.text,
  value_raw: answer.optional(answer.raw),
  discount: answer.oneOf(answer.number, answer.bool),
})

export const checkout = action({
  name: 'checkout',
  summary: 'Asks for a payment: a page, a unique amount or address, and a way to know when it is paid.',
  input: input({
    address: free('The account that receives; an address or `@username`. Needed unless a template is given.'),
    amount: free('The price. Each digit written `X` is filled at random. Without one the payer decides.', '1.5'),
    currency: free('`NANO`, or a supported code such as `USD`.', 'NANO'),
    title: free('What is sold.', 'Coffee'),
    description: free('More about it.'),
    image: free('An https address of a picture.'),
    webhook_url: free('Where signed events are sent. Also `webhook`.'),
    webhook_secret: free('What signs them.'),
    webhook_events: free('Further kinds of events to send.', ['payment.partial']),
    notify: free('Mail address for one receipt; needs a secret key.'),
    success_url: free('Where the payer goes afterwards.'),
    cancel_url: free('Where the payer goes otherwise.'),
    metadata: free('An object that comes back with events.', { order: 'A-1' }),
    template: free('The id of an own checkout that is used again; needs a key.'),
    mode: free('`unique_amount`, `unique_address` or `generated_wallet`.', 'unique_amount'),
    random: free('The same as the mode `unique_amount`.'),
    plans: free('Prices to choose from: a list of `{title, value, discount?}`.'),
    public_key: free('A key that may live in a browser.'),
  }),
  fieldSynonyms: { webhook: 'webhook_url' },
  example: {
    request: {
      address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
      amount: '1.5',
      title: 'Coffee',
    },
    response: {
      id: '5c363461a1b2c3d4',
      browser: 'https://gateway.example/pay/5c363461a1b2c3d4',
      check: 'https://gateway.example/check/5c363461a1b2c3d4',
      json: 'https://gateway.example/checkout/5c363461a1b2c3d4',
      address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
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
    plans: answer.optional(answer.list(PLAN)),
    link: answer.paymentUri,
    qrcode: answer.png,
    mode: answer.words('unique_amount', 'unique_address', 'generated_wallet'),
    status: answer.words('pending', 'detected', 'partial', 'complete', 'expired', 'cancelled'),
    expires_unix: answer.unix,
    webhook_secret: answer.optional(answer.text),
  }),
  auth: 'none',
  once: true,
  caching: 'never',
  async run(ctx, fields) {
    const { prices, rules } = ctx.till
    const { plainHttpAllowed } = rules
    const request = readCheckout(fields, { currencies: prices.currencies, plainHttpAllowed })
    return toResponse(ctx.till, await openCheckout(toCheckoutCtx(ctx), ctx.caller, request))
  },
})
