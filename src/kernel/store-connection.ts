import type { CompiledQuery, DatabaseConnection, QueryExecutor, QueryResult } from 'kysely'
import type { Db } from './db.ts'
import { together } from './in-tx.ts'

/**
 * A connection that runs statements in the order in which they were sent, so callers need not wait before sending more.
 */
export interface OrderlyConnection extends DatabaseConnection {
  /** Runs in the current transaction; fails if that has ended. */
  executeWithin<R>(query: CompiledQuery<R>): Promise<QueryResult<R>>
  /**
   * Commits if so many statements have run and each found a row; otherwise rolls back. Returns whether it committed.
   */
  commitWhole(statements: number): Promise<boolean>
}

const isOrderly = (connection: DatabaseConnection): connection is OrderlyConnection => 'executeWithin' in connection

/** Connections of open transactions, by their executor. */
const known = new WeakMap<QueryExecutor, OrderlyConnection>()

/**
 * Runs a statement. Kysely makes statements of a transaction wait for each other. If the connection itself keeps them
 * in order, statements started together are sent together.
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

/** What a store function returns if it found nothing to change. */
const isNothing = (answer: unknown) => answer === undefined || answer === false

class FoundNothing extends Error {
  readonly answers: readonly unknown[]

  constructor(answers: readonly unknown[]) {
    super('A statement of a whole transaction found no row.')
    this.answers = answers
  }
}

/**
 * A transaction of independent store functions, each of which is one prepared statement that returns rows. It commits
 * if each found a row; otherwise it rolls back. With SQLite it is one message to the worker: sent one by one, each
 * statement would be a round trip in which nobody else can write.
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
      if (stays !== undefined && stays !== isFound) throw new Error('A statement returned other columns than declared.')
      if (!isFound) throw new FoundNothing(answers)
      return answers
    })
  } catch (error) {
    if (error instanceof FoundNothing) return error.answers as { [At in keyof T]: Awaited<T[At]> }
    throw error
  }
}
