import { addFunctions } from '../../src/infra/db/sqlite-functions.ts'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

/**
 * SQLite in memory and in this thread, so that the order of events is deterministic and a simulation can be repeated. It has one connection, lent to one
 * caller at a time.
 */
export function memorySqliteDialect(): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new MemoryDriver(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

class MemoryDriver implements Driver {
  readonly #database = openInMemory()
  readonly #connection: DatabaseConnection
  readonly #queue: (() => void)[] = []
  #lent = false

  constructor() {
    this.#database.exec('pragma foreign_keys = on')
    this.#connection = {
      executeQuery: <R>(query: CompiledQuery) => Promise.resolve(this.#run<R>(query)),
      streamQuery: () => {
        throw new Error('Streaming is not supported.')
      },
    }
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#lent) await new Promise<void>((resolve) => this.#queue.push(resolve))
    this.#lent = true
    return this.#connection
  }

  async releaseConnection(): Promise<void> {
    const next = this.#queue.shift()
    if (next) next()
    else this.#lent = false
  }

  async beginTransaction(): Promise<void> {
    this.#database.exec('begin')
  }

  async commitTransaction(): Promise<void> {
    this.#database.exec('commit')
  }

  async rollbackTransaction(): Promise<void> {
    if (this.#database.isTransaction) this.#database.exec('rollback')
  }

  async destroy(): Promise<void> {
    this.#database.close()
  }

  #run<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const statement = this.#database.prepare(sql)
    const values = parameters as SQLInputValue[]
    try {
      if (statement.columns().length > 0) return { rows: statement.all(...values) as R[] }
      return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
    } catch (error) {
      // The same error as from the real store.
      const { errcode } = error as { errcode?: number }
      throw Object.assign(error as Error, { code: errcode })
    }
  }
}

function openInMemory(): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  addFunctions(db)
  return db
}
