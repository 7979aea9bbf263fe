import type { TObject, TSchema } from 'typebox'
import { answer } from '../answers.ts'
import type { Scope } from '../scopes.ts'
import type { Json, JsonObject } from '../shape.ts'
import type { Field, FieldKind, FieldsOf, Rules, ValueOf } from './field.ts'
import { id, isoTime, unixTime } from './fields.ts'

/*
 * A noun of the API, declared once. Its record, its row, its JSON, the schema of its answers, what requests may say and its form
 * all follow from one list of fields, each by a function that loops over it.
 */

/** What code works with: every field that is stored. */
export type RecordOf<F extends FieldsOf> = {
  [K in keyof F as F[K] extends Field<unknown, 'asked'> ? never : K]: ValueOf<F[K]>
}
/** What a request says: every field that its sender may set. */
export type ValuesOf<F extends FieldsOf> = {
  [K in keyof F as F[K] extends Field<unknown, 'kept'> ? never : K]: ValueOf<F[K]>
}
/** Its row: columns have the names of the fields in snake case, and flags lose their `is`. */
export type RowOf<F extends FieldsOf> = {
  [K in keyof F & string as F[K] extends Field<unknown, 'asked'> ? never : ColumnName<K>]: F[K] extends Field<
    unknown,
    FieldKind,
    infer C
  >
    ? C
    : never
}
/** Of a noun whose rows stay once it is deleted. */
export interface Marked {
  deleted_at: number | null
}

type ColumnName<K extends string> = K extends `is${infer Rest}`
  ? Rest extends Capitalize<Rest>
    ? Snake<Uncapitalize<Rest>>
    : Snake<K>
  : Snake<K>
type Snake<S extends string> = S extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Rest>}`
  : S

const columnOf = (name: string) =>
  name
    .replace(/^is(?=[A-Z])/, '')
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase())
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** What every noun has. `O` is what its owner is called. */
type WithCommon<F, O extends string> = { id: Field<string, 'kept', string> } & Record<
  O,
  Field<string, 'kept', string>
> &
  F &
  Record<'createdAt' | 'updatedAt', Field<number, 'kept', number>>

/** What answers say beyond the fields, made of the record and the room. */
type Derived<R, Room> = Readonly<Record<string, { as: TSchema; from(record: R, room: Room): Json }>>
/** What no single field can say: the text of a refusal, by the field that it is about. */
type Refusals<F extends FieldsOf> = {
  readonly [K in keyof F]?: (values: Partial<ValuesOf<F>>, held: RecordOf<F> | undefined) => string | undefined
}

interface Declared<F extends FieldsOf, O extends string, Room, T extends string = string> {
  /** What a list of them is called in an answer. */
  plural: string
  table: T
  path: string
  scope: Scope
  tag: string
  owner: O
  /** How moments are written on the wire. */
  times: 'unix' | 'iso'
  /** Whether its row stays, with a mark, once it is deleted. */
  marksDeleted?: true
  rules?(room: Room): Partial<Rules>
  fields: F
  derived?: Derived<RecordOf<WithCommon<F, O>>, Room>
  refuse?: Refusals<WithCommon<F, O>>
}

export interface Resource<F extends FieldsOf, Room, T extends string = string> extends Omit<
  Declared<F, string, Room, T>,
  'fields' | 'rules' | 'derived' | 'refuse'
> {
  fields: F
  rules(room: Room): Partial<Rules>
  derived: Derived<RecordOf<F>, Room>
  refuse: Refusals<F>
  /** The fields in order, each with its names: looked up for every row and every request. */
  named: readonly NamedField[]
}

interface NamedField {
  name: string
  field: Field<unknown>
  wire: string
  column: string
}

export function resource<F extends FieldsOf, O extends string, Room, T extends string>(
  declared: Declared<F, O, Room, T>,
): Resource<WithCommon<F, O>, Room, T> {
  const { derived = {}, refuse = {}, rules = () => ({}), fields, owner, times, ...rest } = declared
  const common = { id: id(), [owner]: id({ isHidden: true }) } as Pick<WithCommon<F, O>, 'id' | O>
  const moments =
    times === 'unix'
      ? { createdAt: unixTime('created_unix'), updatedAt: unixTime('updated_unix') }
      : { createdAt: isoTime(), updatedAt: isoTime() }
  const all = { ...common, ...fields, ...moments }
  const named = Object.entries<Field<unknown>>(all).map(([name, field]): NamedField => {
    const column = columnOf(name)
    return { name, field, column, wire: field.wire ?? column }
  })
  return { ...rest, owner, times, derived, refuse, rules, fields: all, named }
}

/** What is known of a noun wherever its types do not matter. */
export type AnyResource = Pick<Resource<FieldsOf, never>, 'table' | 'owner' | 'marksDeleted' | 'named'>

/** What is stored of it. */
export const storedOf = ({ named }: Pick<AnyResource, 'named'>) => named.filter(({ field }) => field.kind !== 'asked')

/** What its owner sees of it. Secrets are kept and never shown. */
export function show<F extends FieldsOf, Room>(of: Resource<F, Room>, room: Room, record: RecordOf<F>): JsonObject {
  const shown: JsonObject = {}
  const values: Readonly<Record<string, unknown>> = record
  for (const { name, field, wire } of of.named) if (isShown(field)) shown[wire] = field.show(values[name])
  for (const [name, { from }] of Object.entries(of.derived)) shown[name] = from(record, room)
  return shown
}

const isShown = ({ kind, isHidden }: Field<unknown>) => kind !== 'asked' && !isHidden

/** The schema of what `show` answers, with whatever a verb adds. */
export function shownSchema<F extends FieldsOf, Room>(
  of: Resource<F, Room>,
  more: Record<string, TSchema> = {},
): TObject {
  const members = of.named.flatMap(({ field, wire }) => (isShown(field) ? [[wire, field.schema] as const] : []))
  const derived = Object.entries(of.derived).map(([name, { as }]) => [name, as] as const)
  return answer.record({ ...Object.fromEntries([...members, ...derived]), ...more })
}

/** The schema of a request. What is set once may be said again as long as it is the same. */
export function takenSchema(of: Pick<AnyResource, 'named'>, purpose: 'create' | 'change'): TObject {
  const taken = of.named.filter(({ field }) => field.kind !== 'kept')
  return answer.record(
    Object.fromEntries(
      taken.map(({ field: { isRequired, takes }, wire }) => [
        wire,
        purpose === 'create' && isRequired ? takes : answer.optional(takes),
      ]),
    ),
  )
}

/** What a request for a new one may look like. */
export function exampleOf(of: Pick<AnyResource, 'named'>): Json {
  const given = of.named.filter(({ field: { example } }) => example !== undefined)
  return Object.fromEntries(given.map(({ wire, field: { example } }) => [wire, example]))
}
