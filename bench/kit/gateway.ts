import { OPERATOR } from '../../src/kernel/actor.ts'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { systemClock } from '../../src/infra/clock.ts'
import type { Store } from '../../src/infra/db/open.ts'
import { openStore } from '../../src/store/schema.ts'
import { openIds, systemRandom } from '../../src/infra/random.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { createAccount, issueKey } from '../../src/modules/accounts/index.ts'
import { createDatabase } from '../../test/support/postgres.ts'
import { familyMicroseconds, familyOf, residentMegabytes } from './machine.ts'
import { type Bench, freePort, postmasterOf, untilAnswers } from './servers.ts'
import { terminalFailures } from '../../src/infra/failures.ts'

export interface GatewayOptions {
  engine: StoreEngine
  nodeUrl: string
  nodeWsUrl?: string
  env?: Record<string, string>
  /** An existing store. */
  opened?: Awaited<ReturnType<typeof openBenchStore>>
}

export interface Spent {
  gateway: number
  database: number
}

export interface BenchGateway {
  url: string
  port: number
  store: Store
  ctx: StoreCtx
  accountId: string
  key: string
  headers: Record<string, string>
  /** Processor time so far, in microseconds. SQLite runs inside the gateway, so its time is included there. */
  spent(): Spent
  resident(): number
  /** Time from the start of the process to its first answer. */
  started: { seconds: number; processorSeconds: number }
  close(): Promise<void>
}

/** Opens an empty store in this process too, so that a bench can fill and read it. */
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
    notifyAccount: () => undefined,
    failures: terminalFailures,
  }
  return { url, store, ctx }
}

/** Starts a gateway as operators run it: built, in its own process, with limits on but too high to be reached. */
export async function startGateway(bench: Bench, options: GatewayOptions): Promise<BenchGateway> {
  const { engine, nodeUrl, nodeWsUrl, env = {} } = options
  const opened = options.opened ?? (await openBenchStore(bench, engine))
  const { url: databaseUrl, store, ctx } = opened
  const { id: accountId } = await createAccount(ctx, { email: null, role: 'admin', actor: OPERATOR })
  const { text: key } = await issueKey(ctx, { accountId, kind: 'secret', name: 'bench', actor: OPERATOR })
  const secret = () => randomBytes(32).toString('base64')
  const port = await freePort()
  const name = `gateway-${port}`
  const settings = {
    // With npm's variables set, a gateway would watch the shell that npm starts.
    npm_lifecycle_event: undefined,
    // As in the service unit and the container.
    MALLOC_TRIM_THRESHOLD_: '2097152',
    MALLOC_MMAP_THRESHOLD_: '1048576',
    PORT: String(port),
    DATA_DIR: join(bench.folder, `data-${port}`),
    DATABASE_URL: databaseUrl,
    NODE_URLS: nodeUrl,
    NODE_NETWORK: 'dev',
    ...(nodeWsUrl !== undefined && { NODE_WS_URLS: nodeWsUrl }),
    WALLET_KEYS: `one:${secret()}`,
    SECRET_KEY: secret(),
    METRICS_PORT: '0',
    LIMIT_ANONYMOUS_PER_MINUTE: '1000000000',
    LIMIT_ANONYMOUS_CONCURRENCY: '0',
    LIMIT_FREE_PER_MINUTE: '1000000000',
    LIMIT_FREE_CONCURRENCY: '0',
    FREE_SENDS_PER_MONTH: '0',
    CHECKOUT_OPEN_MAX: '0',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WORK_THREADS: '1',
    // The processes of an OpenCL driver would be counted with the gateway's.
    WORK_CARDS: 'none',
    WORK_PRECOMPUTE: 'false',
    ...env,
  }
  const began = performance.now()
  const child = bench.spawn(name, ['--max-semi-space-size=4', 'bin/nano-gateway.cjs', 'start'], settings)
  await untilAnswers(port, child).catch((error: unknown) => {
    throw new Error(`The gateway did not start:\n${bench.readLog(name)}`, { cause: error })
  })
  const pid = child.pid!
  const started = {
    seconds: (performance.now() - began) / 1_000,
    processorSeconds: familyMicroseconds(pid) / 1e6,
  }
  const postmaster = engine === 'postgres' ? await postmasterOf(databaseUrl) : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    store,
    ctx,
    accountId,
    key,
    headers: { Authorization: `Bearer ${key}` },
    spent: () => ({
      gateway: familyMicroseconds(pid),
      database: postmaster === undefined ? 0 : familyMicroseconds(postmaster),
    }),
    resident: () => residentMegabytes(familyOf(pid)),
    started,
    close: async () => {
      await bench.end(child)
      if (options.opened === undefined) await store.close()
    },
  }
}
