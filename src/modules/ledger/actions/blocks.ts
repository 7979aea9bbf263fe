import { action } from '../../../kernel/action.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type JsonObject, orEmpty, toObject } from '../../../kernel/shape.ts'
import { requireHashes } from '../identifiers.ts'
import { shapeContents } from '../shape-block.ts'

export const blocks = action({
  name: 'blocks',
  summary: 'The contents of many blocks by hash.',
  input: input({
    hashes: field.hashes,
    json_block: optional(field.flag('False asks for the contents as JSON inside a string.')),
  }),
  example: {
    request: { hashes: ['D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7'] },
    response: { blocks: { D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7: { type: 'state' } } },
  },
  auth: 'none',
  caching: 'immutable',
  async run({ node }, { hashes, json_block }) {
    const wanted = requireHashes(hashes)
    if (wanted.length === 0) return { blocks: '' }
    const answer = await node.read('blocks', { hashes: [...new Set(wanted)], json_block: json_block !== false })
    const found = toObject(answer.blocks)
    const shaped: JsonObject = {}
    hashes.forEach((given, at) => {
      const contents = found[wanted[at]!]
      if (contents !== undefined) shaped[given] = shapeContents(contents)
    })
    return { blocks: orEmpty(shaped) }
  },
})
