import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { hashBlock } from '../../../kernel/nano/block.ts'
import { readBlock } from '../blocks.ts'

export const blockHash = nodeRead({
  name: 'block_hash',
  summary: 'The hash of a block, computed here.',
  input: input({ block: field.block, json_block: optional(field.flag('Accepted for compatibility.')) }),
  example: {
    request: {
      block: {
        type: 'state',
        account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
        previous: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419',
        representative: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
        balance: '340281366920938463463374607431768211455',
        link: 'AD1AB65F341723E167F551D1C0EBC9CF000888E522D427563C3C2850513FDF0C',
        signature:
          '3DEF878CFD1BE5A240F05CB393C8DA960F20696B745519F09D59CCA2EE67CA0C7C19EEEFE3CE02C5EA0BEE7416D0F2FE857DB5160F08DAE91365417A4DB2DA05',
        work: '008f36b9cce86315',
      },
    },
    response: { hash: 'D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7' },
  },
  output: answer.record({ hash: answer.hash }),
  local: true,
  run: (_ctx, { block }) => ({ hash: hashBlock(readBlock(block)) }),
})
