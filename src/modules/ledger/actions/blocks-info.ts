import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { LedgerRefusal } from '../../../kernel/errors.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type JsonObject, orEmpty, toObject } from '../../../kernel/shape.ts'
import { requireHashes } from '../identifiers.ts'
import { shapeBlock } from '../blocks.ts'
import { BLOCK, EXAMPLE_BLOCK } from './block-info.ts'

export const blocksInfo = nodeRead({
  name: 'blocks_info',
  summary: 'Many blocks by hash. An unknown hash fails the request, unless `include_not_found` lists them instead.',
  input: input({
    hashes: field.hashes,
    json_block: optional(field.flag('`false` returns the contents as JSON inside a string.')),
    pending: optional(field.flag('Old name of `receivable`.')),
    receivable: optional(field.flag('Include whether each is still receivable.')),
    receive_hash: optional(field.flag('Include the block that received each.')),
    source: optional(field.flag('Include the sender of each.')),
    include_not_found: optional(field.flag('List unknown hashes under `blocks_not_found`.')),
  }),
  example: {
    request: { hashes: ['7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419'], source: true },
    response: {
      blocks: {
        '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419': { ...EXAMPLE_BLOCK, source_account: '0' },
      },
    },
  },
  output: answer.record({
    blocks: answer.orNothing(
      answer.map(
        answer.record({
          ...BLOCK.properties,
          receive_hash: answer.optional(answer.hash),
          source_account: answer.optional(answer.text),
        }),
      ),
    ),
    blocks_not_found: answer.optional(answer.orNothing(answer.list(answer.text))),
  }),
  refusals: ['Block not found'],
  async run({ node }, { hashes, json_block, pending, receivable, include_not_found, ...rest }) {
    const wanted = requireHashes(hashes)
    if (wanted.length === 0) return { blocks: '', ...(include_not_found && { blocks_not_found: '' }) }
    // Always requested, so that a missing hash is never dropped silently (contract 4.1).
    const answer = await node.read('blocks_info', {
      hashes: [...new Set(wanted)],
      json_block: json_block !== false,
      receivable: receivable ?? pending,
      ...rest,
      include_not_found: true,
    })
    const found = toObject(answer.blocks)
    const blocks: JsonObject = {}
    const missing: string[] = []
    hashes.forEach((given, at) => {
      const block = found[wanted[at]!]
      if (block === undefined) missing.push(given)
      else blocks[given] = shapeBlock(toObject(block))
    })
    if (missing.length > 0 && !include_not_found) throw new LedgerRefusal('Block not found')
    return {
      blocks: orEmpty(blocks),
      ...(include_not_found && { blocks_not_found: missing.length > 0 ? missing : '' }),
    }
  },
})
