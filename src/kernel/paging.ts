import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { badField } from './errors.ts'

/** A column that a list is ordered by, with its value in the last row of a page. */
type Key = readonly [column: string, order: 'asc' | 'desc', last: string | number]

/**
 * The condition for the next page of an ordered list: the rows after the last row of the page before. Such pages
 * neither repeat nor skip rows when rows are added. The keys must be those of the query's order, and unique together.
 */
export function behind(...keys: readonly Key[]): RawBuilder<SqlBool> {
  const cases = keys.map(([column, order, last], at) => {
    const equal = keys.slice(0, at).map(([other, , value]) => sql`${sql.ref(other)} = ${value}`)
    return sql.join([...equal, sql`${sql.ref(column)} ${sql.raw(order === 'asc' ? '>' : '<')} ${last}`], sql` and `)
  })
  return sql<SqlBool>`(${sql.join(cases, sql` or `)})`
}

/** The last row of a page, by the two columns that lists are ordered by. */
export interface Place {
  createdAt: number
  id: string
}

/** Marks where a page ended. Unlike an offset it stays correct when rows are added. */
export const toCursor = ({ createdAt, id }: Place): string => `${createdAt}-${id}`

export function readCursor(value: unknown): Place | undefined {
  if (value === undefined || value === '') return undefined
  const [, createdAt, id] = (typeof value === 'string' && /^(\d{1,15})-(\w{1,64})$/.exec(value)) || []
  if (createdAt === undefined) throw badField('cursor', 'cursor must be the next_cursor of an earlier page.')
  return { createdAt: Number(createdAt), id: id! }
}

/** Reads a whole number from a query. */
export function readWhole(
  field: string,
  value: unknown,
  { min, max, otherwise }: { min: number; max: number; otherwise: number },
): number {
  if (value === undefined || value === '') return otherwise
  const number = typeof value === 'string' && /^[0-9]{1,7}$/.test(value) ? Number(value) : NaN
  if (!(number >= min && number <= max)) throw badField(field, `${field} must be a whole number from ${min} to ${max}.`)
  return number
}
