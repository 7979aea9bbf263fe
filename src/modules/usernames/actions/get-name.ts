import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { OFFERED, OFFERED_PLAN, toOffer } from '../../billing/index.ts'
import { KNOWN_NAME } from '../../names/index.ts'
import { accountOf, showLease } from '../domain/find-name.ts'
import { offerName } from '../domain/lease-name.ts'
import type { UsernameContext } from '../context.ts'

const FOUND = {
  name: answer.text,
  username: answer.text,
  available: answer.bool,
  lease: answer.orNull(
    answer.record({ ...KNOWN_NAME.properties, owner: answer.address, grace_until_unix: answer.unix }),
  ),
}

export const getName = action({
  name: 'get_name',
  summary: 'Offers a username: the prices to lease it or, for its owner, to extend it.',
  input: input({
    name: field.username,
    qrcode: optional(field.flag('Whether each plan includes a picture of its link.')),
  }),
  fieldSynonyms: { username: 'name' },
  example: {
    request: { name: 'alice' },
    response: {
      name: 'alice',
      username: 'alice',
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
  scope: 'names',
  once: true,
  async run({ caller, payer, idempotency }, { name, qrcode }, context: UsernameContext) {
    const { status, lease, shown, checkout } = await offerName(context, payer, {
      name,
      accountId: accountOf(caller),
      idempotency,
    })
    const found = { available: status === 'available', status, lease: lease ? showLease(lease) : null }
    if (!checkout) return { name, username: name, ...found, plans: [], message: 'This name is reserved.' }
    return {
      name: shown,
      username: shown,
      ...toOffer(context.checkouts.ports, checkout, { qrcode: qrcode === true }),
      ...found,
    }
  },
})
