import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import type pg from 'pg'
import { nameOfPrepared } from '../../kernel/prepared.ts'
import type { OrderlyConnection } from '../../kernel/store-connection.ts'
import { type Answered, Batch, type KnownColumns, type Statement } from './postgres-batch.ts'

interface Connections {
  connect(): Promise<{ client: pg.PoolClient; link: Link }>
  end(): Promise<void>
}

/** What we know about a connection while it is open. */
export interface Link {
  types: pg.CustomTypesConfig
  known: KnownColumns
  /**
   * Behind a pooler, each transaction may use another connection to the server, which does not know earlier prepared
   * statements.
   */
  isPooled: boolean
  toFailure(error: unknown): unknown
}

export const postgresDialect = (connections: Connections): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new PostgresDriver(connections),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})

class PostgresDriver implements Driver {
  readonly #connections: Connections

  constructor(connections: Connections) {
    this.#connections = connections
  }

  async init(): Promise<void> {}

  /**
   * A new object each time, so that a late statement of an ended transaction cannot run in the next one on this
   * connection.
   */
  async acquireConnection(): Promise<DatabaseConnection> {
    const { client, link } = await this.#connections.connect()
    return new PostgresConnection(client, link)
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    ;(connection as PostgresConnection).begin(settings)
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as PostgresConnection).end('commit')
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as PostgresConnection).end('rollback')
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    ;(connection as PostgresConnection).release()
  }

  destroy(): Promise<void> {
    return this.#connections.end()
  }
}

interface Asked extends Statement {
  resolve(answered: Answered): void
  reject(error: unknown): void
}

/** Whether a statement has found rows; an error is handled by the caller that awaits the statement. */
const hasFound = async (asked: Promise<QueryResult<unknown>>): Promise<boolean> => {
  const [answered] = await Promise.allSettled([asked])
  return answered.status === 'fulfilled' && answered.value.rows.length > 0
}

const CHANGES = /^(?:INSERT|UPDATE|DELETE|MERGE)\b.* (\d+)$/

/**
 * Sends all statements that a transaction makes in one turn of the event loop together, because a round trip costs more
 * than most statements. `begin` is sent with the first ones.
 */
class PostgresConnection implements OrderlyConnection {
  readonly #client: pg.PoolClient
  readonly #link: Link
  #outbox: Asked[] = []
  #isAsking = false
  #isWaiting = false
  #state: 'none' | 'open' | 'over' = 'none'
  /** For each statement of the transaction, whether it has found rows. */
  #within: Promise<boolean>[] = []
  /** It is unknown what the server did with the transaction, so the connection must not be used again. */
  #isLost = false
  #beginFailed: Error | undefined

  constructor(client: pg.PoolClient, link: Link) {
    this.#client = client
    this.#link = link
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#state === 'none' ? this.#ask(query) : this.executeWithin(query)
  }

  async executeWithin<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#state !== 'open') throw new Error('The transaction is over.')
    if (this.#beginFailed) throw this.#beginFailed
    const asked = this.#ask<R>(query)
    this.#within.push(hasFound(asked))
    return asked
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported.')
  }

  begin({ isolationLevel, accessMode }: TransactionSettings): void {
    const level = isolationLevel && `isolation level ${isolationLevel}`
    this.#state = 'open'
    this.#within = []
    this.#beginFailed = undefined
    // Not sent alone: the first statements follow in the same message, and fail with it.
    const begun = this.#put(['begin', level, accessMode].filter(Boolean).join(' '), [])
    begun.catch((error: Error) => {
      this.#beginFailed = error
      this.#isLost = true
    })
  }

  async commitWhole(statements: number): Promise<boolean> {
    this.#state = 'over'
    const found = await Promise.all(this.#within)
    const isWhole = found.length === statements && found.every(Boolean)
    await this.#finish(isWhole ? 'commit' : 'rollback')
    return isWhole
  }

  /** Does nothing after `commitWhole`, which ends the transaction itself. */
  async end(how: 'commit' | 'rollback'): Promise<void> {
    const isOpen = this.#state === 'open'
    this.#state = 'over'
    if (how === 'rollback') this.#refuseUnsent()
    if (isOpen) await this.#finish(how)
    this.#state = 'none'
  }

  /** A rollback is sent alone, because after a failed statement the server would skip it. */
  #refuseUnsent(): void {
    for (const { reject } of this.#outbox.splice(0)) reject(new Error('The transaction is over.'))
  }

  async #finish(how: 'commit' | 'rollback'): Promise<void> {
    if (this.#beginFailed === undefined) await this.#say(how)
    if (this.#beginFailed && how === 'commit') throw this.#beginFailed
  }

  async #say(text: 'commit' | 'rollback'): Promise<void> {
    const said = this.#put(text, [])
    this.#flush()
    try {
      // For a transaction with a failed statement the server answers `commit` with ROLLBACK, without an error.
      if ((await said).tag !== text.toUpperCase()) throw new Error('A statement of the transaction has failed.')
    } catch (error) {
      this.#isLost = true
      throw error
    }
  }

  release(): void {
    this.#client.release(this.#isLost)
  }

  async #ask<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const asked = this.#put(sql, parameters)
    if (this.#state === 'none') this.#flush()
    else this.#flushSoon()
    const { rows, tag } = await asked
    const changes = CHANGES.exec(tag)?.[1]
    return { rows: rows as R[], ...(changes !== undefined && { numAffectedRows: BigInt(changes) }) }
  }

  #put(text: string, values: readonly unknown[]): Promise<Answered> {
    const name = (this.#link.isPooled ? undefined : nameOfPrepared(text)) ?? ''
    const statement = { text, name, values: values.map(toParameter) }
    return new Promise((resolve, reject) => this.#outbox.push({ ...statement, resolve, reject }))
  }

  #flushSoon(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    setImmediate(() => {
      this.#isWaiting = false
      this.#flush()
    })
  }

  /** Sends one message at a time; statements made meanwhile are sent together in the next one. */
  #flush(): void {
    if (this.#isAsking || this.#outbox.length === 0) return
    const asked = this.#outbox
    this.#outbox = []
    if (this.#beginFailed) {
      // Asked before the failure was known, they would run outside of a transaction and stay.
      for (const { reject } of asked) reject(this.#beginFailed)
      return
    }
    this.#isAsking = true
    void this.#exchange(asked).then(() => {
      this.#isAsking = false
      this.#flush()
    })
  }

  async #exchange(asked: readonly Asked[]): Promise<void> {
    const batch = new Batch(asked, this.#link)
    this.#client.query(batch)
    const { answers, error } = await batch.done
    const failure = error === undefined ? undefined : this.#link.toFailure(error)
    for (const [at, { resolve, reject }] of asked.entries()) {
      // Outside of a transaction, a failure means that nothing was committed.
      const answer = error !== undefined && this.#state === 'none' ? undefined : answers[at]
      if (answer) resolve(answer)
      else reject(failure)
    }
  }
}

function toParameter(value: unknown): string | null {
  if (value === null || value === undefined) return null
  // The library has its own way of writing objects, which we do not use.
  if (typeof value === 'object') throw new Error('A statement takes no lists and no objects.')
  return String(value)
}
