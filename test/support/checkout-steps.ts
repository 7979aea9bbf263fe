import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { type App, startApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import type { Devnet } from '../../src/devnet/index.ts'
import { openIds } from '../../src/infra/ids.ts'
import { systemRandom } from '../../src/infra/random.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { type Raw, parseNano } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import type { KeyKind } from '../../src/kernel/api-key.ts'
import { createAccount, issueKey } from '../../src/modules/accounts/index.ts'
import { NO_WORK, Signer, give } from './blocks.ts'
import { TestClock } from './clock.ts'
import { openDevnet } from './devnet.ts'
import { emptyUrl } from './empty-store.ts'
import { EventRelay } from './event-relay.ts'
import { type Reply, ask } from './gateway.ts'
import { until } from './until.ts'
import { hearFailures } from './failures.ts'

export interface Check {
  id: string
  status: string
  additional_status: string
  success: boolean
  address: string
  amount: string | null
  amount_raw: string
  amount_paid_raw: string
  amount_due_raw: string
  block?: { hash: string; account: string; amount: string; amount_raw: string }
  detected_block?: { hash: string; account: string; amount: string; amount_raw: string }
  message?: string
  plan?: { title: string; value_raw: string }
  expired?: boolean
  error?: string
}

export interface Made {
  id: string
  address: string
  amount: string
  amount_raw: string
  link: string
  qrcode: string
  plans: { title: string; value: string; value_raw: string }[]
  webhook_secret?: string
  [name: string]: unknown
}

export interface Shop {
  app: App
  url: string
  call(action: string, fields?: object, headers?: Record<string, string>): Promise<Reply>
  /** Makes a checkout that must succeed. */
  open(fields: object, headers?: Record<string, string>): Promise<Made>
  check(id: string): Promise<Check>
  rest(method: string, path: string, key?: string, body?: object): Promise<Reply>
  close(): Promise<void>
}

export interface World {
  clock: TestClock
  ledger: Devnet
  relay: EventRelay
  /** Starts a gateway on the same store, ledger and clock; several may run at once. */
  start(env?: Record<string, string>): Promise<Shop>
  /** The administrator key of the first gateway. */
  key(): string
  /** An account with a key of its own. */
  join(shop: Shop, kind?: KeyKind, origins?: string[]): Promise<{ accountId: string; key: string }>
  /** Sends from the genesis account. */
  pay(address: string, amount: string | Raw): Promise<string>
}

export const merchant = new Signer(41)
export const stranger = new Signer(42)
export const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
export const nano = (text: string) => parseNano(text)!

/** A ledger, a store and a clock that outlive the gateways on them. */
export async function openWorld(t: TestContext, engine: StoreEngine = 'sqlite', thresholds = NO_WORK): Promise<World> {
  const clock = new TestClock()
  const ledger = await openDevnet(t, { thresholds, clock })
  const relay = await EventRelay.start(t, ledger.wsUrl)
  const databaseUrl = await emptyUrl(t, engine)
  let createdKey: string | undefined
  const secret = () => randomBytes(32).toString('base64')
  const keys = { WALLET_KEYS: `one:${secret()}`, SECRET_KEY: secret() }
  const start: World['start'] = async (env = {}) => {
    const shop = await startShop(t, clock, {
      DATABASE_URL: databaseUrl,
      NODE_URLS: ledger.rpcUrl,
      NODE_WS_URLS: relay.url,
      NODE_NETWORK: 'dev',
      ...keys,
      ...env,
    })
    createdKey ??= shop.app.createdKey
    // A node that cannot be asked which ledger it has is not heard.
    const { confirmations, pool } = shop.app.nodes
    await until(() => confirmations.connected || pool.upstreams.every(({ reachable }) => !reachable))
    return shop
  }
  return {
    clock,
    ledger,
    relay,
    start,
    key: () => createdKey!,
    async join(shop, kind = 'secret', origins = []) {
      const ctx = storeCtx(shop, clock)
      const { id: accountId } = await createAccount(ctx, { email: null, role: 'user', actor: 'test' })
      const { text: key } = await issueKey(ctx, { accountId, kind, name: 'shop', origins, actor: 'test' })
      return { accountId, key }
    },
    pay: (address, amount) => {
      const raw = typeof amount === 'string' ? (BigInt(amount) as Raw) : amount
      return give(ledger.node, fromAddress(address)!, raw)
    },
  }
}

/** A shop whose merchant has a key and may be told on this machine. */
export async function openShop(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<{ world: World; shop: Shop; key: string }> {
  const world = await openWorld(t)
  const shop = await world.start({ WEBHOOK_ALLOW_PRIVATE: 'true', ...env })
  const { key } = await world.join(shop)
  return { world, shop, key }
}

export function storeCtx({ app: { store } }: Shop, clock: TestClock): StoreCtx {
  const wakeJobs = () => store.notices.publish('jobs', '')
  return { db: store.db, clock, ids: openIds(systemRandom), random: systemRandom, wakeJobs, failures: hearFailures() }
}

async function startShop(t: TestContext, clock: TestClock, env: Record<string, string>): Promise<Shop> {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-'))
  const config = loadConfig({
    PORT: '0',
    METRICS_PORT: '0',
    LIMIT_ANONYMOUS_PER_MINUTE: '0',
    LIMIT_ANONYMOUS_CONCURRENCY: '0',
    LIMIT_FREE_PER_MINUTE: '0',
    LIMIT_FREE_CONCURRENCY: '0',
    // Whoever waits for a payment looks often, and the minute of a clock that stands still never ends.
    LIMIT_CHECK_PER_MINUTE: '0',
    PRICE_PROVIDERS: 'sandbox',
    WORK_THREADS: '0',
    WORK_NODES: 'true',
    WORK_PRECOMPUTE: 'false',
    DATA_DIR: folder,
    ...env,
  })
  const failures: unknown[] = []
  const write = (line: string) => {
    const entry = JSON.parse(line) as { event?: string }
    if (entry.event === 'unexpected' || entry.event === 'background_failure') failures.push(entry)
  }
  const log = pino({ level: 'error', base: null }, { write })
  const app = await startApp(config, { clock, random: systemRandom, log })
  let closing: Promise<void> | undefined
  const close = async () => {
    await turnUntilClosed(clock, app.close())
    rmSync(folder, { recursive: true, force: true })
  }
  const json = { 'content-type': 'application/json' }
  const call: Shop['call'] = (action, fields = {}, headers = {}) =>
    ask(app.url, { body: JSON.stringify({ action, ...fields }), headers: { ...json, ...headers } })
  const shop: Shop = {
    app,
    url: app.url,
    call,
    async open(fields, headers) {
      const reply = await call('checkout', fields, headers)
      if (reply.status !== 200) throw new Error(`No checkout: ${reply.status} ${reply.text}`)
      return reply.json<Made>()
    },
    async check(id) {
      const reply = await ask(`${app.url}/check/${id}`, { method: 'GET' })
      return reply.json<Check>()
    },
    rest: (method, path, key, body) =>
      ask(`${app.url}${path}`, {
        method,
        headers: { ...json, ...(key !== undefined && bearer(key)) },
        ...(body && { body: JSON.stringify(body) }),
      }),
    close: () => (closing ??= close()),
  }
  t.after(() => shop.close())
  return shop
}

/** Real time after which whatever is being closed waits for a moment of the clock, which nobody turns any more. */
const STUCK_AFTER = 5_000

async function turnUntilClosed(clock: TestClock, closed: Promise<void>): Promise<void> {
  let turning: NodeJS.Timeout | undefined
  const patience = setTimeout(() => (turning = setInterval(() => clock.advance(1_000), LOOK)), STUCK_AFTER)
  try {
    await closed
  } finally {
    clearTimeout(patience)
    clearInterval(turning)
  }
}

/** Waits until a checkout has a status, and answers its check. */
export async function untilStatus(shop: Shop, id: string, status: string): Promise<Check> {
  await until(async () => (await shop.check(id)).status === status)
  return shop.check(id)
}

/** Longer than a look at the ledger takes; a clock that runs ahead of it would only make it time out. */
const LOOK = 40
/** Where looks take longer than that, the clock goes slower, too: otherwise none would ever come to its end. */
const paceAfter = (milliseconds: number) =>
  milliseconds < 10_000 ? LOOK : milliseconds < 25_000 ? 10 * LOOK : 50 * LOOK

/** Turns the clock step by step, so that everything that waits for its turn gets one, until something is so. */
export async function turnUntil(
  { clock }: World,
  stepMilliseconds: number,
  isSo: () => Promise<boolean>,
): Promise<void> {
  const startedAt = performance.now()
  let turnedAt = startedAt
  await until(async () => {
    if (await isSo()) return true
    const now = performance.now()
    if (now - turnedAt > paceAfter(now - startedAt)) {
      clock.advance(stepMilliseconds)
      turnedAt = performance.now()
    }
    return false
  })
}

/** What its merchant sees of a checkout over REST. */
export interface Shown {
  checkout: Record<string, unknown>
  payments: { block_hash: string; amount_raw: string; kind: string }[]
  webhook_events: { id: string; type: string; payload: EventBody }[]
  timeline: { seq: number; status: string; additional_status: string; at_unix: number; reason: string }[]
}

/** The body of an event about a checkout. */
export interface EventBody {
  id: string
  type: string
  created_unix: number
  checkout_id: string
  checkout: string
  status: string
  address: string
  payment: { address: string; amount: string; amount_raw: string }
  block?: { hash: string; account: string; amount: string; amount_raw: string; confirmed: string }
  plan: { title: string; value: string; discount: false | number; value_raw: string }
  metadata: object
}

export async function show(shop: Shop, id: string, key: string): Promise<Shown> {
  const reply = await shop.rest('GET', `/api/checkouts/${id}`, key)
  if (reply.status !== 200) throw new Error(`Nothing shown: ${reply.status} ${reply.text}`)
  return reply.json<Shown>()
}

/** Every event that was recorded, oldest first. */
export async function listEvents({ app }: Shop, subject?: string) {
  const rows = await app.store.db.selectFrom('events').selectAll().orderBy('created_at').orderBy('position').execute()
  return rows
    .map(({ subject, type, body }) => ({ subject, type, body: body! }))
    .filter((event) => subject === undefined || event.subject === subject)
}
