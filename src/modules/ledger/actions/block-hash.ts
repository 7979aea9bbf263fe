import { action } from '../../../kernel/action.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { hashBlock } from '../../../kernel/nano/block.ts'
import { readBlock } from '../read-block.ts'

export const blockHash = action({
  name: 'block_hash',
  summary: 'The hash of a block, computed here.',
  input: input({ block: field.block, json_block: optional(field.flag('Accepted for compatibility.')) }),
  example: {
    request: { block: { type: 'state' } },
    response: { hash: 'D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7' },
  },
  auth: 'none',
  caching: 'local',
  run: (_ctx, { block }) => ({ hash: hashBlock(readBlock(block)) }),
})
