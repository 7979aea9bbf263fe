import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { badField } from '../../../kernel/errors.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { orEmpty, toObject, type JsonObject, withNano } from '../../../kernel/shape.ts'
import { type LedgerContext, boundedCount } from '../context.ts'
import { requireAccounts } from '../identifiers.ts'

export const frontiers = nodeRead({
  name: 'frontiers',
  summary: 'Accounts in the order of their public keys, from this one on, each with its last block.',
  input: input({ account: field.account, count: field.count }),
  example: {
    request: { account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo', count: '1' },
    response: {
      frontiers: {
        nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo:
          '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419',
      },
    },
  },
  output: answer.record({ frontiers: answer.orNothing(answer.map(answer.hash)) }),
  async run({ node }, { account, count }, context: LedgerContext) {
    if (count === 0) throw badField('count', 'Invalid count', 'invalid_count')
    const answer = await node.read('frontiers', { account, count: boundedCount(context, count) })
    return { frontiers: orEmpty(toObject(answer.frontiers)) }
  },
})

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
