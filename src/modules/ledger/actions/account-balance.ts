import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type JsonObject, withNano } from '../../../kernel/shape.ts'

export const BALANCE_AMOUNTS = ['balance', 'pending', 'receivable'] as const

export const BALANCE = answer.record({
  balance: answer.raw,
  balance_nano: answer.nano,
  pending: answer.raw,
  pending_nano: answer.nano,
  receivable: answer.raw,
  receivable_nano: answer.nano,
  address: answer.optional(answer.address),
})

export const accountBalance = nodeRead({
  name: 'account_balance',
  summary: 'Balance and receivable amount of one account; zeros for an account that was never opened.',
  input: input({
    account: field.account,
    include_only_confirmed: optional(field.flag('Count confirmed blocks only, which is the default.')),
  }),
  example: {
    request: { account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo' },
    response: {
      balance: '1000000000000000000000000000000',
      balance_nano: '1',
      pending: '0',
      pending_nano: '0',
      receivable: '0',
      receivable_nano: '0',
    },
  },
  output: BALANCE,
  async run({ node }, params) {
    return withNano((await node.read('account_balance', params)) as JsonObject, BALANCE_AMOUNTS)
  },
})
