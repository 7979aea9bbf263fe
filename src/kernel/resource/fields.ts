import type { TSchema } from 'typebox'
import { answer } from '../answers.ts'
import { badField, missingField } from '../errors.ts'
import { readFreeFlag } from '../free-field.ts'
import { type Json, toObject } from '../shape.ts'
import { INVISIBLE, INVISIBLE_BUT_LINES, given, readPictureUrl, readText, readUrl } from '../shown-fields.ts'
import { callable } from '../parse-fields.ts'
import type { Control, Field, Labelled, Reading, Stored, ValueOf } from './field.ts'
import { type Wrong, attempt, readEach, refuseIfAny, toWrong } from './wrong-fields.ts'

/* The kinds of fields of resources. Modules add kinds that only they can read, such as prices of checkouts. */

type Personal = Field<unknown>['personal']
type Said<T extends Json> = Labelled & { example?: T; personal?: Personal }

/** The defaults of most fields: set by the owner, stored, and shown unchanged. */
const PLAIN = {
  isHidden: false,
  isRequired: false,
  set: 'always',
  isShownInPart: false,
  emptyLeaves: false,
  example: undefined,
  control: undefined,
  column: 'string',
  personal: undefined,
  isSecret: false,
  erased: undefined,
} as const

const same = <T extends Stored>() => ({
  toColumn: (value: T) => value,
  fromColumn: (stored: T) => stored,
  show: (value: T): Json => value,
})

export const asJson = <T extends Json>() => ({
  toColumn: (value: T) => JSON.stringify(value),
  fromColumn: (stored: string) => JSON.parse(stored) as T,
  show: (value: T): Json => value,
})

function neverRead(): never {
  throw new Error('No request sets this field.')
}

type Own<T, C extends Stored> = Pick<Field<T, 'set', C>, 'schema' | 'takes' | 'read'> &
  Partial<Omit<Field<T, 'set', C>, 'kind'>>

/** A field defined by a module; by default stored and shown unchanged. */
export function field<T extends Stored>(options: Own<T, T>): Field<T, 'set', T>
export function field<T, C extends Stored>(
  options: Own<T, C> & Pick<Field<T, 'set', C>, 'toColumn' | 'fromColumn' | 'show'>,
): Field<T, 'set', C>
export function field<T extends Stored>(options: Own<T, T>): Field<T, 'set', T> {
  return { kind: 'set', ...PLAIN, ...same<T>(), ...options }
}

type TextOptions = Said<string> & { max: number; lines?: number }

export function text(options: TextOptions & { required: true }): Field<string, 'set', string>
export function text(options: TextOptions): Field<string | null, 'set', string | null>
export function text(options: TextOptions & { required?: true }): Field<string | null, 'set', string | null> {
  const { max, example, personal, required: isRequired = false, ...labelled } = options
  const schema = isRequired ? answer.text : answer.orNull(answer.text)
  return field<string | null>({
    isRequired,
    column: isRequired ? 'string' : 'string | null',
    schema,
    takes: schema,
    example,
    personal,
    erased: personal === true ? (isRequired ? '' : null) : undefined,
    control: { as: 'text', max, ...labelled },
    read(value, { path }) {
      const read = readText(path, value, max, labelled.lines === undefined ? INVISIBLE : INVISIBLE_BUT_LINES)
      if (isRequired && read === null) throw missingField(path)
      return read
    },
  })
}

/** An https address, which browsers open. */
export const url = (labelled: Labelled) =>
  field<string | null>({
    column: 'string | null',
    schema: answer.orNull(answer.url),
    takes: answer.orNull(answer.text),
    personal: true,
    erased: null,
    control: { as: 'text', type: 'url', ...labelled },
    read: (value, { path, rules: { plainHttpAllowed = false } }) => readUrl(path, value, { plainHttpAllowed }),
  })

/** The address of a picture; forms take a file as well. */
export const picture = (labelled: Labelled) => ({
  ...url(labelled),
  control: { as: 'picture', ...labelled } as const,
  read: (value: unknown, { path, rules: { plainHttpAllowed = false } }: Reading) =>
    readPictureUrl(path, value, { plainHttpAllowed }),
})

/** A whole number from 1, or none. */
export const whole = ({ max, ...labelled }: Labelled & { max: number }) =>
  field<number | null>({
    column: 'number | null',
    schema: answer.orNull(answer.integer),
    takes: answer.integer,
    control: { as: 'text', digits: true, ...labelled },
    read: (value, { path }) => readWhole(path, value, max),
  })

export function readWhole(path: string, value: unknown, max: number): number | null {
  const number = given(value)
  if (number === undefined) return null
  const text = typeof number === 'number' || typeof number === 'string' ? String(number).trim() : ''
  if (/^[1-9][0-9]{0,9}$/.test(text) && Number(text) <= max) return Number(text)
  throw badField(path, `${path} must be a whole number from 1 to ${max}.`)
}

/** Yes or no, by default `otherwise`. */
export const flag = ({ otherwise = false, emptyLeaves = false } = {}) =>
  field<boolean, number>({
    emptyLeaves,
    column: 'number',
    schema: answer.bool,
    takes: answer.bool,
    toColumn: (value) => (value ? 1 : 0),
    fromColumn: (stored) => stored === 1,
    show: (value) => value,
    read: (value, { path }) => readFreeFlag(path, value) ?? otherwise,
  })

/** Several values of one kind. */
export function list<T extends Json>(
  one: { schema: TSchema; read(value: unknown, path: string, reading: Reading): T },
  {
    max,
    of,
    example,
    personal,
    ...labelled
  }: Said<T[]> & { max: number; of: string; one: string; add: string; decimal?: true },
): Field<T[], 'set', string> {
  return field<T[], string>({
    ...asJson<T[]>(),
    schema: answer.list(one.schema),
    takes: answer.list(one.schema),
    example,
    personal,
    erased: personal === true ? '[]' : undefined,
    control: { as: 'list', max, ...labelled },
    read(value, reading) {
      const list = { sent: readList(reading.path, value, max, of), one: labelled.one }
      return readEach(reading.path, list, (each) => one.read(each, reading.path, reading))
    },
  })
}

type Columns = Readonly<Record<string, Field<Json, 'set'>>>
type RowValue<Of extends Columns> = { [K in keyof Of]: ValueOf<Of[K]> & Json }

/**
 * A short table: rows in the form, objects in the API. An empty row of the form is undefined, which JSON cannot
 * express.
 */
export function rows<Of extends Columns>(
  columns: Of,
  { max, one, example, personal, ...control }: Said<RowValue<Of>[]> & { max: number; one: string; add: string },
): Field<RowValue<Of>[], 'set', string> {
  const schemaOf = (which: 'schema' | 'takes') =>
    answer.list(answer.record(Object.fromEntries(Object.entries(columns).map(([name, of]) => [name, of[which]]))))
  function readRow(row: unknown, at: number, reading: Reading, wrong: Wrong[]): RowValue<Of> {
    const path = `${reading.path}[${at}]`
    const label = `${one} ${at + 1}`
    if (typeof row !== 'object' || row === null || Array.isArray(row))
      wrong.push(toWrong({ field: path, label }, `${path} must be an object.`))
    const sent = toObject(row)
    const value: Record<string, unknown> = {}
    for (const [column, of] of Object.entries(columns)) {
      const { label: called = column, formText } = of.control ?? {}
      const place = { field: `${path}.${column}`, label: `${called} ${at + 1}`, formText }
      value[column] = attempt(wrong, place, () => of.read(sent[column], { ...reading, path: place.field }))
    }
    for (const extra of Object.keys(sent)) {
      if (Object.hasOwn(columns, extra) || given(sent[extra]) === undefined) continue
      const name = callable(extra)
      wrong.push(toWrong({ field: `${path}.${name}`, label }, `The field ${path}.${name} is not used here.`))
    }
    return value as RowValue<Of>
  }
  return field<RowValue<Of>[], string>({
    ...asJson<RowValue<Of>[]>(),
    schema: schemaOf('schema'),
    takes: schemaOf('takes'),
    example,
    personal,
    erased: personal === true ? '[]' : undefined,
    control: { as: 'rows', columns, max, one, ...control },
    read(value, reading) {
      const wrong: Wrong[] = []
      const sent = readList(reading.path, value, max, `${one.toLowerCase()}s`)
      const read = sent.flatMap((row, at) => (row === undefined ? [] : [readRow(row, at, reading, wrong)]))
      refuseIfAny(wrong)
      return read
    },
  })
}

/** The input of an object of any members; `like` is an example of one. */
export const membersControl = ({
  like: [name, value],
  ...control
}: Labelled & { max: number; one: string; add: string; like: readonly [string, string] }): Control => ({
  as: 'members',
  columns: {
    name: { control: { as: 'text', label: 'Name', placeholder: name } },
    value: { control: { as: 'text', label: 'Value', placeholder: value } },
  },
  ...control,
})

export function readList(path: string, value: unknown, max: number, of: string): unknown[] {
  const sent = given(value) ?? []
  if (Array.isArray(sent) && sent.length <= max) return sent
  throw badField(path, `${path} must be a list of up to ${max} ${of}.`)
}

/** Read but not stored as it is, such as a PIN. If absent, it is `undefined`. */
export const asked = <T>(
  options: Pick<Field<T>, 'takes' | 'read'> &
    Partial<Pick<Field<T>, 'control' | 'example' | 'wire' | 'isRequired' | 'set'>>,
): Field<T, 'asked', null> => ({
  kind: 'asked',
  ...PLAIN,
  column: 'none',
  isHidden: true,
  schema: options.takes,
  toColumn: () => null,
  fromColumn: neverRead,
  show: () => null,
  ...options,
})

/** Yes, no or absent, which are three different meanings. */
export const askedFlag = () =>
  asked({ takes: answer.bool, read: (value, { path }): boolean | undefined => readFreeFlag(path, value) })

/** Stored, and set only by code. */
export const kept = <T extends Stored>(
  options: Pick<Field<T>, 'schema' | 'column'> & Partial<Omit<Field<T, 'kept', T>, 'kind'>>,
): Field<T, 'kept', T> => ({
  kind: 'kept',
  ...PLAIN,
  ...same<T>(),
  takes: options.schema,
  read: neverRead,
  ...options,
})

export const id = ({ isHidden = false } = {}) => kept<string>({ schema: answer.text, column: 'string', isHidden })
export const count = () => kept<number>({ schema: answer.integer, column: 'number' })
/** A sum of money, which only the gateway changes. */
export const sum = (): Field<bigint, 'kept', string> => ({
  ...id({ isHidden: true }),
  erased: undefined,
  toColumn: String,
  fromColumn: BigInt,
  show: String,
  read: neverRead,
})

/** Stored in a JSON column with other members, as it is shown, and only if it is set. */
export const within = <T extends Json>(column: string, absent: T, of: Field<T, 'set'>) => ({
  ...of,
  column: 'string' as const,
  within: { column, absent },
})

/** Encrypted, or a fingerprint; never shown or exported. */
export const secret = () =>
  kept<string>({ schema: answer.text, column: 'string', isHidden: true, isSecret: true, erased: '' })
export const secretOrNone = () =>
  kept<string | null>({ schema: answer.text, column: 'string | null', isHidden: true, isSecret: true, erased: null })

/** Milliseconds in the store. The API shows seconds since 1970 if the name says so, and otherwise ISO 8601. */
export const unixTime = (wire: `${string}_unix`) =>
  kept<number>({ schema: answer.unix, column: 'number', wire, show: (value) => Math.floor(value / 1000) })
export const isoTime = () =>
  kept<number>({ schema: answer.text, column: 'number', show: (value) => new Date(value).toISOString() })
export const isoTimeOrNone = ({ isHidden = false } = {}) =>
  kept<number | null>({
    schema: answer.orNull(answer.text),
    column: 'number | null',
    isHidden,
    show: (value) => (value === null ? null : new Date(value).toISOString()),
  })
