import { answer } from '../../kernel/answers.ts'
import { fromAddress, toAddress } from '../../kernel/nano/address.ts'
import type { Control, Labelled } from '../../kernel/resource/field.ts'
import { field } from '../../kernel/resource/fields.ts'
import { type RecordOf, entity } from '../../kernel/resource/resource.ts'
import { textOf } from '../../kernel/shape.ts'
import { given } from '../../kernel/shown-fields.ts'
import type { NameLease } from '../names/index.ts'
import { badChange } from './errors.ts'
import { TEXT_MAX, readLink, readText } from './wire-fields.ts'

/** The fields of a name that people fill in. Requests of programs are read by the actions, by the same functions. */
export const nameForm = entity({
  table: 'name_leases',
  owner: 'accountId',
  key: ['key'],
  fields: {
    address: address({ label: 'Address', hint: 'Payments to this name go here.' }),
    title: text({ label: 'Title' }),
    website: part(readLink, { as: 'text', type: 'url', max: TEXT_MAX, label: 'Website', hint: 'An https URL.' }),
    image: part(readLink, { as: 'picture', label: 'Picture', hint: 'PNG, JPEG or WebP.' }),
    location: text({ label: 'Place' }),
    github: text({ label: 'GitHub', hint: 'Your username there.' }),
    twitter: text({ label: 'X', hint: 'Your username there.' }),
    mastodon: text({ label: 'Mastodon', hint: 'Your username there.' }),
  },
})

type NameRecord = RecordOf<typeof nameForm.fields>

/** A name as its form shows it. */
export function toFormRecord({ address, profile }: NameLease): NameRecord {
  const texts = Object.keys(nameForm.fields).map((name) => [name, textOrNull(profile[name])])
  return { ...(Object.fromEntries(texts) as NameRecord), address }
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)

function part(read: (field: string, value: unknown) => string, control: Control) {
  return field<string | null>({
    column: 'string | null',
    schema: answer.orNull(answer.text),
    takes: answer.text,
    control,
    read: (value, { path }) => (given(value) === undefined ? null : read(path, value)),
  })
}

function text(labelled: Labelled) {
  return part(readText, { as: 'text', max: TEXT_MAX, ...labelled })
}

function address(labelled: Labelled) {
  return field<string>({
    isRequired: true,
    schema: answer.text,
    takes: answer.text,
    control: { as: 'text', ...labelled },
    read(value, { path }) {
      const key = fromAddress(textOf(value))
      if (!key) throw badChange(path, 'Bad account number', 'invalid_account')
      return toAddress(key)
    },
  })
}
