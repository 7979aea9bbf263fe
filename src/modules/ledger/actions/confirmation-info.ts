import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type JsonObject, toObject, withNano } from '../../../kernel/shape.ts'
import { shapeBlock } from '../blocks.ts'

export const confirmationInfo = nodeRead({
  name: 'confirmation_info',
  summary: 'The open election for a root.',
  input: input({
    root: field.root,
    contents: optional(field.flag('Include the blocks, which is the default.')),
    json_block: optional(field.flag('Return blocks as objects.')),
    representatives: optional(field.flag('Include who voted.')),
  }),
  example: {
    request: { root: '0'.repeat(128) },
    response: {
      announcements: '0',
      voters: '1',
      last_winner: '86FD1448C6B15524D417B0CA6296E501E260ADE857AB37D045113CE118411280',
      total_tally: '0',
      total_tally_nano: '0',
      final_tally: '0',
      final_tally_nano: '0',
      blocks: {
        '86FD1448C6B15524D417B0CA6296E501E260ADE857AB37D045113CE118411280': { tally: '0', tally_nano: '0' },
      },
    },
  },
  output: answer.record({
    announcements: answer.whole,
    voters: answer.whole,
    last_winner: answer.hash,
    total_tally: answer.raw,
    total_tally_nano: answer.nano,
    final_tally: answer.raw,
    final_tally_nano: answer.nano,
    blocks: answer.map(answer.record({ tally: answer.raw, tally_nano: answer.nano })),
  }),
  refusals: ['Active confirmation not found'],
  async run({ node }, params) {
    const answer = withNano((await node.read('confirmation_info', params)) as JsonObject, [
      'total_tally',
      'final_tally',
    ])
    const blocks: JsonObject = {}
    for (const [hash, entry] of Object.entries(toObject(answer.blocks))) {
      blocks[hash] = shapeBlock(withNano(toObject(entry), ['tally']))
    }
    return { ...answer, blocks }
  },
})
