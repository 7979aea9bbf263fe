import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input } from '../../../kernel/fields.ts'
import { OFFERED, OFFERED_PLAN, openOrder, toOffer } from '../../billing/index.ts'
import { KNOWN_NAME } from '../../names/index.ts'
import { accountOf } from '../account-of.ts'
import { findName, showLease } from '../domain/find-name.ts'
import { NAME, type NameDetail } from '../domain/lease-name.ts'

const FOUND = {
  name: answer.text,
  available: answer.bool,
  lease: answer.orNull(
    answer.record({ ...KNOWN_NAME.properties, owner: answer.address, grace_until_unix: answer.unix }),
  ),
}

export const getName = action({
  name: 'get_name',
  summary: 'Offers a username: for how much it can be leased or, by its owner, extended.',
  input: input({ name: field.username }),
  fieldSynonyms: { username: 'name' },
  example: {
    request: { name: 'alice' },
    response: {
      name: 'alice',
      id: '5c363461a1b2c3d4',
      address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
      browser: 'https://gateway.example/pay/5c363461a1b2c3d4',
      check: 'https://gateway.example/check/5c363461a1b2c3d4',
      json: 'https://gateway.example/checkout/5c363461a1b2c3d4',
      plans: [
        {
          title: '1 Year',
          value: '0.300417',
          value_raw: '300417000000000000000000000000',
          link: 'nano:nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8?amount=300417000000000000000000000000',
        },
      ],
      expires_unix: 1794796443,
      available: true,
      status: 'available',
      lease: null,
    },
  },
  output: answer.oneOf(
    answer.record({
      ...FOUND,
      ...OFFERED,
      status: answer.words('available', 'leased', 'grace'),
      plans: answer.list(OFFERED_PLAN),
    }),
    answer.record({ ...FOUND, status: answer.words('reserved'), message: answer.text }),
  ),
  auth: 'none',
  once: true,
  caching: 'never',
  async run(ctx, { name }) {
    const { key, status, lease } = await findName(ctx, name)
    const found = { available: status === 'available', status, lease: lease ? showLease(lease) : null }
    if (status === 'reserved') return { name, ...found, plans: [], message: 'This name is reserved.' }
    const { namePlans } = ctx.till.sales.rules
    const shown = lease?.name ?? name
    const checkout = await openOrder(ctx, {
      kind: NAME,
      subject: key,
      accountId: accountOf(ctx.caller),
      detail: { name: shown, periods: namePlans.map(({ period }) => ({ ...period })) } satisfies NameDetail,
      title: `Username @${shown}`,
      description: lease
        ? `Only @${shown} itself can extend the lease: pay from ${lease.owner}. Any other payment is sent back.`
        : `Pay from the wallet that @${shown} should stand for: the address that pays becomes its owner. Do not pay from an exchange. If somebody else is faster, your payment is sent back.`,
      plans: namePlans.map(({ title, price }) => ({ title, price })),
    })
    return { name: shown, ...toOffer(ctx.till, checkout), ...found }
  },
})
