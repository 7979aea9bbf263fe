import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input } from '../../../kernel/fields.ts'
import { fromAddress, toAddress, isAddress } from '../../../kernel/nano/address.ts'
import Type from 'typebox'
import { formatNano } from '../../../kernel/money.ts'

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

export const nanoToRaw = nodeRead({
  name: 'nano_to_raw',
  summary: 'Nano to raw, exact to the last of 30 decimals.',
  input: input({ amount: field.nanoAmount }),
  example: {
    request: { amount: '1.5' },
    response: { raw: '1500000000000000000000000000000', amount: '1500000000000000000000000000000' },
  },
  output: answer.record({ raw: answer.raw, amount: answer.raw }),
  local: true,
  asNode: { names: ['mnano_to_raw', 'mrai_to_raw', 'knano_to_raw', 'krai_to_raw', 'rai_to_raw'] },
  run: (_ctx, { amount }) => ({ raw: `${amount}`, amount: `${amount}` }),
})

export const rawToNano = nodeRead({
  name: 'raw_to_nano',
  summary: 'Raw to nano, exact to the last of 30 decimals.',
  input: input({ amount: field.rawAmount }),
  example: { request: { amount: '1500000000000000000000000000000' }, response: { nano: '1.5', amount: '1.5' } },
  output: answer.record({ nano: answer.nano, amount: answer.nano }),
  local: true,
  asNode: { names: ['mnano_from_raw', 'mrai_from_raw', 'knano_from_raw', 'krai_from_raw', 'rai_from_raw'] },
  run: (_ctx, { amount }) => ({ nano: formatNano(amount), amount: formatNano(amount) }),
})
