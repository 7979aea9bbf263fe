import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'

export const receivableExists = nodeRead({
  name: 'receivable_exists',
  synonyms: ['pending_exists'],
  summary: 'Whether a send is still receivable.',
  input: input({
    hash: field.hash,
    include_active: optional(field.flag('Include blocks in an open election.')),
    include_only_confirmed: optional(field.flag('Confirmed sends only, which is the default.')),
  }),
  example: {
    request: { hash: 'D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7' },
    response: { exists: '1' },
  },
  output: answer.record({ exists: answer.bit }),
  refusals: ['Block not found'],
})
