import { isDate } from '../../../kernel/calendar.ts'
import { badField } from '../../../kernel/errors.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { KINDS } from './sentences.ts'
import type { DeedFilter } from './store.ts'

const DAY = 86_400_000

/** The names of what a list of deeds can be narrowed by. */
export const FILTERS = ['person', 'kind', 'from', 'to'] as const

/** What was asked for of a list; what means nothing is refused by its name. */
export function readFilter(accountId: string, asked: Readonly<Record<string, unknown>>): DeedFilter {
  const kind = textOf('kind', asked.kind)
  if (kind !== undefined && !Object.hasOwn(KINDS, kind))
    throw badField('kind', `kind must be one of ${Object.keys(KINDS).join(', ')}.`)
  const person = textOf('person', asked.person)
  if (person !== undefined && !/^\w{1,60}$/.test(person))
    throw badField('person', 'person must be the id of a person or a key.')
  const end = readDay('to', asked.to)
  return {
    accountId,
    actor: person,
    kind,
    from: readDay('from', asked.from),
    // The last day counts as a whole.
    to: end === undefined ? undefined : end + DAY,
  }
}

function textOf(name: string, value: unknown): string | undefined {
  const text = given(value)
  if (text !== undefined && typeof text !== 'string') throw badField(name, `${name} must be a text.`)
  return text
}

function readDay(name: string, value: unknown): number | undefined {
  const text = textOf(name, value)
  if (text === undefined) return undefined
  if (!isDate(text)) throw badField(name, `${name} must be a date such as 2027-01-31.`)
  return Date.parse(text)
}
