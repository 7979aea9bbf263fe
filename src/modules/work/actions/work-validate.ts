import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { formatMultiplier, formatWork, fromMultiplier, toMultiplier, workValue } from '../../../kernel/nano/work.ts'
import type { WorkContext } from '../context.ts'

export const workValidate = action({
  name: 'work_validate',
  ofNode: true,
  summary: 'How strong a work value is for a root, and whether it is enough.',
  input: input({
    hash: field.hash,
    work: optional(field.work),
    difficulty: optional(field.difficulty),
    multiplier: optional(field.multiplier),
  }),
  example: {
    request: {
      hash: 'BC955907A25186B1E55B353AEC452E21844369A44A2C6C9CCBAA5E2599698B02',
      work: '00e6c33b01abcb0d',
      difficulty: 'ffc0000000000000',
    },
    response: {
      valid: '1',
      valid_all: '1',
      valid_receive: '1',
      difficulty: 'ffe7fd77818c4744',
      multiplier: '2.665567649521668',
    },
  },
  output: answer.record({
    valid: answer.optional(answer.bit),
    valid_all: answer.bit,
    valid_receive: answer.bit,
    difficulty: answer.work,
    multiplier: answer.decimal,
  }),
  auth: 'none',
  scope: 'work',
  asNode: { fields: ['version'] },
  readOnly: true,
  local: true,
  run(_ctx, { hash, work = '0', difficulty, multiplier }, { thresholds }: WorkContext) {
    const value = workValue(hash, work.padStart(16, '0'))
    const answer: JsonObject = {}
    // The multiplier overrides the difficulty, as in the node; unlike the node, the answer has `valid` in both cases.
    const wanted =
      multiplier !== undefined
        ? fromMultiplier(multiplier, thresholds.send)
        : difficulty !== undefined
          ? BigInt(`0x${difficulty}`)
          : undefined
    if (wanted !== undefined) answer.valid = value >= wanted ? '1' : '0'
    return {
      ...answer,
      valid_all: value >= thresholds.send ? '1' : '0',
      valid_receive: value >= thresholds.receive ? '1' : '0',
      difficulty: formatWork(value),
      multiplier: formatMultiplier(toMultiplier(value, thresholds.send)),
    }
  },
})
