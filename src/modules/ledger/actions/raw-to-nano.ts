import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input } from '../../../kernel/fields.ts'
import { formatNano } from '../../../kernel/money.ts'

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
