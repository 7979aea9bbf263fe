import { action } from '../../kernel/action.ts'
import { answer } from '../../kernel/answers.ts'
import { AppError } from '../../kernel/errors.ts'
import { field, input, optional } from '../../kernel/fields.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import { boundedCount } from './count.ts'
import type { LedgerRoom } from './room.ts'

const MIDDLE = '73FE787B09A48954FE7FA453ACE650FE63F46E097B01BDC6DBD67278EEA08FC4'

/** `chain` walks towards the opening block, `successors` towards the newest; they differ in nothing else. */
export function walk(name: 'chain' | 'successors', summary: string, next: string) {
  return action({
    name,
    ofNode: true,
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
    auth: 'none',
    scope: 'read',
    readOnly: true,
    async run(ctx, { count, ...rest }, room: LedgerRoom) {
      if (count === 0) throw new AppError('invalid_count', 'Invalid count', { body: { field: 'count' } })
      return (await ctx.node.read(name, { ...rest, count: boundedCount(room, count) })) as JsonObject
    },
  })
}
