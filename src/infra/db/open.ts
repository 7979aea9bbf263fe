import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely, sql } from 'kysely'
import type { StoreEngine } from '../../kernel/dialect.ts'
import type { Failures } from '../../kernel/failures.ts'
import type { Db, Migrations, Tables } from '../../kernel/db.ts'
import type { Clock, Notices } from '../../kernel/ports.ts'
import type { Traces } from '../../kernel/traces.ts'
import { terminalFailures } from '../failures.ts'
import { LISTENERS_SQL, type Listening, LocalNotices, NOTIFY_SQL, PostgresNotices, toListening } from './notices.ts'
import { keepDatabasePrivate, makeFolder } from '../private-files.ts'
import { migrate, refusalOf } from './migrate.ts'
import { postgresDialect } from './postgres.ts'
import { PostgresHosts } from './postgres-hosts.ts'
import { type Admit, PoolSockets, openPool } from './postgres-pool.ts'
import { sqliteDialect } from './sqlite.ts'
import { StoreHealth } from './store-failure.ts'
import { tracedDialect } from './traced-dialect.ts'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { systemRandom } from '../random.ts'
import { replaceFact } from './facts.ts'

const LOOK_EVERY = 2_000
/** More than fits into half-empty pages of a full disk; random, so that it cannot be compressed. */
const PROBE_BYTES = 65_536

/**
 * Tests a store that accepted no writes until it does again, so that no request has to find out. Returns a function
 * that stops it.
 */
function watchWrites(db: Db, clock: Clock, health: StoreHealth): () => void {
  let stopped = false
  let cancel = () => {}
  const look = () => {
    if (!stopped) cancel = clock.after(LOOK_EVERY, () => void probe(db, clock).then(() => health.recover(), look))
  }
  health.onUnwritable = look
  return () => {
    stopped = true
    cancel()
  }
}

async function probe(db: Db, clock: Clock): Promise<void> {
  for (const value of [Buffer.from(systemRandom.bytes(PROBE_BYTES)).toString('base64'), '']) {
    await replaceFact(db, { name: 'probe', value, now: clock.now() })
  }
}

/** A notice arrives within this time or never. */
const NOTICE_MAX = 2_000

/**
 * Refuses a pooler that gives each transaction another connection, unless the store's address also names the server
 * itself. Through such a pooler, notices between gateways get lost and named statements are unknown. A pooler is
 * recognised by the way it numbers connections.
 */
async function requireSessions(hosts: PostgresHosts, client: pg.PoolClient): Promise<void> {
  const { processID } = client as unknown as { processID: number }
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  if (hosts.direct !== undefined || rows[0]?.pid === processID || (await receivesOwnNotice(hosts.url))) return
  throw new Error(
    'DATABASE_URL leads to a pooler that gives each transaction another connection, through which notices between gateways do not pass. Add the server itself, as in postgres://user@pooler:6432/name?direct=server:5432.',
  )
}

async function receivesOwnNotice(url: string): Promise<boolean> {
  const [listener, sender] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
  const channel = `probe_${randomUUID().replaceAll('-', '')}`
  const { promise, resolve } = Promise.withResolvers<boolean>()
  listener.on('notification', () => resolve(true))
  const late = setTimeout(() => resolve(false), NOTICE_MAX)
  try {
    await Promise.all([listener.connect(), sender.connect()])
    await listener.query(`listen ${channel}`)
    await sender.query(`notify ${channel}`)
    return await promise
  } finally {
    clearTimeout(late)
    await Promise.all([listener.end(), sender.end()])
  }
}

export interface Store {
  db: Db
  engine: StoreEngine
  notices: Notices
  /** How this process describes itself to commands and other gateways on the store. */
  own: Listening
  /** Reads the clock of the store; undefined if the store has no other gateways. */
  readTime: (() => Promise<number>) | undefined
  /**
   * The processes that have received every notice sent through this store so far, and whether those are all listeners;
   * undefined if the store carries no notices.
   */
  listConfirming: ((milliseconds: number) => Promise<{ confirmed: Listening[]; all: boolean }>) | undefined
  /** Why the store accepts no writes now, though it can be read; undefined while it accepts them. */
  readonly unwritable: string | undefined
  /** Whether the open file was replaced by another; always false for a server. */
  isReplaced(): boolean
  /** Registers a check of every new connection to a server; the connection is used only if it returns true. */
  onConnection(admit: Admit): void
  /** Throws if this store cannot be used by a gateway, even if it answers. */
  requireUsable(): Promise<void>
  ping(): Promise<unknown>
  /** Writes a consistent copy while the store is in use. */
  backup(file: string): Promise<void>
  close(): Promise<void>
}

/** A server that is silent for so long is gone: no statement of a request takes as long. */
const SILENCE_MAX = 30_000

export interface OpenOptions {
  migrations: Migrations
  /** For commands of an operator that may take long. */
  unlimited?: boolean
  failures?: Failures
  traces?: Traces | undefined
}

/** Opens the store at an address (`sqlite:<file>` or `postgres://…`) and brings its schema up to date. */
export async function openStore(
  url: string,
  clock: Clock,
  { migrations, unlimited = false, failures = terminalFailures, traces }: OpenOptions,
): Promise<Store> {
  const sockets = new PoolSockets()
  const health = new StoreHealth()
  const needs = { clock, sockets, health, failures, traces, isGateway: !unlimited }
  const store = url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length), needs) : openPostgres(url, needs)
  try {
    await store.requireUsable()
    await migrateDirectly(url, { store, migrations, needs })
    if (unlimited) return store
    sockets.limitSilence(SILENCE_MAX)
    const stop = watchWrites(store.db, clock, health)
    const { close } = store
    return Object.assign(store, {
      close() {
        stop()
        return close()
      },
    })
  } catch (error) {
    await store.close()
    throw error
  }
}

interface Migrating {
  store: Store
  migrations: Migrations
  needs: StoreNeeds
}

/** Changes of the schema take a lock of their session. Behind a pooler by transaction it would outlive them and block the next start. */
async function migrateDirectly(url: string, { store, migrations, needs }: Migrating): Promise<void> {
  const direct = store.engine === 'postgres' ? new PostgresHosts(url).direct : undefined
  if (direct === undefined) return migrate(store, migrations)
  const { pool, connect } = openPool(new PostgresHosts(direct), { ...needs, silenceMax: SILENCE_MAX })
  const db = new Kysely<Tables>({ dialect: postgresDialect({ connect, end: () => pool.end() }) })
  try {
    await migrate({ db, engine: 'postgres' }, migrations)
  } finally {
    await db.destroy()
  }
}

const MEMORY = ':memory:'

function openSqlite(file: string, { health, failures, traces, isGateway }: StoreNeeds): Store {
  makeFolder(dirname(file))
  keepDatabasePrivate(file)
  const inode = file === MEMORY ? undefined : statSync(file).ino
  const dialect = sqliteDialect(file, health)
  const db = new Kysely<Tables>({ dialect: traces ? tracedDialect(dialect, 'sqlite', traces) : dialect })
  return {
    db,
    engine: 'sqlite',
    notices: new LocalNotices(failures),
    own: toListening(isGateway),
    readTime: undefined,
    listConfirming: undefined,
    get unwritable() {
      return health.unwritable
    },
    isReplaced: () => file !== MEMORY && statSync(file, { throwIfNoEntry: false })?.ino !== inode,
    onConnection: () => undefined,
    requireUsable: () => Promise.resolve(),
    ping: () => sql`select 1`.execute(db),
    backup: (target) => {
      keepDatabasePrivate(target)
      return dialect.backup(target)
    },
    close: () => db.destroy(),
  }
}

interface StoreNeeds {
  clock: Clock
  sockets: PoolSockets
  health: StoreHealth
  failures: Failures
  traces: Traces | undefined
  isGateway: boolean
}

function openPostgres(url: string, { clock, sockets, health, failures, traces, isGateway }: StoreNeeds): Store {
  const hosts = new PostgresHosts(url)
  const entry: { admit?: Admit } = {}
  const { pool, connect } = openPool(hosts, { sockets, health, failures, silenceMax: SILENCE_MAX, entry })
  const dialect = postgresDialect({ connect, end: () => pool.end() })
  const db = new Kysely<Tables>({ dialect: traces ? tracedDialect(dialect, 'postgres', traces) : dialect })
  const send = (text: string) => pool.query(NOTIFY_SQL, [text])
  const own = toListening(isGateway)
  const listening = hosts.direct === undefined ? hosts : new PostgresHosts(hosts.direct)
  const notices = new PostgresNotices(listening, { clock, failures, own, send })
  const countListeners = async () => (await pool.query<{ count: number }>(LISTENERS_SQL)).rows[0]!.count
  return {
    db,
    engine: 'postgres',
    notices,
    own,
    readTime: async () => {
      const time = sql<{ now: number }>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`
      return (await time.execute(db)).rows[0]!.now
    },
    get unwritable() {
      return health.unwritable
    },
    isReplaced: () => false,
    onConnection: (admit) => void (entry.admit = admit),
    listConfirming: (milliseconds) => notices.listConfirming(countListeners, milliseconds),
    requireUsable: async () => {
      const { client } = await connect().catch((error: unknown) => {
        throw refusalOf(error)
      })
      await requireSessions(hosts, client).finally(() => client.release())
    },
    ping: () => sql`select 1`.execute(db),
    backup: () => Promise.reject(new Error('Back PostgreSQL up with its own tools (pg_dump).')),
    close: async () => {
      await notices.close()
      await db.destroy()
    },
  }
}
