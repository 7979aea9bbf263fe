import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { input } from '../../../kernel/fields.ts'
import type { JsonObject } from '../../../kernel/shape.ts'

export const blockCount = nodeRead({
  name: 'block_count',
  summary: 'How many blocks the ledger holds, under the old and the new names.',
  input: input({}),
  example: {
    request: {},
    response: {
      count: '3',
      unchecked: '0',
      cemented: '3',
      block_count: '3',
      unchecked_count: '0',
      cemented_count: '3',
    },
  },
  output: answer.record({
    count: answer.whole,
    unchecked: answer.whole,
    cemented: answer.whole,
    block_count: answer.whole,
    unchecked_count: answer.whole,
    cemented_count: answer.whole,
  }),
  async run({ node }) {
    const answer = (await node.read('block_count', {})) as JsonObject
    const { count, unchecked, cemented } = answer
    return { ...answer, block_count: count, unchecked_count: unchecked, cemented_count: cemented }
  },
})
