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
  /** In the order of the statement: the name of a given value, or a constant. */
  parameters: readonly unknown[]
}

/** Names of prepared statements by their text, so that engines plan each once; bounded, because statements are part of the code. */
const names = new Map<string, string>()

/** The name of a prepared statement; undefined for any other. */
export const nameOfPrepared = (text: string): string | undefined => names.get(text)

/** Refers to a value of the statement by name. */
export type Given<P extends object> = <K extends keyof P & string>(name: K) => P[K]

/** A row in which every column is given under its own name. */
export const givenRow = <P extends object, K extends keyof P & string>(
  given: Given<P>,
  columns: readonly K[],
): Pick<P, K> => Object.fromEntries(columns.map((column) => [column, given(column)])) as Pick<P, K>

/**
 * A statement that is built and compiled once for each engine; after that it is a text and a list of values, because building it
 * costs more than running it. It must name its columns: with `*` it would break in a gateway of the previous version when a column is
 * added.
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
 * The same with a literal limit: SQLite plans a statement again each time a limit is bound to it. Limits come from code and settings,
 * never from a request, so there are few.
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
