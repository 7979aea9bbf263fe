import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { shapeBlock } from '../blocks.ts'
import { CONTENTS, EXAMPLE_CONTENTS } from './blocks.ts'

export const BLOCK = answer.record({
  block_account: answer.address,
  amount: answer.optional(answer.raw),
  amount_nano: answer.optional(answer.nano),
  balance: answer.raw,
  balance_nano: answer.nano,
  height: answer.whole,
  local_timestamp: answer.whole,
  successor: answer.hash,
  confirmed: answer.flag,
  subtype: answer.optional(answer.text),
  contents: CONTENTS,
})

export const EXAMPLE_BLOCK = {
  block_account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
  amount: '0',
  amount_nano: '0',
  balance: '340282366920938463463374607431768211455',
  balance_nano: '340282366.920938463463374607431768211455',
  height: '3',
  local_timestamp: '1794710042',
  successor: 'D0E790C69A92988659F6DBD6E24ACB1714FCB7F5DD59E6C02F83C7B525823D40',
  confirmed: 'true',
  contents: EXAMPLE_CONTENTS,
  subtype: 'epoch',
}

export const blockInfo = nodeRead({
  name: 'block_info',
  synonyms: ['block'],
  summary: 'One block with its amount, height, confirmation and contents.',
  input: input({
    hash: field.hash,
    json_block: optional(field.flag('`false` returns the contents as JSON inside a string.')),
  }),
  example: {
    request: { hash: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419' },
    response: EXAMPLE_BLOCK,
  },
  output: BLOCK,
  refusals: ['Block not found'],
  async run({ node }, { hash, json_block }) {
    const asText = json_block === false
    return shapeBlock((await node.read('block_info', { hash, json_block: !asText })) as JsonObject)
  },
})
