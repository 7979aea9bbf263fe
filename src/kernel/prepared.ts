import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './db.ts'
import { askWithin } from './store-connection.ts'

/** Stands for a value in a statement that is built before there is one. */
class Hole {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

interface Built {
  query: CompiledQuery
  /** In the order of the statement: the name of what is given, or what never changes. */
  parameters: readonly unknown[]
}

/** Texts of statements that are prepared, by which engines that know of it plan them once; bounded, they stand in the code. */
const names = new Map<string, string>()

/** What a prepared statement is called; undefined for any other. */
export const nameOfPrepared = (text: string): string | undefined => names.get(text)

/** What is given to a statement, by name. */
export type Given<P extends object> = <K extends keyof P & string>(name: K) => P[K]

/** A row of which every column is given under its own name. */
export const givenRow = <P extends object, K extends keyof P & string>(
  given: Given<P>,
  columns: readonly K[],
): Pick<P, K> => Object.fromEntries(columns.map((column) => [column, given(column)])) as Pick<P, K>

/**
 * A statement that is built and compiled once for each engine, and from then on is its text and a list of values: to
 * build it anew costs more than to run it. It names its columns: one that asks for all of them would break in a gateway of
 * the version before when a column is added.
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
 * The same with a limit, written out: SQLite plans a statement anew each time a limit is bound to it. Limits come from code and
 * settings, never from a request, so that they are few.
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
