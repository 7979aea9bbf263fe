import type { TObject, TSchema } from 'typebox'
import { answer } from '../answers.ts'
import type { Scope } from '../rights.ts'
import type { Json, JsonObject } from '../shape.ts'
import type { Field, FieldKind, FieldsOf, Rules, ValueOf } from './field.ts'
import { id, isoTime, unixTime } from './fields.ts'

/*
 * A resource of the API, declared once. Its record, row, JSON, schemas, validation and form follow from one list of
 * fields, each by a function that loops over this list.
 */

/** A record in code: every field that is stored. */
export type RecordOf<F extends FieldsOf> = {
  [K in keyof F as F[K] extends Field<unknown, 'asked'> ? never : K]: ValueOf<F[K]>
}
/** The values of a request: the fields that its sender may set. */
export type ValuesOf<F extends FieldsOf> = {
  [K in keyof F as F[K] extends Field<unknown, 'kept'> ? never : K]: ValueOf<F[K]>
}
/** Its row: columns have the names of the fields in snake case, and flags lose their `is`. */
export type RowOf<F extends FieldsOf> = {
  [K in keyof F & string as F[K] extends Field<unknown, 'asked'> ? never : ColumnOf<K, F[K]>]: F[K] extends Field<
    unknown,
    FieldKind,
    infer C
  >
    ? C
    : never
}

type ColumnOf<K extends string, F> = F extends { readonly within: object } ? never : ColumnName<K>

export type ColumnName<K extends string> = K extends `is${infer Rest}`
  ? Rest extends Capitalize<Rest>
    ? Snake<Uncapitalize<Rest>>
    : Snake<K>
  : Snake<K>
type Snake<S extends string> = S extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Rest>}`
  : S

export const columnOf = (name: string) =>
  name
    .replace(/^is(?=[A-Z])/, '')
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase())
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Fields that every resource has. `O` is the name of the field with the owner. */
type WithCommon<F, O extends string> = { id: Field<string, 'kept', string> } & Record<
  O,
  Field<string, 'kept', string>
> &
  F &
  Record<'createdAt' | 'updatedAt', Field<number, 'kept', number>>

/** Members of answers that are computed from record and context. */
type Derived<R, Context> = Readonly<Record<string, { as: TSchema; from(record: R, context: Context): Json }>>
/**
 * Rules that involve several fields. Each returns the text of a refusal for the field it is named after; a rule about a
 * part of a field throws instead. For a change they also get the stored record.
 */
type Refusals<F extends FieldsOf> = {
  readonly [K in keyof F]?: (values: Partial<ValuesOf<F>>, held: RecordOf<F> | undefined) => string | undefined
}

interface NamedField {
  name: string
  field: Field<unknown>
  wire: string
  column: string
}

interface DeclaredNoun<F extends FieldsOf, Whole extends FieldsOf, O extends string, Context, T extends string> {
  table: T
  /** The field that has the id of its account. */
  owner: O
  /** If set, a deleted row stays in the table and is marked. */
  marksDeleted?: true
  rules?(context: Context): Partial<Rules>
  fields: F
  derived?: Derived<RecordOf<Whole>, Context>
  refuse?: Refusals<Whole>
  /**
   * Members that routes add to answers and that change without requests, such as sums; they are ignored when they are
   * sent back.
   */
  beside?: Readonly<Record<string, TSchema>>
}

/** Something stored for an account. Rows, records, schemas, reading, erasure and export follow from its fields. */
export interface Entity<F extends FieldsOf, Context, T extends string = string> {
  table: T
  owner: string
  /** The fields by which a row is found. */
  key: readonly string[]
  marksDeleted?: true
  fields: F
  /** The fields in order, with their names. Computed in advance, because every row and every request needs them. */
  named: readonly NamedField[]
  rules(context: Context): Partial<Rules>
  derived: Derived<RecordOf<F>, Context>
  refuse: Refusals<F>
  beside: Readonly<Record<string, TSchema>>
}

/** The parts of a resource that do not depend on its types. */
export type AnyEntity = Pick<Entity<FieldsOf, never>, 'table' | 'owner' | 'key' | 'marksDeleted' | 'named'>

export function entity<F extends FieldsOf, Context, T extends string>(
  declared: DeclaredNoun<F, F, string, Context, T> & Pick<AnyEntity, 'key'>,
): Entity<F, Context, T> {
  const { derived = {}, refuse = {}, beside = {}, rules = () => ({}) } = declared
  const named = Object.entries<Field<unknown>>(declared.fields).map(([name, field]): NamedField => {
    const column = columnOf(name)
    return { name, field, column: field.within?.column ?? column, wire: field.wire ?? column }
  })
  return { ...declared, derived, refuse, beside, rules, named }
}

interface Place {
  /** The name of the list in an answer. */
  plural: string
  path: string
  scope: Scope
  tag: string
}

/** A resource whose records have ids and addresses; its statements, routes and forms follow from it, too. */
export interface Resource<F extends FieldsOf, Context, T extends string = string>
  extends Entity<F, Context, T>, Place {}

/** `times` is how the API writes times. */
export function resource<F extends FieldsOf, O extends string, Context, T extends string>(
  declared: DeclaredNoun<F, WithCommon<F, O>, O, Context, T> & Place & { times: 'unix' | 'iso' },
): Resource<WithCommon<F, O>, Context, T> {
  const { fields, owner, times, plural, path, scope, tag, ...rest } = declared
  const common = { id: id(), [owner]: id({ isHidden: true }) } as Pick<WithCommon<F, O>, 'id' | O>
  const moments =
    times === 'unix'
      ? { createdAt: unixTime('created_unix'), updatedAt: unixTime('updated_unix') }
      : { createdAt: isoTime(), updatedAt: isoTime() }
  const all = entity({ ...rest, owner, key: ['id'], fields: { ...common, ...fields, ...moments } })
  return { ...all, plural, path, scope, tag }
}

/** The fields that are stored. */
export const storedOf = ({ named }: Pick<AnyEntity, 'named'>) => named.filter(({ field }) => field.kind !== 'asked')

/** What the owner sees of a record; never secrets. */
export function show<F extends FieldsOf, Context>(
  of: Entity<F, Context>,
  context: Context,
  record: RecordOf<F>,
): JsonObject {
  const shown: JsonObject = {}
  const values: Readonly<Record<string, unknown>> = record
  for (const { name, field, wire } of of.named) {
    const json = isShown(field) ? field.show(values[name]) : undefined
    if (json !== undefined) shown[wire] = json
  }
  for (const [name, { from }] of Object.entries(of.derived)) shown[name] = from(record, context)
  return shown
}

const isShown = ({ kind, isHidden }: Field<unknown>) => kind !== 'asked' && !isHidden

/** The schema of what `show` returns, with additional members of a route. */
export function shownSchema<F extends FieldsOf, Context>(
  of: Entity<F, Context>,
  more: Record<string, TSchema> = {},
): TObject {
  const members = of.named.flatMap(({ field, wire }) => (isShown(field) ? [[wire, field.schema] as const] : []))
  const derived = Object.entries(of.derived).map(([name, { as }]) => [name, as] as const)
  return answer.record({ ...Object.fromEntries([...members, ...derived]), ...of.beside, ...more })
}

/** The schema of a request. A field that can be set only once may be sent again with the same value. */
export function takenSchema(of: Pick<AnyEntity, 'named'>, purpose: 'create' | 'change'): TObject {
  const members = of.named.flatMap(({ field: { kind, isRequired, takes, set }, wire }) => {
    const member = purpose === 'create' && isRequired ? takes : answer.optional(takes)
    const isTaken = kind === 'set' || (kind === 'asked' && (purpose === 'create' || set === 'always'))
    return isTaken ? [[wire, member] as const] : []
  })
  return answer.record(Object.fromEntries(members))
}

/** An example of a request for a new one. */
export function exampleOf(of: Pick<AnyEntity, 'named'>): Json {
  const given = of.named.flatMap(({ wire, field: { example } }) =>
    example === undefined ? [] : [[wire, example] as const],
  )
  return Object.fromEntries(given)
}
