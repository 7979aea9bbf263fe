import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type JsonObject, orEmpty, toObject } from '../../../kernel/shape.ts'
import { requireHashes } from '../identifiers.ts'
import { shapeContents } from '../shape-block.ts'

/** An object, or JSON in a text if that was asked for. Blocks older than state blocks have other members. */
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
  previous: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419',
  representative: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
  balance: '340281366920938463463374607431768211455',
  balance_nano: '340281366.920938463463374607431768211455',
  link: 'AD1AB65F341723E167F551D1C0EBC9CF000888E522D427563C3C2850513FDF0C',
  link_as_account: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
  signature:
    '3DEF878CFD1BE5A240F05CB393C8DA960F20696B745519F09D59CCA2EE67CA0C7C19EEEFE3CE02C5EA0BEE7416D0F2FE857DB5160F08DAE91365417A4DB2DA05',
  work: '008f36b9cce86315',
}

export const blocks = action({
  name: 'blocks',
  summary: 'The contents of many blocks by hash.',
  input: input({
    hashes: field.hashes,
    json_block: optional(field.flag('False asks for the contents as JSON inside a string.')),
  }),
  example: {
    request: { hashes: ['D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7'] },
    response: { blocks: { D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7: EXAMPLE_CONTENTS } },
  },
  output: answer.record({ blocks: answer.orNothing(answer.map(CONTENTS)) }),
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
