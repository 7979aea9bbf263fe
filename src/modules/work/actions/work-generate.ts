import Type from 'typebox'
import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { readWorkQuestion, refuseEnough } from '../../../kernel/nano/node-work.ts'
import { formatMultiplier, formatWork, toMultiplier } from '../../../kernel/nano/work.ts'
import { type FoundWork } from '../../../kernel/work-port.ts'
import { readBlock } from '../../ledger/index.ts'
import { findWork, requireRoot, subtypeOf, wantedDifficulty } from '../find-work.ts'
import { type WorkContext, requireWork } from '../context.ts'

export const workGenerate = action({
  name: 'work_generate',
  ofNode: true,
  summary: 'Proof of work for the root of the next block.',
  input: input({
    hash: field.hash,
    difficulty: optional(field.difficulty),
    multiplier: optional(field.multiplier),
    subtype: optional(field.subtype),
    block: optional(field.block),
  }),
  example: {
    request: { hash: 'BC955907A25186B1E55B353AEC452E21844369A44A2C6C9CCBAA5E2599698B02' },
    response: {
      hash: 'BC955907A25186B1E55B353AEC452E21844369A44A2C6C9CCBAA5E2599698B02',
      work: '368f9adc899e97d3',
      difficulty: 'ffdb8368978adbff',
      multiplier: '1.754064516082585',
      frontier: 'BC955907A25186B1E55B353AEC452E21844369A44A2C6C9CCBAA5E2599698B02',
      duration: '0.021s',
      credits: 0,
      cached: false,
    },
  },
  output: answer.record({
    hash: answer.hash,
    work: answer.work,
    difficulty: answer.work,
    multiplier: answer.decimal,
    frontier: answer.hash,
    duration: Type.String({ pattern: '^[0-9]+\\.[0-9]{3}s$', description: 'Seconds.' }),
    credits: answer.integer,
    cached: answer.bool,
  }),
  meter: 'work',
  errors: {
    invalid_difficulty: 'More than this gateway computes, or less than any block needs.',
    invalid_block: 'The root of `block` is not `hash`.',
    no_work: 'Every source of work is busy or unavailable.',
  },
  refusals: ['Cancelled'],
  auth: 'none',
  scope: 'work',
  check({ hash, block, ...asked }, context: WorkContext) {
    if (block !== undefined && asked.subtype === undefined) requireRoot(readBlock(block), hash)
    wantedDifficulty(context, asked)
  },
  async run(ctx, { hash, block, ...asked }, context: WorkContext) {
    const startedAt = ctx.store.clock.now()
    const subtype = asked.subtype ?? (block === undefined ? undefined : await subtypeOf(ctx, hash, readBlock(block)))
    const threshold = wantedDifficulty(context, { ...asked, subtype })
    const { found, credits, cached } = await findWork(ctx, context, { root: hash, threshold })
    const duration = `${((ctx.store.clock.now() - startedAt) / 1000).toFixed(3)}s`
    return { ...toNodeAnswer(context, hash, found), frontier: hash, duration, credits, cached }
  },
  asNode: {
    check({ request }, { thresholds, work }: WorkContext) {
      requireWork(work)
      const { root, block, difficulty, isNamed } = readWorkQuestion(request, thresholds)
      if (isNamed) refuseEnough(root, block, difficulty)
    },
    async run(ctx, { request }, context: WorkContext) {
      const { root, block, difficulty: asked, isNamed } = readWorkQuestion(request, context.thresholds)
      const isOpen = block === undefined || isNamed
      const difficulty = isOpen ? asked : wantedDifficulty(context, { subtype: await subtypeOf(ctx, root, block) })
      refuseEnough(root, block, difficulty)
      return toNodeAnswer(context, root, (await findWork(ctx, context, { root, threshold: difficulty })).found)
    },
  },
})

function toNodeAnswer({ thresholds }: WorkContext, hash: string, { work, value }: FoundWork) {
  return {
    hash,
    work,
    difficulty: formatWork(value),
    multiplier: formatMultiplier(toMultiplier(value, thresholds.send)),
  }
}
