import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** A column that a list is ordered by, and what the last row of a page has in it. */
type Key = readonly [column: string, order: 'asc' | 'desc', last: string | number]

/**
 * The condition for the next page of an ordered list: behind the last row of the page before. Such pages neither repeat nor
 * leave out a row while new ones come in. The keys must be those of the query's order, and together unique.
 */
export function behind(...keys: readonly Key[]): RawBuilder<SqlBool> {
  const cases = keys.map(([column, order, last], at) => {
    const equal = keys.slice(0, at).map(([other, , value]) => sql`${sql.ref(other)} = ${value}`)
    return sql.join([...equal, sql`${sql.ref(column)} ${sql.raw(order === 'asc' ? '>' : '<')} ${last}`], sql` and `)
  })
  return sql<SqlBool>`(${sql.join(cases, sql` or `)})`
}
