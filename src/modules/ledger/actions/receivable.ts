import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import type { Names } from '../../../kernel/ports.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type Json, type JsonObject, orEmpty, toObject, withNano } from '../../../kernel/shape.ts'
import { type LedgerContext, boundedCount } from '../context.ts'
import { withUsername } from '../blocks.ts'

export const WAITING = answer.record({
  amount: answer.raw,
  amount_nano: answer.nano,
  source: answer.address,
  username: answer.optional(answer.text),
})

export const receivable = nodeRead({
  name: 'receivable',
  synonyms: ['pending'],
  summary: 'Sends to an account that it has not received yet. With `array` the answer is a list of objects.',
  input: input({
    account: field.account,
    count: optional(field.count),
    offset: optional(field.offset),
    threshold: optional(field.threshold),
    source: optional(field.flag('Include the sender of each.')),
    min_version: optional(field.flag('Include the epoch each needs.')),
    sorting: optional(field.flag('Largest first.')),
    include_active: optional(field.flag('Include blocks in an open election.')),
    include_only_confirmed: optional(field.flag('Confirmed sends only, which is the default.')),
    array: optional(field.flag('Answer with a list of objects.')),
  }),
  example: {
    request: {
      account: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
      count: '10',
      array: true,
    },
    response: [
      {
        hash: 'D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7',
        source: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
        amount: '1000000000000000000000000000000000',
        amount_nano: '1000',
      },
    ],
  },
  output: answer.oneOf(
    answer.list(answer.record({ hash: answer.hash, ...WAITING.properties })),
    answer.record({
      blocks: answer.orNothing(
        answer.oneOf(answer.list(answer.hash), answer.map(answer.oneOf(answer.raw, WAITING, answer.object))),
      ),
    }),
  ),
  async run(ctx, { array, count, threshold, source, ...rest }, context: LedgerContext) {
    const answer = await ctx.node.read('receivable', {
      ...rest,
      count: boundedCount(context, count),
      threshold: threshold?.toString(),
      source: array === true ? true : source,
    })
    const blocks = toObject(answer.blocks)
    if (array === true) {
      return Object.entries(blocks).map(([hash, details]) => ({
        hash,
        ...toObject(withDetails(context.names, details)),
      }))
    }
    if (typeof answer.blocks !== 'object') return { ...(answer as JsonObject), blocks: '' }
    if (Array.isArray(answer.blocks)) return answer as JsonObject
    const shaped: JsonObject = {}
    for (const [hash, details] of Object.entries(blocks)) shaped[hash] = withDetails(context.names, details)
    return { ...(answer as JsonObject), blocks: orEmpty(shaped) }
  },
})

/** Adds the `_nano` counterpart and username to an object; a plain amount stays as the node wrote it. */
export function withDetails<T extends Json | undefined>(names: Names, details: T): T | JsonObject {
  if (typeof details !== 'object' || details === null) return details
  return withUsername(names, withNano(toObject(details), ['amount']), 'source')
}
