import type { CompiledQuery, DatabaseConnection, QueryExecutor, QueryResult } from 'kysely'
import type { Db } from './db.ts'
import { together } from './in-tx.ts'

/** A connection that keeps what it is asked in order by itself, so that nobody has to wait before asking more. */
export interface OrderlyConnection extends DatabaseConnection {
  /** Inside its transaction; fails when that is over. */
  executeWithin<R>(query: CompiledQuery<R>): Promise<QueryResult<R>>
  /** Commits what was asked so far if it is so many statements and each finds a row, or takes all of it back; says which. */
  commitWhole(statements: number): Promise<boolean>
}

const isOrderly = (connection: DatabaseConnection): connection is OrderlyConnection => 'executeWithin' in connection

/** Those of open transactions, by what asks through them. */
const known = new WeakMap<QueryExecutor, OrderlyConnection>()

/**
 * Asks a statement. Kysely lets the statements of a transaction wait for one another; where the connection keeps them in order
 * itself, those that are asked at once travel at once.
 */
export function askWithin<R>(db: Db, query: CompiledQuery<R>): Promise<QueryResult<R>> {
  const executor = db.getExecutor()
  if (!db.isTransaction || executor.plugins.length > 0) return db.executeQuery(query)
  const connection = known.get(executor)
  if (connection) return connection.executeWithin(query)
  return executor.provideConnection((given) => {
    if (!isOrderly(given)) return given.executeQuery<R>(query)
    known.set(executor, given)
    return given.executeWithin(query)
  })
}

/** What verbs answer that have found nothing to change. */
const isNothing = (answer: unknown) => answer === undefined || answer === false

class FoundNothing extends Error {
  readonly answers: readonly unknown[]

  constructor(answers: readonly unknown[]) {
    super('A verb of a whole transaction found nothing.')
    this.answers = answers
  }
}

/**
 * A transaction of verbs that need nothing of one another, each one prepared statement that returns rows. It stays if each of
 * them has found one; otherwise nothing of it does. With SQLite it is one message: asked one by one, each would be a way there
 * and back during which nobody else writes.
 */
export async function allOrNone<const T extends readonly Promise<unknown>[]>(
  db: Db,
  ask: (tx: Db) => T,
): Promise<{ [At in keyof T]: Awaited<T[At]> }> {
  try {
    return await db.transaction().execute(async (tx) => {
      const asked = ask(tx)
      const committed = known.get(tx.getExecutor())?.commitWhole(asked.length)
      const [answers, stays] = await together([together(asked), committed ?? Promise.resolve(undefined)])
      const isFound = !(answers as readonly unknown[]).some(isNothing)
      if (stays !== undefined && stays !== isFound) throw new Error('A verb says other than its statement.')
      if (!isFound) throw new FoundNothing(answers)
      return answers
    })
  } catch (error) {
    if (error instanceof FoundNothing) return error.answers as { [At in keyof T]: Awaited<T[At]> }
    throw error
  }
}
