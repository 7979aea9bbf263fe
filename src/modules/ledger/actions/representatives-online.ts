import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type JsonObject, toObject, withNano } from '../../../kernel/shape.ts'
import { requireAccounts } from '../identifiers.ts'
import type { LedgerContext } from '../context.ts'

export const representativesOnline = nodeRead({
  name: 'representatives_online',
  summary: 'Representatives that voted recently.',
  input: input({
    weight: optional(field.flag('Include the weight of each.')),
    accounts: optional(field.accounts),
  }),
  example: {
    request: {},
    response: { representatives: ['nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'] },
  },
  output: answer.record({
    representatives: answer.orNothing(
      answer.oneOf(
        answer.list(answer.address),
        answer.map(answer.record({ weight: answer.raw, weight_nano: answer.nano })),
      ),
    ),
  }),
  async run(ctx, { weight, accounts }, { names }: LedgerContext) {
    const filter = accounts && { accounts: await requireAccounts(names, accounts) }
    const answer = (await ctx.node.read('representatives_online', { weight, ...filter })) as JsonObject
    if (typeof answer.representatives !== 'object' || Array.isArray(answer.representatives)) return answer
    const shaped: JsonObject = {}
    for (const [address, entry] of Object.entries(toObject(answer.representatives))) {
      shaped[address] = withNano(toObject(entry), ['weight'])
    }
    return { representatives: shaped }
  },
})
