import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { systemClock } from '../../src/infra/clock.ts'
import type { Store } from '../../src/infra/db/open.ts'
import { openStore } from '../../src/schema.ts'
import { openIds } from '../../src/infra/ids.ts'
import { systemRandom } from '../../src/infra/random.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { createAccount, issueKey } from '../../src/modules/accounts/index.ts'
import { createDatabase } from '../../test/support/postgres.ts'
import { sharedRedis } from '../../test/support/redis.ts'
import { familyMicroseconds, processorMicroseconds, residentMegabytes } from './machine.ts'
import { type Bench, balance, freePort, postmasterOf, untilAnswers } from './servers.ts'
import { terminalFailures } from '../../src/infra/failures.ts'

export interface FleetOptions {
  engine: StoreEngine
  processes: number
  /** Of the ledger's node. */
  nodeUrl: string
  nodeWsUrl?: string
  env?: Record<string, string>
}

export interface Fleet {
  /** nginx before all gateways, in turns. */
  url: string
  /** The gateways themselves. */
  urls: string[]
  pids: number[]
  store: Store
  ctx: StoreCtx
  accountId: string
  key: string
  headers: Record<string, string>
  /** Processor time so far, in microseconds. The embedded store works inside the gateway. */
  spent(): { gateway: number; database: number }
  resident(): number
  close(): Promise<void>
}

/** An empty store of an engine, opened here too, so that a bench can fill it and look into it. */
export async function openBenchStore(
  bench: Bench,
  engine: StoreEngine,
): Promise<{ url: string; store: Store; ctx: StoreCtx }> {
  const name = `store-${randomBytes(4).toString('hex')}`
  const url = engine === 'postgres' ? await createDatabase() : `sqlite:${join(bench.folder, name, 'gateway.db')}`
  const store = await openStore(url, systemClock)
  const wakeJobs = () => store.notices.publish('jobs', '')
  const ctx = {
    db: store.db,
    clock: systemClock,
    random: systemRandom,
    ids: openIds(systemRandom),
    wakeJobs,
    failures: terminalFailures,
  }
  return { url, store, ctx }
}

/** Gateways as operators run them: built, a process each, one store, limits on but never reached. */
export async function startFleet(bench: Bench, options: FleetOptions): Promise<Fleet> {
  const { engine, processes, nodeUrl, nodeWsUrl, env = {} } = options
  if (engine === 'sqlite' && processes > 1) throw new Error('The embedded store belongs to one process.')
  const { url: databaseUrl, store, ctx } = await openBenchStore(bench, engine)
  const { id: accountId } = await createAccount(ctx, { email: null, role: 'admin', actor: 'bench' })
  const { text: key } = await issueKey(ctx, { accountId, kind: 'secret', name: 'bench', actor: 'bench' })
  const secret = () => randomBytes(32).toString('base64')
  const shared = {
    DATABASE_URL: databaseUrl,
    NODE_URLS: nodeUrl,
    NODE_NETWORK: 'dev',
    ...(nodeWsUrl !== undefined && { NODE_WS_URLS: nodeWsUrl }),
    WALLET_KEYS: `one:${secret()}`,
    SECRET_KEY: secret(),
    LIMIT_ANONYMOUS_PER_MINUTE: '1000000000',
    LIMIT_ANONYMOUS_CONCURRENCY: '0',
    LIMIT_FREE_PER_MINUTE: '1000000000',
    LIMIT_FREE_CONCURRENCY: '0',
    FREE_SENDS_PER_MONTH: '0',
    CHECKOUT_OPEN_MAX: '0',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WORK_THREADS: '1',
    WORK_PRECOMPUTE: 'false',
    ...(engine === 'postgres' && { REDIS_URL: (await sharedRedis()).url, INSTANCES: String(processes) }),
    ...env,
  }
  const ports: number[] = []
  const children: ChildProcess[] = []
  for (let at = 0; at < processes; at++) {
    const port = await freePort()
    const name = `gateway-${port}`
    const own = { METRICS_PORT: '0', PORT: String(port), DATA_DIR: join(bench.folder, `data-${port}`) }
    const args = ['--max-semi-space-size=4', 'dist/cli.js', 'start']
    const child = bench.spawn(name, args, { ...shared, ...own })
    await untilAnswers(port, child).catch((error: unknown) => {
      throw new Error(`The gateway did not start:\n${bench.readLog(name)}`, { cause: error })
    })
    ports.push(port)
    children.push(child)
  }
  const front = await freePort()
  const nginx = await bench.startNginx(`front-${front}`, balance(front, ports))
  const pids = children.map(({ pid }) => pid!)
  const postmaster = engine === 'postgres' ? await postmasterOf(databaseUrl) : undefined
  return {
    url: `http://127.0.0.1:${front}`,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    pids,
    store,
    ctx,
    accountId,
    key,
    headers: { Authorization: `Bearer ${key}` },
    spent: () => ({
      gateway: processorMicroseconds(pids),
      database: postmaster === undefined ? 0 : familyMicroseconds(postmaster),
    }),
    resident: () => residentMegabytes(pids),
    close: async () => {
      await Promise.all([nginx, ...children].map((child) => bench.end(child)))
      await store.close()
    },
  }
}

/** Which fleets a bench runs: the embedded store in one process, the other in as many as asked for. */
export function listFleets(stores: readonly StoreEngine[], processes: readonly number[]) {
  return stores.flatMap((engine) =>
    (engine === 'sqlite' ? [1] : processes).map((count) => ({ engine, processes: count })),
  )
}
