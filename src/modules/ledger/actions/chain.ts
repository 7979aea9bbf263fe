import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { AppError } from '../../../kernel/errors.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { type LedgerContext, boundedCount } from '../context.ts'

const MIDDLE = '73FE787B09A48954FE7FA453ACE650FE63F46E097B01BDC6DBD67278EEA08FC4'

/** `chain` goes towards the opening block, `successors` towards the newest; otherwise they are the same. */
function followChain(name: 'chain' | 'successors', summary: string, next: string) {
  return nodeRead({
    name,
    summary,
    input: input({
      block: field.hash,
      count: field.count,
      offset: optional(field.offset),
      reverse: optional(field.flag('Go in the other direction.')),
    }),
    example: {
      request: { block: MIDDLE, count: '2' },
      response: { blocks: [MIDDLE, next] },
    },
    output: answer.record({ blocks: answer.orNothing(answer.list(answer.hash)) }),
    async run(ctx, { count, ...rest }, context: LedgerContext) {
      if (count === 0) throw new AppError('invalid_count', 'Invalid count', { body: { field: 'count' } })
      return (await ctx.node.read(name, { ...rest, count: boundedCount(context, count) })) as JsonObject
    },
  })
}

export const chain = followChain(
  'chain',
  'Hashes from a block back to the opening of its account.',
  '04270D7F11C4B2B472F2854C5A59F2A7E84226CE9ED799DE75744BD7D85FC9D9',
)

export const successors = followChain(
  'successors',
  'Hashes from a block forward to the newest of its account.',
  '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419',
)
