import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type JsonObject, toObject, withNano } from '../../../kernel/shape.ts'
import { readAccounts } from '../identifiers.ts'
import { BALANCE, BALANCE_AMOUNTS } from './account-balance.ts'
import type { LedgerContext } from '../context.ts'

export const accountsBalances = nodeRead({
  name: 'accounts_balances',
  summary: 'Balances of many accounts, keyed by each identifier as given; wrong ones are listed under `errors`.',
  input: input({
    accounts: field.accounts,
    include_only_confirmed: optional(field.flag('Count confirmed blocks only, which is the default.')),
  }),
  example: {
    request: { accounts: ['nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'] },
    response: {
      balances: {
        nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo: {
          balance: '1000000000000000000000000000000',
          balance_nano: '1',
          pending: '0',
          pending_nano: '0',
          receivable: '0',
          receivable_nano: '0',
        },
      },
    },
  },
  output: answer.record({ balances: answer.map(BALANCE), errors: answer.optional(answer.map(answer.text)) }),
  async run(ctx, { accounts, include_only_confirmed }, { names }: LedgerContext) {
    const entries = await readAccounts(names, accounts)
    const wanted = [...new Set(entries.map(({ address }) => address).filter((address) => address !== undefined))]
    const answer = wanted.length
      ? await ctx.node.read('accounts_balances', { accounts: wanted, include_only_confirmed })
      : {}
    const found = toObject(answer.balances)
    const balances: JsonObject = {}
    // Without a prototype, because a key is what the client wrote, which may be `__proto__`.
    const errors: JsonObject = Object.create(null)
    for (const { given, address, error } of entries) {
      if (address === undefined) errors[given] = error
      else {
        const balance = withNano(toObject(found[address]), BALANCE_AMOUNTS)
        balances[given] = given.startsWith('@') ? { ...balance, address } : balance
      }
    }
    return { balances, ...(Object.keys(errors).length > 0 && { errors }) }
  },
})
