import Type from 'typebox'
import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { form, freeField } from '../../../kernel/free-field.ts'
import { formatNano } from '../../../kernel/money.ts'
import { OFFERED, toOffer } from '../../billing/index.ts'
import { accountOf } from '../domain/find-name.ts'
import { authorizeChange, offerChange } from '../domain/change-name.ts'
import { signatureNeedsOffer } from '../errors.ts'
import { readChanges } from '../wire-fields.ts'
import type { UsernameContext } from '../context.ts'

/** Read by the module itself, so that errors name what is wrong. */
const free = (...field: Parameters<typeof freeField>) => optional(freeField(...field))

export const updateName = action({
  name: 'update_name',
  summary:
    'Changes the address or the details of a username, for a small fee, authorised by the account or the address that owns it.',
  input: input({
    name: field.username,
    id: optional(field.id('Id of an offer of this action that the changes belong to.')),
    signature: optional(
      Type.Unsafe<string>(
        Type.String({
          pattern: '^[0-9a-fA-F]{128}$',
          description: 'Signature of the key of the owning address over `to_sign`.',
          refusal: { text: 'Invalid signature: 128 hexadecimal digits.', code: 'invalid_request' },
        }),
      ),
    ),
    address: optional(field.account),
    title: free(form.text, 'Up to 99 characters, like the following fields.', 'Alice’s Shop'),
    website: free(form.text, 'A web address.', 'https://alice.example'),
    github: free(form.text, 'Your username there.'),
    twitter: free(form.text, 'Your username there.'),
    mastodon: free(form.text, 'Your username there.'),
    location: free(form.text, 'A place.'),
    image: free(form.text, 'A URL of a picture.'),
    metadata: free(form.object, 'An object of up to 500 bytes.', { shop: 7 }),
    remove: free(form.oneOf(form.texts, form.text), 'Fields to remove.', ['twitter']),
  }),
  fieldSynonyms: { username: 'name' },
  example: {
    request: { name: 'alice' },
    response: {
      id: '5c363461a1b2c3d4',
      address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
      browser: 'https://gateway.example/pay/5c363461a1b2c3d4',
      check: 'https://gateway.example/check/5c363461a1b2c3d4',
      json: 'https://gateway.example/checkout/5c363461a1b2c3d4',
      expires_unix: 1794796443,
      update_name: '@alice',
      amount: '0.001003',
      amount_raw: '1003000000000000000000000000',
      link: 'nano:nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8?amount=1003000000000000000000000000',
      authorized: false,
    },
  },
  output: answer.record({
    ...OFFERED,
    update_name: Type.String({ pattern: '^@[A-Za-z0-9]{1,30}$' }),
    amount: answer.nano,
    amount_raw: answer.raw,
    link: answer.paymentUri,
    authorized: answer.bool,
    changes: answer.optional(answer.object),
    to_sign: answer.optional(answer.text),
  }),
  errors: {
    username_not_found: 'This name is not leased.',
    not_the_owner: 'Neither the key nor the signature is that of the owner.',
    conflict: 'The lease is over, and only its owner can renew it; or the offer was authorised for another change.',
    invalid_url: '`website` or `image` is not a web address.',
    invalid_metadata: 'metadata is not an object of up to 500 bytes.',
  },
  auth: 'none',
  scope: 'names',
  once: true,
  async run({ caller, payer, idempotency }, { name, id, signature, ...given }, context: UsernameContext) {
    const changes = readChanges(given)
    const accountId = accountOf(caller)
    const actor = caller.kind === 'account' && accountId !== null ? caller.actor : undefined
    if (id === undefined && signature !== undefined) throw signatureNeedsOffer()
    const { lease, checkout, isAuthorized, toSign, ...offered } =
      id === undefined
        ? await offerChange(context, payer, { name, changes, accountId, idempotency })
        : await authorizeChange(context, { name, id, changes, accountId, actor, signature })
    const { plans, ...offer } = toOffer(context.checkouts.ports, checkout)
    const [{ link }] = plans as [{ link: string }]
    const amountRaw = checkout.amountRaw!
    return {
      ...offer,
      update_name: `@${lease.name}`,
      amount: formatNano(amountRaw),
      amount_raw: amountRaw.toString(),
      link,
      authorized: isAuthorized,
      ...(offered.changes && { changes: offered.changes }),
      ...(toSign !== undefined && { to_sign: toSign }),
    }
  },
})
