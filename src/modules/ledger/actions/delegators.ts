import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { type LedgerContext, boundedCount } from '../context.ts'

export const delegators = nodeRead({
  name: 'delegators',
  summary: 'Accounts that delegate to a representative, with their balances in raw.',
  input: input({
    account: field.account,
    count: optional(field.count),
    threshold: optional(field.threshold),
    start: optional(field.account),
  }),
  example: {
    request: { account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo', count: '1' },
    response: {
      delegators: {
        nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo: '1000000000000000000000000000000',
      },
    },
  },
  output: answer.record({ delegators: answer.orNothing(answer.map(answer.raw)) }),
  async run(ctx, { count, threshold, ...rest }, context: LedgerContext) {
    const bounds = { count: boundedCount(context, count), threshold: threshold?.toString() }
    return (await ctx.node.read('delegators', { ...rest, ...bounds })) as JsonObject
  },
})
