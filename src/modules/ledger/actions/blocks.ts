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
    request: { hashes: ['7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419'] },
    response: {
      blocks: {
        '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419': {
          type: 'state',
          account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
        },
      },
    },
  },
  refusals: ['Block not found'],
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
