import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input } from '../../../kernel/fields.ts'
import { toAddress } from '../../../kernel/nano/address.ts'

export const accountGet = nodeRead({
  name: 'account_get',
  summary: 'The address of a public key.',
  input: input({ key: field.publicKey }),
  example: {
    request: { key: 'B0311EA55708D6A53C75CDBF88300259C6D018522FE3D4D0A242E431F9E8B6D0' },
    response: { account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo' },
  },
  output: answer.record({ account: answer.address }),
  local: true,
  run: (_ctx, { key }) => ({ account: toAddress(key) }),
})
