import { type Raw, toRaw } from '../money.ts'
import type { Stored } from './field.ts'
import { type ColumnName, columnOf } from './resource.ts'

/*
 * The columns of a table with their types in code, declared once: its row, its record and the conversions between them follow. Entities with
 * an API of their own are declared as resources, which have columns, too.
 */

/** A column: `T` is its type in code, `C` its type in the store. Without functions it is stored as it is. */
export interface Column<T, C extends Stored, N extends string | undefined = undefined> {
  /** Its name in the store, where it does not follow from its name in code. */
  readonly name: N
  toColumn?(value: T): C
  fromColumn?(stored: C): T
}

type Any<T, C extends Stored> = Column<T, C, string | undefined>
export type ColumnsOf = Readonly<Record<string, Any<unknown, Stored>>>

type RecordOf<F extends ColumnsOf> = { [K in keyof F]: F[K] extends Any<infer T, Stored> ? T : never }
/** Columns are named like the members of the record, in snake case. */
type RowOf<F extends ColumnsOf> = {
  [K in keyof F & string as F[K]['name'] extends string ? F[K]['name'] : ColumnName<K>]: F[K] extends Any<
    unknown,
    infer C
  >
    ? C
    : never
}

/** Converts a column with a type of its own. */
export const column = <T, C extends Stored>(
  convert: Required<Pick<Column<T, C>, 'toColumn' | 'fromColumn'>>,
): Column<T, C> => ({ name: undefined, ...convert })

export const named = <T, C extends Stored, N extends string>(name: N, of: Column<T, C>): Column<T, C, N> => ({
  ...of,
  name,
})

/** Stored as it is. */
export const plain = <T extends Stored>(): Column<T, T> => ({ name: undefined })
export const flag = () => column<boolean, number>({ toColumn: Number, fromColumn: (stored) => stored === 1 })
export const big = () => column<bigint, string>({ toColumn: String, fromColumn: BigInt })
export const raw = () => column<Raw, string>({ toColumn: String, fromColumn: (stored) => toRaw(BigInt(stored)) })
export const json = <T>() =>
  column<T, string>({ toColumn: (value) => JSON.stringify(value), fromColumn: (stored) => JSON.parse(stored) as T })

/** Null in the store; in code undefined, or null as well. */
export const orUndefined = <T, C extends Stored>(of: Column<T, C>) => orNone<T, C, undefined>(undefined, of)
export const orNull = <T, C extends Stored>(of: Column<T, C>) => orNone<T, C, null>(null, of)

const orNone = <T, C extends Stored, N extends null | undefined>(none: N, { toColumn, fromColumn }: Column<T, C>) =>
  column<T | N, C | null>({
    toColumn: (value) => (value === null || value === undefined ? null : toColumn ? toColumn(value) : (value as never)),
    fromColumn: (stored) => (stored === null ? none : fromColumn ? fromColumn(stored) : (stored as never)),
  })

type Names<F extends ColumnsOf> = keyof RowOf<F> & string

export interface Columns<F extends ColumnsOf> {
  /** Listed by name, because a prepared statement must not change when a column is added. */
  names: readonly Names<F>[]
  toRecord(row: RowOf<F>): RecordOf<F>
  toRow(record: RecordOf<F>): RowOf<F>
  /** The columns of some members. */
  toPart(record: Partial<RecordOf<F>>, some: readonly (keyof F & string)[]): Partial<RowOf<F>>
}

/** The record and the row of a declaration. */
export type RecordIn<T extends { toRecord(row: never): unknown }> = ReturnType<T['toRecord']>
export type RowIn<T extends { toRow(record: never): unknown }> = ReturnType<T['toRow']>

export function columns<F extends ColumnsOf>(fields: F): Columns<F> {
  const all = Object.entries<Any<unknown, Stored>>(fields).map(([member, field]) => ({
    ...field,
    member,
    name: field.name ?? columnOf(member),
  }))
  const byMember = new Map(all.map((one) => [one.member, one]))
  // Engines fill copies of an object that has all members already faster than an object that grows.
  const blank = JSON.parse(JSON.stringify(Object.fromEntries(all.map(({ member }) => [member, null])))) as object
  function toPart(record: object, some: Iterable<string>): object {
    const row: Record<string, Stored> = {}
    for (const member of some) {
      const { name, toColumn } = byMember.get(member)!
      const value = (record as Record<string, unknown>)[member]
      row[name] = toColumn ? toColumn(value) : (value as Stored)
    }
    return row
  }
  return {
    names: all.map(({ name }) => name as Names<F>),
    toRecord(row) {
      const record: Record<string, unknown> = { ...blank }
      for (const { member, name, fromColumn } of all) {
        const stored = (row as Record<string, Stored>)[name]!
        record[member] = fromColumn ? fromColumn(stored) : stored
      }
      return record as RecordOf<F>
    },
    toRow: (record) => toPart(record, byMember.keys()) as RowOf<F>,
    toPart,
  }
}
