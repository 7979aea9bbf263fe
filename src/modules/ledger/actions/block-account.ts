import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input } from '../../../kernel/fields.ts'

export const blockAccount = nodeRead({
  name: 'block_account',
  summary: 'The account a block belongs to.',
  input: input({ hash: field.hash }),
  example: {
    request: { hash: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419' },
    response: { account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo' },
  },
  output: answer.record({ account: answer.address }),
  refusals: ['Block not found'],
})
