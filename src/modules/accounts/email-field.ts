import { answer } from '../../kernel/answers.ts'
import { badField } from '../../kernel/errors.ts'
import type { Labelled } from '../../kernel/resource/field.ts'
import { field } from '../../kernel/resource/fields.ts'
import { given } from '../../kernel/shown-fields.ts'

const { orNull } = answer

/** One plain address: nothing that a mail program could read as a list, a name or a line of its own. */
export const EMAIL_PATTERN = '^[^@\\s,;:<>()"\\\\\\x00-\\x1f]{1,64}@[^@\\s,;:<>()"\\\\\\x00-\\x1f]{1,190}$'
const EMAIL = new RegExp(EMAIL_PATTERN)

export function readEmail({ email }: Readonly<Record<string, unknown>>): string {
  if (typeof email !== 'string' || !EMAIL.test(email)) throw badField('email', 'Invalid email', 'invalid_email')
  return email
}

export function email(labelled: Labelled) {
  return field<string | null>({
    column: 'string | null',
    personal: true,
    erased: null,
    schema: orNull(answer.text),
    takes: orNull(answer.text),
    control: { as: 'text', type: 'email', ...labelled },
    read(value, { path }) {
      const address = given(value)
      if (address === undefined) return null
      if (typeof address !== 'string' || !EMAIL.test(address)) throw badField(path, 'Invalid email', 'invalid_email')
      return address
    },
  })
}
