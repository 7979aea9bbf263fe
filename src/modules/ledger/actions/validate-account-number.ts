import Type from 'typebox'
import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { input } from '../../../kernel/fields.ts'
import { isAddress } from '../../../kernel/nano/address.ts'

export const validateAccountNumber = action({
  name: 'validate_account_number',
  ofNode: true,
  summary: 'Whether a text is an address with a right checksum.',
  input: input({ account: Type.String({ description: 'The text to check.' }) }),
  example: {
    request: { account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo' },
    response: { valid: '1' },
  },
  output: answer.record({ valid: answer.bit }),
  auth: 'none',
  caching: 'local',
  run: (_ctx, { account }) => ({ valid: isAddress(account) ? '1' : '0' }),
})
