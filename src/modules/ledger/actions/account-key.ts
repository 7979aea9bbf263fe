import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input } from '../../../kernel/fields.ts'
import { fromAddress } from '../../../kernel/nano/address.ts'

export const accountKey = nodeRead({
  name: 'account_key',
  summary: 'The public key of an address.',
  input: input({ account: field.account }),
  example: {
    request: { account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo' },
    response: { key: 'B0311EA55708D6A53C75CDBF88300259C6D018522FE3D4D0A242E431F9E8B6D0' },
  },
  output: answer.record({ key: answer.key }),
  local: true,
  run: (_ctx, { account }) => ({ key: fromAddress(account)! }),
})
