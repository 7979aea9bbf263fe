import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { AppError } from '../../../kernel/errors.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { boundedCount } from '../count.ts'

/** `chain` walks towards the opening block, `successors` towards the newest; they differ in nothing else. */
function walk(name: 'chain' | 'successors', summary: string) {
  return action({
    name,
    summary,
    input: input({
      block: field.hash,
      count: field.count,
      offset: optional(field.offset),
      reverse: optional(field.flag('Walk the other way.')),
    }),
    example: {
      request: { block: 'D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7', count: '1' },
      response: { blocks: ['D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7'] },
    },
    output: answer.record({ blocks: answer.orNothing(answer.list(answer.hash)) }),
    auth: 'none',
    caching: 'never',
    async run(ctx, { count, ...rest }) {
      if (count === 0) throw new AppError('invalid_count', 'Invalid count', { body: { field: 'count' } })
      return (await ctx.node.read(name, { ...rest, count: boundedCount(ctx, count) })) as JsonObject
    },
  })
}

export const chain = walk('chain', 'Hashes from a block back towards the opening of its account.')
export const successors = walk('successors', 'Hashes from a block on towards the newest of its account.')
