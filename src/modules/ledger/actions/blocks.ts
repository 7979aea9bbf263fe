import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { LedgerRefusal } from '../../../kernel/errors.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type JsonObject, orEmpty, toObject } from '../../../kernel/shape.ts'
import { requireHashes } from '../identifiers.ts'
import { shapeContents } from '../blocks.ts'

/** An object, or a JSON text if requested. Blocks from before state blocks have other members. */
export const CONTENTS = answer.oneOf(
  answer.record({
    type: answer.words('state'),
    account: answer.address,
    previous: answer.hash,
    representative: answer.address,
    balance: answer.raw,
    balance_nano: answer.nano,
    link: answer.hash,
    link_as_account: answer.address,
    signature: answer.text,
    work: answer.work,
  }),
  answer.record({ type: answer.words('send', 'receive', 'open', 'change') }),
  answer.text,
)

export const EXAMPLE_CONTENTS = {
  type: 'state',
  account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
  previous: '73FE787B09A48954FE7FA453ACE650FE63F46E097B01BDC6DBD67278EEA08FC4',
  representative: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
  balance: '340282366920938463463374607431768211455',
  balance_nano: '340282366.920938463463374607431768211455',
  link: '65706F636820763220626C6F636B000000000000000000000000000000000000',
  link_as_account: 'nano_1sdifxjpia5p8ai86u5hefoi1111111111111111111111111111ngspq7ps',
  signature:
    '8AD459520EFA40CFB8D99832F8BF324BEC65077ED960AF5992B9795F3D0CE3615762905F6192E6102F9C23094231C613112CDFCDDDA7D4AC5BBE37F5A819F909',
  work: '00d65ebd21839e17',
}

export const blocks = nodeRead({
  name: 'blocks',
  summary:
    'The contents of many blocks by hash. An unknown hash fails the request, unless `include_not_found` lists them instead.',
  input: input({
    hashes: field.hashes,
    json_block: optional(field.flag('`false` returns the contents as JSON inside a string.')),
    include_not_found: optional(field.flag('List unknown hashes under `blocks_not_found`.')),
  }),
  example: {
    request: { hashes: ['7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419'] },
    response: { blocks: { '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419': EXAMPLE_CONTENTS } },
  },
  output: answer.record({
    blocks: answer.orNothing(answer.map(CONTENTS)),
    blocks_not_found: answer.optional(answer.orNothing(answer.list(answer.text))),
  }),
  refusals: ['Block not found'],
  async run({ node }, { hashes, json_block, include_not_found: lists }) {
    const wanted = requireHashes(hashes)
    if (wanted.length === 0) return { blocks: '', ...(lists && { blocks_not_found: '' }) }
    const asked = { hashes: [...new Set(wanted)], json_block: json_block !== false }
    // The node lists unknown hashes in `blocks_info` alone.
    const answer = await (lists
      ? node.read('blocks_info', { ...asked, include_not_found: true })
      : node.read('blocks', asked))
    const found = toObject(answer.blocks)
    const blocks: JsonObject = {}
    const missing: string[] = []
    hashes.forEach((given, at) => {
      const block = found[wanted[at]!]
      if (block === undefined) missing.push(given)
      else blocks[given] = shapeContents(lists ? toObject(block).contents! : block)
    })
    if (missing.length > 0 && !lists) throw new LedgerRefusal('Block not found')
    return { blocks: orEmpty(blocks), ...(lists && { blocks_not_found: missing.length > 0 ? missing : '' }) }
  },
})
