import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type LimitNode,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely'
import type { SqlValue } from './sqlite-protocol.ts'
import { type Answered, SqliteThread } from './sqlite-thread.ts'

/** SQLite behind two threads: one writes with group commit, one reads what is committed. */
export function sqliteDialect(file: string): Dialect & { backup(target: string): Promise<void> } {
  let driver: SqliteDriver | undefined
  return {
    createAdapter: () => new ThreadedSqliteAdapter(),
    createDriver: () => (driver = new SqliteDriver(file)),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new LimitsWrittenOut(),
    backup: async (target) => {
      if (!driver) throw new Error('The database is not open.')
      await driver.backup(target)
    },
  }
}

/**
 * The library assumes one connection, which it would lend to one caller at a time: none could share a sync or read
 * beside a transaction. It also migrates without a transaction unless told that the engine can do better.
 */
class ThreadedSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }

  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** SQLite plans a statement anew each time a limit is bound to it, because the plan may depend on it. Written out, it plans once. */
class LimitsWrittenOut extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node
    if (ValueNode.is(limit) && Number.isSafeInteger(limit.value)) this.append(`limit ${String(limit.value)}`)
    else super.visitLimit(node)
  }
}

class SqliteDriver implements Driver {
  readonly #file: string
  readonly #turns = new Turns()
  #writer: SqliteThread | undefined
  #reader: SqliteThread | undefined

  constructor(file: string) {
    this.#file = file
  }

  async init(): Promise<void> {
    this.#writer = new SqliteThread(this.#file, false)
    // The file must exist, in the right mode, before anybody can read it.
    await this.#writer.send({ op: 'query', sql: 'select 1', values: [], within: false })
    this.#reader = new SqliteThread(this.#file, true)
  }

  acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(new SqliteConnection(this.#writer!, this.#reader!, this.#turns))
  }

  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as SqliteConnection).begin()
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as SqliteConnection).commit()
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as SqliteConnection).rollback()
  }

  async releaseConnection(): Promise<void> {}

  async backup(target: string): Promise<void> {
    await this.#reader!.send({ op: 'backup', file: target })
  }

  async destroy(): Promise<void> {
    await this.#turns.take()
    await this.#reader?.close()
    await this.#writer?.close()
  }
}

/** One writer at a time, first come first served. */
class Turns {
  #taken = false
  readonly #queue: (() => void)[] = []

  get waiting(): boolean {
    return this.#queue.length > 0
  }

  async take(): Promise<void> {
    if (!this.#taken) {
      this.#taken = true
      return
    }
    await new Promise<void>((resolve) => this.#queue.push(resolve))
  }

  pass(): void {
    const next = this.#queue.shift()
    if (next) next()
    else this.#taken = false
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #writer: SqliteThread
  readonly #reader: SqliteThread
  readonly #turns: Turns
  #inTransaction = false
  #beginFailed: Error | undefined

  constructor(writer: SqliteThread, reader: SqliteThread, turns: Turns) {
    this.#writer = writer
    this.#reader = reader
    this.#turns = turns
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const request = { op: 'query' as const, sql: query.sql, values: query.parameters as SqlValue[] }
    if (this.#inTransaction) return toResult(await this.#within(request))
    if (SelectQueryNode.is(query.query) || /^\s*(select\b|pragma [a-z_]+$)/i.test(query.sql)) {
      return toResult(await this.#reader.send({ ...request, within: false }))
    }
    // A statement on its own is a transaction of one, so that it shares syncs with its neighbours. All of it is asked at
    // once: a statement that fails has changed nothing, and its commit keeps nothing.
    await this.begin()
    const [result, committed] = await Promise.allSettled([this.#within(request), this.commit()])
    if (result.status === 'rejected') throw result.reason
    if (committed.status === 'rejected') throw committed.reason
    return toResult(result.value)
  }

  async #within(request: { op: 'query'; sql: string; values: SqlValue[] }): Promise<Answered | undefined> {
    try {
      return await this.#writer.send({ ...request, within: true })
    } catch (error) {
      throw this.#beginFailed ?? error
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported.')
  }

  async begin(): Promise<void> {
    await this.#turns.take()
    this.#inTransaction = true
    this.#beginFailed = undefined
    // It is not waited for: what follows goes with it in one message, and fails with it.
    this.#writer.send({ op: 'begin' }).then(undefined, (error: Error) => (this.#beginFailed = error))
  }

  async commit(): Promise<void> {
    this.#inTransaction = false
    let passed = false
    const pass = () => {
      if (!passed) this.#turns.pass()
      passed = true
    }
    try {
      await this.#writer.send({ op: 'commit', more: this.#turns.waiting }, pass)
    } catch (error) {
      throw this.#beginFailed ?? error
    } finally {
      pass()
    }
  }

  async rollback(): Promise<void> {
    if (!this.#inTransaction) return
    this.#inTransaction = false
    try {
      await this.#writer.send({ op: 'rollback', more: this.#turns.waiting })
    } finally {
      this.#turns.pass()
    }
  }
}

function toResult<R>(result: Answered | undefined): QueryResult<R> {
  const { columns = [], rows = [], changes = 0 } = result ?? {}
  return { rows: rows.map((values) => toRow(columns, values)) as R[], numAffectedRows: BigInt(changes) }
}

function toRow(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let at = 0; at < columns.length; at++) row[columns[at]!] = values[at]
  return row
}
