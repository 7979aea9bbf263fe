import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { input } from '../../../kernel/fields.ts'
import type { Names } from '../../../kernel/ports.ts'

export const aliases = action({
  name: 'aliases',
  summary: 'Names of well-known accounts.',
  input: input({}),
  example: {
    request: {},
    response: [{ account: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8', alias: 'Alice’s Shop' }],
  },
  output: answer.list(answer.record({ account: answer.address, alias: answer.text })),
  auth: 'none',
  scope: 'read',
  readOnly: true,
  local: true,
  run: (_ctx, _input, names: Names) => [...names.aliases()],
})
