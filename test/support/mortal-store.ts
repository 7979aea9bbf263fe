import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresDialect,
  type QueryResult,
  SelectQueryNode,
  type TransactionSettings,
} from 'kysely'
import pg from 'pg'
import { MIGRATIONS } from '../../src/store/schema.ts'
import { openStore } from '../../src/store/schema.ts'
import { sqliteDialect } from '../../src/infra/db/sqlite.ts'
import type { Db } from '../../src/kernel/db.ts'
import type { Tables } from '../../src/kernel/db.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { fileOf } from './engines.ts'
import type { Faults } from './faults.ts'
import { memorySqliteDialect } from './memory-sqlite.ts'

/** A store that outlives the processes that use it. */
export interface LastingStore {
  /** The store as seen by one process, which may die at any write. */
  openFor(faults: Faults): Db
  close(): Promise<void>
}

/** `memory:` is a store in this thread with a deterministic order of events. */
export async function openLastingStore(url: string): Promise<LastingStore> {
  const inMemory = url === 'memory:'
  if (!inMemory) await (await openStore(url, systemClock)).close()
  const dialect = inMemory ? memorySqliteDialect() : toDialect(url)
  const driver = dialect.createDriver()
  await driver.init()
  if (inMemory) await migrate(new Kysely({ dialect: { ...face(dialect), createDriver: () => driver } }))
  return {
    openFor: (faults) =>
      new Kysely<Tables>({ dialect: { ...face(dialect), createDriver: () => mortal(driver, faults) } }),
    close: () => driver.destroy(),
  }
}

async function migrate(db: Kysely<unknown>): Promise<void> {
  for (const up of Object.values(MIGRATIONS)) await up(db, 'sqlite')
}

const toDialect = (url: string) => (url.startsWith('sqlite:') ? sqliteDialect(fileOf(url)) : postgresDialect(url))

function postgresDialect(url: string): Dialect {
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  const pool = new pg.Pool({ connectionString: url, max: 8, types })
  pool.on('error', () => undefined)
  return new PostgresDialect({ pool })
}

const face = (dialect: Dialect): Omit<Dialect, 'createDriver'> => ({
  createAdapter: () => dialect.createAdapter(),
  createIntrospector: (db) => dialect.createIntrospector(db),
  createQueryCompiler: () => dialect.createQueryCompiler(),
})

class MortalConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection
  readonly #faults: Faults
  inTransaction = false

  constructor(inner: DatabaseConnection, faults: Faults) {
    this.inner = inner
    this.#faults = faults
  }

  /** Only commits count as calls: before its commit a transaction has no effect, and reads never have one. */
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const run = () => this.inner.executeQuery<R>(query)
    const changes = !this.inTransaction && !SelectQueryNode.is(query.query)
    return changes ? this.#faults.call(run) : this.#faults.track(run)
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported.')
  }
}

function mortal(driver: Driver, faults: Faults): Driver {
  const innerOf = (connection: DatabaseConnection) => (connection as MortalConnection).inner
  const setInside = (connection: DatabaseConnection, inside: boolean) => {
    ;(connection as MortalConnection).inTransaction = inside
  }
  return {
    init: () => Promise.resolve(),
    // A new PostgreSQL connection takes longer than many turns of the event loop.
    acquireConnection: async () => new MortalConnection(await faults.wait(() => driver.acquireConnection()), faults),
    beginTransaction: async (connection, settings: TransactionSettings) => {
      await faults.track(() => driver.beginTransaction(innerOf(connection), settings))
      setInside(connection, true)
    },
    commitTransaction: async (connection) => {
      setInside(connection, false)
      await faults.call(() => driver.commitTransaction(innerOf(connection)))
    },
    // The engine rolls back when a connection breaks, also for dead processes.
    rollbackTransaction: async (connection) => {
      setInside(connection, false)
      await faults.wait(() => driver.rollbackTransaction(innerOf(connection)))
    },
    releaseConnection: (connection) => driver.releaseConnection(innerOf(connection)),
    destroy: () => Promise.resolve(),
  }
}
