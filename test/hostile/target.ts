import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type App, startApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import type { Clock } from '../../src/kernel/ports.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { Sessions } from '../../src/modules/accounts/index.ts'
import { TestClock } from '../support/clock.ts'
import { Signer } from '../support/blocks.ts'
import { openCustomer } from '../support/customer.ts'
import { testRandom } from '../support/random.ts'
import { toStoreCtx } from '../support/sqlite-store.ts'
import type { Credentials } from './requests.ts'

const ORIGIN = 'https://shop.example'

/** A whole gateway without limits on requests, and its reported failures. */
export interface Target {
  app: App
  port: number
  clock: Clock
  /** Log lines of unexpected failures. */
  failures: string[]
  /** Makes a new account with credentials of every kind. */
  join(): Promise<Credentials>
  close(): Promise<void>
}

export async function openTarget(env: Record<string, string> = {}): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-hostile-'))
  const failures: string[] = []
  const log = pino(
    { level: 'info', base: null },
    { write: (line: string) => void (line.startsWith('{"level":50') && failures.push(line)) },
  )
  const { clock, stop } = startPatientClock()
  const secretKey = testRandom.bytes(32)
  const config = loadConfig({
    SECRET_KEY: Buffer.from(secretKey).toString('base64'),
    PORT: '0',
    METRICS_PORT: '0',
    DATA_DIR: folder,
    PRICE_PROVIDERS: 'sandbox',
    // Requests may come from different addresses, so that limits per address do not hide defects.
    TRUSTED_PROXIES: '127.0.0.1',
    LIMIT_ANONYMOUS_PER_MINUTE: '0',
    LIMIT_ANONYMOUS_CONCURRENCY: '0',
    LIMIT_FREE_PER_MINUTE: '0',
    LIMIT_FREE_CONCURRENCY: '0',
    CHECKOUT_GENERATED_WALLETS: 'true',
    CACHE_BYTES_MAX: '4194304',
    WALLET_WAIT_MS: '1000',
    WORK_THREADS: '0',
    WORK_NODES: 'true',
    WORK_PRECOMPUTE: 'false',
    X402_PAY_TO: new Signer(77).address,
    X402_ACTIONS: 'work_generate,price',
    DEVNET_TREASURY_NANO: '1000',
    DEVNET_PORT: '0',
    DEVNET_WS_PORT: '0',
    ...env,
  })
  const app = await startApp(config, { clock, random: testRandom, log })
  const ctx = toStoreCtx(app.store, clock)
  const sessions = new Sessions({ ...ctx, secrets: openSecretBox(secretKey, testRandom) })
  return {
    app,
    clock,
    port: Number(new URL(app.url).port),
    failures,
    join: () => makeCredentials(ctx, sessions),
    async close() {
      await app.close()
      stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const TICK = 25
const STEP_MAX = 100

/** A clock that follows this process. If the machine pauses for seconds, that counts as one step, so that pending answers are handled before timeouts. */
function startPatientClock(): { clock: TestClock; stop(): void } {
  const clock = new TestClock(Date.now())
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    clock.advance(Math.min(STEP_MAX, Math.round(now - last)))
    last = now
  }, TICK)
  return { clock, stop: () => clearInterval(timer) }
}

async function makeCredentials(ctx: StoreCtx, sessions: Sessions): Promise<Credentials> {
  const join = (role: 'user' | 'admin') => openCustomer(ctx, { role })
  const [user, other, admin] = [await join('user'), await join('user'), await join('admin')]
  const session = await sessions.create(user.accountId, { keyId: user.keyId })
  return [
    [`authorization: Bearer ${user.key}`],
    [`authorization: Bearer ${user.key}`],
    [`authorization: ${user.key}`],
    [`x-api-key: ${user.key}`],
    [`x-api-key: ${other.key}`],
    [`x-api-key: ${other.key}`],
    [`key: ${admin.key}`],
    [`authorization: Bearer ${await user.issue('public', [ORIGIN])}`, `origin: ${ORIGIN}`],
    [`authorization: Bearer ${session}`],
    [`cookie: nano-gateway=${session}`, 'sec-fetch-site: same-origin'],
    ['authorization: Bearer rpc_sk_none'],
    [`authorization: Bearer ${user.key}`, `x-api-key: ${other.key}`],
  ]
}
