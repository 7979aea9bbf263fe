import { Socket } from 'node:net'
import pg from 'pg'
import { storeAway } from '../../kernel/errors.ts'
import type { Failures } from '../../kernel/failures.ts'
import type { Link } from './postgres.ts'
import type { PostgresHosts } from './postgres-hosts.ts'
import { READ_ONLY, type StoreHealth } from './store-failure.ts'

const POOL_MAX = 16

/**
 * Called before the store of a new connection is asked for its mark; the result says, by the answer, whether the connection may be used. The mark may be
 * increased while the answer is on its way.
 */
export type Admit = () => (store: { value: string | null; isReadOnly: boolean }) => boolean

interface PoolNeeds {
  sockets: PoolSockets
  health: StoreHealth
  failures: Failures
  /** How long opening a connection may take. */
  silenceMax: number
  /** Filled in once the store is known. */
  entry?: { admit?: Admit }
}

/** Connections to the server that accepts writes. A temporary failure becomes a refusal with `Retry-After`. */
export function openPool(hosts: PostgresHosts, { sockets, health, failures, silenceMax, entry }: PoolNeeds) {
  // Counts and times fit into a number. Amounts of raw do not: they are numeric, and stay text.
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  const pool = new pg.Pool({
    connectionString: hosts.url,
    max: POOL_MAX,
    types,
    stream: sockets.begin,
    connectionTimeoutMillis: silenceMax,
    verify: (client, done) =>
      void examine(client, { needsWriter: hosts.needsWriter, admit: entry?.admit }).then(() => done(), done),
  })
  const links = new WeakMap<pg.ClientBase, Link & { generation: number }>()
  // A broken idle connection is replaced. Without a listener its error would end the process.
  pool.on('error', failures.lost('store.connection'))
  // The same for a connection in use: its transaction fails, but the process continues.
  pool.on('connect', (client) => {
    client.on('error', failures.lost('store.connection'))
    const { generation } = hosts
    const toFailure = (error: unknown) => {
      if ((error as { code?: unknown }).code === READ_ONLY) hosts.markReadOnly(generation)
      return health.judge(error)
    }
    links.set(client, { generation, types, known: new Map(), isPooled: hosts.direct !== undefined, toFailure })
  })

  const isOutdated = (client: pg.ClientBase) => links.get(client)!.generation !== hosts.generation
  const connect = async (): Promise<{ client: pg.PoolClient; link: Link }> => {
    for (let tries = 1; ;) {
      const { url } = hosts
      pool.options.connectionString = url
      try {
        const client = await pool.connect()
        if (!isOutdated(client)) return { client: returning(client, isOutdated), link: links.get(client)! }
        client.release(true)
      } catch (error) {
        hosts.leave(url)
        if (tries++ >= hosts.count) throw storeAway(error)
      }
    }
  }
  return { pool, connect }
}

/** Closes connections to a server that became read-only, instead of returning them to the pool. */
function returning(client: pg.PoolClient, isOutdated: (client: pg.ClientBase) => boolean): pg.PoolClient {
  const release = client.release.bind(client)
  client.release = (error) => release(error ?? isOutdated(client))
  return client
}

/** Throws unless the connection leads to the store that was opened, and to a server that accepts writes if that is needed. */
async function examine(
  client: pg.PoolClient,
  { needsWriter, admit }: { needsWriter: boolean; admit: Admit | undefined },
): Promise<void> {
  if (!needsWriter && !admit) return
  const isAdmitted = admit?.()
  const mark = admit ? `(select value from store_facts where name = 'mark')` : 'null'
  const { rows } = await client.query<{ only: string; value: string | null }>(
    `select current_setting('transaction_read_only') as only, ${mark} as value`,
  )
  const { only, value } = rows[0]!
  if (needsWriter && only === 'on') throw new Error('The server takes no writes.')
  if (isAdmitted && !isAdmitted({ value, isReadOnly: only === 'on' }))
    throw new Error('The store is older than we know it.')
}

/**
 * The sockets of a pool. If the answer to a statement never came, its connection and the waiting callers would be
 * blocked until the system gives up the dead connection, after many minutes. Changes of the schema have no time limit.
 */
export class PoolSockets {
  readonly #open = new Set<Socket>()
  #silenceMax = 0

  readonly begin = (): Socket => {
    const socket = new Socket()
    this.#open.add(socket)
    socket.setTimeout(this.#silenceMax)
    socket.on('timeout', () => socket.destroy(new Error('The store does not answer.')))
    socket.on('close', () => this.#open.delete(socket))
    return socket
  }

  limitSilence(milliseconds: number): void {
    this.#silenceMax = milliseconds
    for (const socket of this.#open) socket.setTimeout(milliseconds)
  }
}
