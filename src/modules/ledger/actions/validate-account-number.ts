import Type from 'typebox'
import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { input } from '../../../kernel/fields.ts'
import { isAddress } from '../../../kernel/nano/address.ts'

/** Old addresses have a dash instead of `_`. */
const OLD_SEPARATOR = /^(nano|xrb)-/

export const validateAccountNumber = nodeRead({
  name: 'validate_account_number',
  summary: 'Whether a text is an address with a valid checksum.',
  input: input({ account: Type.String({ description: 'The text to check.' }) }),
  example: {
    request: { account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo' },
    response: { valid: '1' },
  },
  output: answer.record({ deprecated_account_format: answer.optional(answer.bit), valid: answer.bit }),
  local: true,
  run(_ctx, { account }) {
    if (!isAddress(account)) return { valid: '0' }
    return { ...(OLD_SEPARATOR.test(account) && { deprecated_account_format: '1' }), valid: '1' }
  },
})
