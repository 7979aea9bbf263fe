import type { CompiledQuery, DatabaseConnection, Dialect, Driver } from 'kysely'
import type { StoreEngine } from '../../kernel/dialect.ts'
import { type Facts, type Step, type Traces, asStep, toStepFailure } from '../../kernel/traces.ts'

/**
 * A dialect that traces transactions, and statements outside of one, as steps of the current trace. Records neither
 * values nor texts of statements.
 */
export function tracedDialect(dialect: Dialect, engine: StoreEngine, traces: Traces): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => new TracedDriver(dialect.createDriver(), engine, traces),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
}

class TracedDriver implements Driver {
  readonly #driver: Driver
  readonly #traces: Traces
  readonly #system: Facts
  /** Steps of traced transactions, by connection. */
  readonly #open = new WeakMap<DatabaseConnection, Step>()
  readonly #traced = new WeakSet<DatabaseConnection>()

  constructor(driver: Driver, engine: StoreEngine, traces: Traces) {
    this.#driver = driver
    this.#traces = traces
    this.#system = { 'db.system.name': engine === 'sqlite' ? 'sqlite' : 'postgresql' }
  }

  init(): Promise<void> {
    return this.#driver.init()
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await this.#driver.acquireConnection()
    // Most callers are not traced.
    if (this.#traces.handle() !== undefined && !this.#traced.has(connection)) this.#traceStatements(connection)
    return connection
  }

  #traceStatements(connection: DatabaseConnection): void {
    this.#traced.add(connection)
    const execute = connection.executeQuery.bind(connection)
    connection.executeQuery = <R>(query: CompiledQuery, ...rest: unknown[]) => {
      const ask = () => execute<R>(query, ...(rest as []))
      if (this.#open.has(connection)) return ask()
      const { operation, table } = readStatement(query.sql)
      const facts = { ...this.#system, 'db.operation.name': operation, 'db.collection.name': table }
      return asStep(this.#traces.begin(`store ${operation}`, facts, 'client'), ask)
    }
  }

  async beginTransaction(...of: Parameters<Driver['beginTransaction']>): Promise<void> {
    const step = this.#traces.begin('store transaction', this.#system, 'client')
    if (step) this.#open.set(of[0], step)
    await this.#ending(of[0], 'on failure', () => this.#driver.beginTransaction(...of))
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#ending(connection, 'in any case', () => this.#driver.commitTransaction(connection))
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    this.#open.get(connection)?.note({ 'error.type': 'rolled_back' })
    await this.#ending(connection, 'in any case', () => this.#driver.rollbackTransaction(connection))
  }

  async #ending(connection: DatabaseConnection, when: 'on failure' | 'in any case', run: () => Promise<void>) {
    try {
      await run()
    } catch (error) {
      this.#end(connection, error)
      throw error
    }
    if (when === 'in any case') this.#end(connection)
  }

  #end(connection: DatabaseConnection, error?: unknown): void {
    const step = this.#open.get(connection)
    this.#open.delete(connection)
    step?.end(error === undefined ? undefined : toStepFailure(error))
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.#driver.releaseConnection(connection)
  }

  destroy(): Promise<void> {
    return this.#driver.destroy()
  }
}

const OPERATIONS = new Set(['select', 'insert', 'update', 'delete', 'with'])

/** The operation of a statement and the first table it names; both are words from our own code. */
function readStatement(sql: string): { operation: string; table: string | undefined } {
  const word = /^\s*([a-z]+)/i.exec(sql)?.[1]?.toLowerCase() ?? ''
  const table = /\b(?:from|into|update)\s+"?([a-z_]{1,60})"?/i.exec(sql)?.[1]
  return { operation: OPERATIONS.has(word) ? word : 'other', table }
}
