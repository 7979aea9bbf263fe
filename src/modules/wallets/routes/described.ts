import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'

const { bool, optional, orNull, record, text } = answer
const PAYOUT = record({ address: orNull(answer.address) })

export const describedPayoutRoutes: readonly Described[] = [
  {
    method: 'get',
    path: '/api/account/payout',
    id: 'getPayout',
    tag: 'accounts',
    summary: 'The address that is paid where a checkout, link or till names none.',
    who: 'account',
    answer: PAYOUT,
  },
  {
    method: 'put',
    path: '/api/account/payout',
    id: 'changePayout',
    tag: 'accounts',
    summary:
      'Change it for new checkouts: an `address` or `@name`, or `wallet: true` to have one made. Needs an unrestricted secret key, or an owner or manager who has just confirmed their identity. Every owner gets a mail.',
    who: 'account',
    body: {
      schema: record({ address: optional(text), wallet: optional(bool) }),
      example: { address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8' },
    },
    answer: PAYOUT,
    refuses: [403],
  },
]
