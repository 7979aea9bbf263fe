import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { AppError } from '../../../kernel/errors.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { form, freeField as free } from '../../../kernel/free-field.ts'
import { openEmailPayment } from '../domain/open.ts'
import { showCreated } from '../domain/show.ts'
import { readEmailRequest } from '../wire-fields.ts'
import type { EmailContext } from '../context.ts'

const REFUND = 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'
const ADDRESS = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'

export const nanoEmail = action({
  name: 'nano_email',
  summary:
    'Sends nano to email addresses: fund a wallet made for it, and each recipient gets an email to claim their share.',
  input: input({
    refund_address: field.account,
    amount: field.nanoAmount,
    emails: free(
      form.oneOf(form.texts, form.text),
      'Up to 50 email addresses, each once. They share the amount equally.',
      ['alice@example.com'],
    ),
    from: optional(
      free(form.text, 'Name of the sender; emails say that it is not verified. Up to 60 characters.', 'Bob'),
    ),
    message: optional(free(form.text, 'A few words, without links. Up to 280 characters.', 'Thank you!')),
    email_receipt: optional(
      free(form.text, 'Email address that gets messages about the funding and every claim.', 'bob@example.com'),
    ),
    expiration: optional(field.duration('How long shares can be claimed: 1 hour to 90 days; 30 days by default.')),
  }),
  fieldSynonyms: { expire: 'expiration', email: 'emails' },
  example: {
    request: {
      refund_address: REFUND,
      amount: '1.5',
      from: 'Bob',
      message: 'Thank you!',
      emails: ['alice@example.com'],
    },
    response: {
      id: '5c363461a1b2c3d4',
      address: ADDRESS,
      browser: 'https://gateway.example/email/5c363461a1b2c3d4',
      check: 'https://gateway.example/email/5c363461a1b2c3d4/check',
      subtotal: 1.5,
      service_fee: 0,
      amount: 1.5,
      amount_raw: '1500000000000000000000000000000',
      special_message: 'Thank you!',
      link: `nano:${ADDRESS}?amount=1500000000000000000000000000000`,
      qrcode: 'data:image/png;base64,…',
      emails: [{ email: 'alice@example.com', amount: 1.5, amount_raw: '1500000000000000000000000000000' }],
      refund_address: REFUND,
      status: 'waiting',
      expiration: 'in 1 month',
      expires_unix: 1794796443,
      created_at: 1794710043000,
    },
  },
  output: answer.record({
    id: answer.text,
    address: answer.address,
    browser: answer.url,
    check: answer.url,
    subtotal: answer.number,
    service_fee: answer.number,
    amount: answer.number,
    amount_raw: answer.raw,
    special_message: answer.text,
    link: answer.paymentUri,
    qrcode: answer.png,
    emails: answer.list(answer.record({ email: answer.text, amount: answer.number, amount_raw: answer.raw })),
    refund_address: answer.address,
    status: answer.words('waiting'),
    expiration: answer.text,
    expires_unix: answer.unix,
    created_at: answer.integer,
  }),
  errors: {
    invalid_email: 'An email address is invalid, or given twice.',
    invalid_list: 'There are no addresses, or too many.',
    invalid_amount: 'A share is too small, or the amount too large.',
    spending_limit: 'More nano than this key may spend in a day; see `limit`, `spent` and `resets_unix`.',
    limit_reached: 'An address has opted out of email from this service.',
    too_many_requests: 'The account or an address has reached its limit for a day.',
  },
  auth: 'secret-key',
  scope: 'email',
  once: true,
  async run({ caller, node, idempotency }, fields, context: EmailContext) {
    if (caller.kind !== 'account') throw new AppError('key_required', 'API key required for nano_email.')
    const ctx = { ...context, node }
    return showCreated(ctx, await openEmailPayment(ctx, caller, readEmailRequest(fields), idempotency))
  },
})
