import { badField, missingField } from '../../../kernel/errors.ts'
import { readFreeFlag } from '../../../kernel/free-field.ts'
import { textOf } from '../../../kernel/shape.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { readKinds } from './endpoint.ts'

const UNIX_MAX = 99_999_999_999

export interface AskedReplay {
  from: number
  to: number | undefined
  events: string[] | undefined
  /** Only events that the endpoint has not accepted yet. */
  missedOnly: boolean
}

export function readReplay(
  { from_unix: from, to_unix: to, events, missed }: Readonly<Record<string, unknown>>,
  kinds: readonly string[],
): AskedReplay {
  if (given(from) === undefined) throw missingField('from_unix')
  const until = given(to) === undefined ? undefined : readUnix('to_unix', to)
  const since = readUnix('from_unix', from)
  if (until !== undefined && until < since) throw badField('to_unix', 'to_unix is before from_unix.')
  return {
    from: since * 1000,
    to: until === undefined ? undefined : until * 1000 + 999,
    events: given(events) === undefined ? undefined : readKinds('events', events, kinds),
    missedOnly: readFreeFlag('missed', missed) ?? false,
  }
}

function readUnix(field: string, value: unknown): number {
  const text = textOf(value)
  const seconds = /^\d{1,11}$/.test(text) ? Number(text) : NaN
  if (!(seconds <= UNIX_MAX)) throw badField(field, `${field} must be seconds since 1970.`)
  return seconds
}
