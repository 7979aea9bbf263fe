import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type JsonObject, orEmpty, toObject } from '../../../kernel/shape.ts'
import { type LedgerContext, boundedCount } from '../context.ts'

export const representatives = nodeRead({
  name: 'representatives',
  summary: 'Representatives with their voting weight in raw, heaviest first.',
  input: input({
    count: optional(field.count),
    sorting: optional(field.flag('Accepted for compatibility; the answer is always sorted.')),
  }),
  example: {
    request: { count: '1' },
    response: {
      representatives: {
        nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo: '1000000000000000000000000000000',
      },
    },
  },
  output: answer.record({ representatives: answer.orNothing(answer.map(answer.raw)) }),
  async run(ctx, { count }, context: LedgerContext) {
    // Without sorting the node answers in any order and with one entry too many, so sorting is always requested.
    const bound = boundedCount(context, count)
    const answer = await ctx.node.read('representatives', { count: bound, sorting: true })
    const found: JsonObject = Object.fromEntries(
      Object.entries(toObject(answer.representatives)).slice(0, Number(bound)),
    )
    return { representatives: orEmpty(found) }
  },
})
