import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import type { JsonObject } from '../../../kernel/shape.ts'

export const receivableExists = action({
  name: 'receivable_exists',
  ofNode: true,
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
  auth: 'none',
  scope: 'read',
  readOnly: true,
  async run({ node }, params) {
    return (await node.read('receivable_exists', params)) as JsonObject
  },
})
