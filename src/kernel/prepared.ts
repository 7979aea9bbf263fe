import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './db.ts'
import { askWithin } from './store-connection.ts'

/** Placeholder for a value in a statement that is built in advance. */
class Hole {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

interface Built {
  query: CompiledQuery
  /** In the order of the statement: names of given values, and constants. */
  parameters: readonly unknown[]
}

/**
 * Names of prepared statements by text, so that each is planned only once. There are few, because statements are part
 * of the code.
 */
const names = new Map<string, string>()

/** The name of a prepared statement; undefined for other statements. */
export const nameOfPrepared = (text: string): string | undefined => names.get(text)

/** Refers to a given value by name. */
export type Given<P extends object> = <K extends keyof P & string>(name: K) => P[K]

/** A row whose columns are all given under their own names. */
export const givenRow = <P extends object, K extends keyof P & string>(
  given: Given<P>,
  columns: readonly K[],
): Pick<P, K> => Object.fromEntries(columns.map((column) => [column, given(column)])) as Pick<P, K>

/**
 * A statement that is built and compiled once per engine and then consists of a text and a list of values, because
 * building it costs more than running it. It must name its columns: with `*` it would fail in a gateway of the previous
 * version when a column is added.
 */
export function prepared<P extends object, R>(
  build: (db: Db, given: Given<P>) => Compilable<R>,
): (db: Db, parameters: P) => Promise<R[]> {
  const built = new Map<unknown, Built>()
  const prepare = (db: Db): Built => {
    const query = build(db, (name) => new Hole(name) as never).compile()
    if (/\*/.test(query.sql.replaceAll('count(*)', ''))) throw new Error(`It must name its columns: ${query.sql}`)
    if (!names.has(query.sql)) names.set(query.sql, `prepared_${names.size + 1}`)
    return { query, parameters: query.parameters }
  }
  const fill = (db: Db, parameters: P): CompiledQuery<R> => {
    const engine = db.getExecutor().adapter.constructor
    let statement = built.get(engine)
    if (!statement) built.set(engine, (statement = prepare(db)))
    const values = statement.parameters.map((one) => (one instanceof Hole ? parameters[one.name as keyof P] : one))
    return { ...statement.query, parameters: values }
  }
  return async (db, parameters) => (await askWithin(db, fill(db, parameters))).rows
}

/**
 * The same with a literal limit, because SQLite plans a statement again for each bound limit. Limits come from code and
 * settings, never from requests, so there are few.
 */
export function preparedUpTo<P extends object, R>(
  build: (db: Db, given: Given<P>, limit: number) => Compilable<R>,
): (db: Db, parameters: P & { limit: number }) => Promise<R[]> {
  const known = new Map<number, (db: Db, parameters: P) => Promise<R[]>>()
  return (db, parameters) => {
    const { limit } = parameters
    let ask = known.get(limit)
    if (!ask) known.set(limit, (ask = prepared((on, given: Given<P>) => build(on, given, limit))))
    return ask(db, parameters)
  }
}
