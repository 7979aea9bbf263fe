import {
  type BinaryOperationNode,
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type LimitNode,
  OperatorNode,
  PrimitiveValueListNode,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely'
import type { OrderlyConnection } from '../../kernel/store-connection.ts'
import type { SqlValue } from './sqlite-protocol.ts'
import { type Answered, SqliteThread, UNDONE } from './sqlite-thread.ts'
import { StoreHealth } from './store-failure.ts'

/** SQLite behind two threads: one writes with group commit, the other reads committed data. */
export function sqliteDialect(
  file: string,
  health = new StoreHealth(),
): Dialect & { backup(target: string): Promise<void> } {
  let driver: SqliteDriver | undefined
  return {
    createAdapter: () => new ThreadedSqliteAdapter(),
    createDriver: () => (driver = new SqliteDriver(file, health)),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new FewTexts(),
    backup: async (target) => {
      if (!driver) throw new Error('The database is not open.')
      await driver.backup(target)
    },
  }
}

/** The library would migrate SQLite without a transaction, although SQLite supports one. */
class ThreadedSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Longer lists are not padded. */
const FILLED_MAX = 1_024

/**
 * Keeps the number of different statements small: each is prepared in a thread, and keeps the values of its last use in
 * memory. Without padding there would be one statement for lists of every length.
 */
class FewTexts extends SqliteQueryCompiler {
  /**
   * SQLite plans a statement again for each bound limit, because the plan may depend on it. With a literal it plans
   * once.
   */
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node
    if (ValueNode.is(limit) && Number.isSafeInteger(limit.value)) this.append(`limit ${String(limit.value)}`)
    else super.visitLimit(node)
  }

  /** Repeats the last value of a list until its length is a power of two, which does not change the result. */
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator, rightOperand } = node
    const looksThrough = OperatorNode.is(operator) && /^(not )?in$/.test(operator.operator)
    if (!looksThrough || !PrimitiveValueListNode.is(rightOperand)) return super.visitBinaryOperation(node)
    const { values } = rightOperand
    const length = 2 ** Math.ceil(Math.log2(values.length))
    if (values.length === 0 || length > FILLED_MAX) return super.visitBinaryOperation(node)
    const filled = Array.from({ length }, (_, at) => values[Math.min(at, values.length - 1)])
    super.visitBinaryOperation({ ...node, rightOperand: PrimitiveValueListNode.create(filled) })
  }
}

class SqliteDriver implements Driver {
  readonly #file: string
  readonly #health: StoreHealth
  readonly #turns = new Turns()
  #writer: SqliteThread | undefined
  #reader: SqliteThread | undefined

  constructor(file: string, health: StoreHealth) {
    this.#file = file
    this.#health = health
  }

  async init(): Promise<void> {
    const { judge } = this.#health
    this.#writer = new SqliteThread(this.#file, { readOnly: false, judge })
    // The file must exist with the right mode before the reader opens it.
    await this.#writer.send({ op: 'query', sql: 'select 1', values: [], within: false })
    this.#reader = new SqliteThread(this.#file, { readOnly: true, judge })
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

/** One writer at a time, in the order of arrival. */
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

class SqliteConnection implements OrderlyConnection {
  readonly #writer: SqliteThread
  readonly #reader: SqliteThread
  readonly #turns: Turns
  #inTransaction = false
  #beginFailed: Error | undefined
  /** Set from `commitWhole` until the library calls `commit`. */
  #committed: Promise<unknown> | undefined

  constructor(writer: SqliteThread, reader: SqliteThread, turns: Turns) {
    this.#writer = writer
    this.#reader = reader
    this.#turns = turns
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#inTransaction) return this.executeWithin(query)
    if (SelectQueryNode.is(query.query) || /^\s*(select\b|pragma [a-z_]+$)/i.test(query.sql)) {
      return toResult(await this.#reader.send({ ...toRequest(query), within: false }))
    }
    if (this.#committed) throw new Error('The transaction is over.')
    // A single statement is a transaction of its own, so that it shares syncs with others.
    return toResult(await this.#alone(query))
  }

  /**
   * Sends everything in one message, to which the next transaction may be added. If the statement fails, it has changed
   * nothing, and the commit is empty.
   */
  async #alone(query: CompiledQuery): Promise<Answered | undefined> {
    await this.#turns.take()
    const begun = this.#writer.send({ op: 'begin' })
    const asked = this.#writer.send({ ...toRequest(query), within: true })
    const committed = this.#sendCommit()
    for (const outcome of await Promise.allSettled([begun, asked, committed])) {
      if (outcome.status === 'rejected') throw outcome.reason
    }
    return asked
  }

  /** The next transaction may be sent without waiting, because the thread keeps the order of messages. */
  #sendCommit(whole?: number): Promise<Answered | undefined> {
    const more = this.#turns.waiting
    const committed = this.#writer.send({ op: 'commit', more, ...(whole !== undefined && { whole }) })
    this.#turns.pass()
    return committed
  }

  async executeWithin<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.#inTransaction) throw new Error('The transaction is over.')
    try {
      return toResult(await this.#writer.send({ ...toRequest(query), within: true }))
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
    // Not awaited: the following statements are sent in the same message, and fail with it.
    this.#writer.send({ op: 'begin' }).then(undefined, (error: Error) => (this.#beginFailed = error))
  }

  async commitWhole(statements: number): Promise<boolean> {
    this.#inTransaction = false
    this.#committed = this.#sendCommit(statements)
    return (await this.#committed) !== UNDONE
  }

  async commit(): Promise<void> {
    this.#inTransaction = false
    const committed = this.#committed ?? this.#sendCommit()
    this.#committed = undefined
    try {
      await committed
    } catch (error) {
      throw this.#beginFailed ?? error
    }
  }

  async rollback(): Promise<void> {
    if (!this.#inTransaction) {
      this.#committed = undefined
      return
    }
    this.#inTransaction = false
    const undone = this.#writer.send({ op: 'rollback', more: this.#turns.waiting })
    this.#turns.pass()
    await undone
  }
}

const toRequest = ({ sql, parameters }: CompiledQuery) =>
  ({ op: 'query', sql, values: parameters as SqlValue[] }) as const

function toResult<R>(result: Answered | undefined): QueryResult<R> {
  const { columns = [], rows = [], changes = 0 } = result ?? {}
  return { rows: rows.map((values) => toRow(columns, values)) as R[], numAffectedRows: BigInt(changes) }
}

function toRow(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let at = 0; at < columns.length; at++) row[columns[at]!] = values[at]
  return row
}
