import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input } from '../../../kernel/fields.ts'

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
