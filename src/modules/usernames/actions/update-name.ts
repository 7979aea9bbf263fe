import Type from 'typebox'
import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { formatNano } from '../../../kernel/money.ts'
import { OFFERED, openOrder, toOffer } from '../../billing/index.ts'
import { accountOf } from '../account-of.ts'
import { type ChangeDetail, NAME_UPDATE } from '../domain/change-name.ts'
import { findName } from '../domain/find-name.ts'
import { nameInGrace, nameNotLeased, nothingToChange } from '../errors.ts'
import { readProfile } from '../wire-fields.ts'

/** Read by the module itself, so that what is wrong is named. */
const free = (description: string, example?: unknown) =>
  optional(Type.Unsafe<unknown>({ description, ...(example !== undefined && { examples: [example] }) }))

export const updateName = action({
  name: 'update_name',
  summary:
    'Changes what a username stands for or tells, once its owner has paid a small amount from the owning address.',
  input: input({
    name: field.username,
    address: optional(field.account),
    title: free('Up to 99 characters, as all of these; an empty text takes one away.', 'Alice’s Shop'),
    website: free('An address of the web.', 'https://alice.example'),
    github: free('A name there.'),
    twitter: free('A name there.'),
    mastodon: free('A name there.'),
    location: free('A place.'),
    image: free('An address of a picture.'),
    metadata: free('An object of up to 500 bytes.', { shop: 7 }),
  }),
  fieldSynonyms: { username: 'name' },
  example: {
    request: { name: 'alice', title: 'Alice’s Shop' },
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
    },
  },
  output: answer.record({
    ...OFFERED,
    update_name: Type.String({ pattern: '^@[A-Za-z0-9]{1,30}$' }),
    amount: answer.nano,
    amount_raw: answer.raw,
    link: answer.paymentUri,
  }),
  errors: {
    username_not_found: 'Nobody leases this name.',
    conflict: 'The lease is over, and only its owner can renew it.',
    invalid_url: 'website or image is no address of the web.',
    invalid_metadata: 'metadata is no object of up to 500 bytes.',
  },
  auth: 'none',
  once: true,
  caching: 'never',
  async run(ctx, { name, address, ...given }) {
    const profile = readProfile(given)
    if (address === undefined && Object.keys(profile).length === 0) throw nothingToChange()
    const { key, status, lease } = await findName(ctx, name)
    if (status === 'grace') throw nameInGrace()
    if (!lease) throw nameNotLeased()
    const checkout = await openOrder(ctx, {
      kind: NAME_UPDATE,
      subject: key,
      accountId: accountOf(ctx.caller),
      detail: { name: lease.name, address: address ?? null, profile } satisfies ChangeDetail,
      title: `Change of @${lease.name}`,
      // Anybody may ask for a change; the owner who is given somebody's link must see where the name would lead.
      description: `${address === undefined ? '' : `@${lease.name} will stand for ${address}. `}Counts only when it is paid from ${lease.owner}, which owns the name. Any other payment is sent back.`,
      plans: [{ title: 'Change', price: ctx.till.sales.rules.nameUpdatePrice }],
    })
    const { plans, ...offer } = toOffer(ctx.till, checkout)
    const [{ link }] = plans as [{ link: string }]
    const amountRaw = checkout.amountRaw!
    const amount = { amount: formatNano(amountRaw), amount_raw: amountRaw.toString(), link }
    return { ...offer, update_name: `@${lease.name}`, ...amount }
  },
})
