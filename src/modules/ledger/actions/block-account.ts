import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input } from '../../../kernel/fields.ts'
import type { JsonObject } from '../../../kernel/shape.ts'

export const blockAccount = action({
  name: 'block_account',
  summary: 'The account a block belongs to.',
  input: input({ hash: field.hash }),
  example: {
    request: { hash: 'D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7' },
    response: { account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo' },
  },
  output: answer.record({ account: answer.address }),
  auth: 'none',
  caching: 'never',
  async run({ node }, params) {
    return (await node.read('block_account', params)) as JsonObject
  },
})
