import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { input } from '../../../kernel/fields.ts'
import { showName } from '../name.ts'
import type { Names } from '../../../kernel/ports.ts'

/** A known name (contract 2), with its owner's profile. */
export const KNOWN_NAME = answer.record({
  name: answer.text,
  address: answer.address,
  created: answer.text,
  expires: answer.text,
  created_unix: answer.unix,
  expires_unix: answer.unix,
})

export const known = action({
  name: 'known',
  summary: 'All current usernames and their addresses.',
  input: input({}),
  example: {
    request: {},
    response: [
      {
        name: 'Alice',
        address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
        created: 'November 15, 2026',
        expires: 'November 15, 2027',
        created_unix: 1794700800,
        expires_unix: 1826236800,
      },
    ],
  },
  output: answer.list(KNOWN_NAME),
  auth: 'none',
  scope: 'read',
  readOnly: true,
  local: true,
  run: (_ctx, _input, names: Names) => names.known().map(showName),
})
