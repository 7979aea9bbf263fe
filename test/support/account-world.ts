import type { TestContext } from 'node:test'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { DeveloperDoor } from '../../src/http/developer-door.ts'
import { mountRoutes } from '../../src/http/routes.ts'
import { createServer } from '../../src/http/server.ts'
import type { Store } from '../../src/infra/db/open.ts'
import { openStore } from '../../src/schema.ts'
import { openIds } from '../../src/infra/ids.ts'
import { listJobs } from '../../src/infra/jobs/queue.ts'
import { JobRunner } from '../../src/infra/jobs/runner.ts'
import { MemoryLimiter } from '../../src/infra/limits/gcra.ts'
import { capturedMailer, listCapturedMail } from '../../src/infra/mail/captured.ts'
import { systemRandom } from '../../src/infra/random.ts'
import { openSecretBox } from '../../src/infra/secrets/secret-box.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import type { Mailer } from '../../src/kernel/ports.ts'
import type { Route } from '../../src/kernel/route.ts'
import type { Db } from '../../src/kernel/db.ts'
import type { Tables } from '../../src/tables.ts'
import {
  type Account,
  Sessions,
  StoredKeys,
  createAccount,
  issueKey,
  mailSignInLink,
  sendMail,
} from '../../src/modules/accounts/index.ts'
import { accountRoutes } from '../../src/modules/accounts/routes/api.ts'
import { adminRoutes } from '../../src/modules/admin/routes/api.ts'
import { TestClock } from './clock.ts'
import { emptyUrl } from './empty-store.ts'
import { until } from './until.ts'
import { hearFailures } from './failures.ts'

export interface World {
  store: Store
  ctx: StoreCtx
  clock: TestClock
  keys: StoredKeys
  sessions: Sessions
  server: FastifyInstance
  /** Everything that would be logged. */
  log: string[]
  ask(method: 'GET' | 'POST' | 'DELETE', path: string, rest?: Ask): Promise<LightMyRequestResponse>
  /** An account with a secret key. */
  join(email: string | null, role?: Account['role']): Promise<{ account: Account; key: string; keyId: string }>
  /** The token of the newest link that was mailed to an address. */
  mailedToken(email: string): Promise<string>
  signIn(email: string): Promise<{ token: string; cookie: string }>
}

export interface Ask {
  headers?: Record<string, string>
  body?: unknown
}

export interface WorldOptions {
  engine?: StoreEngine
  baseUrl?: string
  mailer?: Mailer
  /** Routes of other modules. */
  routes?: (ctx: StoreCtx) => readonly Route[]
}

/** Accounts with everything around them that is real: store, queue, mail box and routes, and a clock tests can turn. */
export async function openWorld(t: TestContext, options: WorldOptions = {}): Promise<World> {
  const { engine = 'sqlite', baseUrl = 'http://gateway.test' } = options
  const clock = new TestClock()
  const store = await openStore(await emptyUrl(t, engine), clock)
  const { db, notices } = store
  const ids = openIds(systemRandom)
  const ctx: StoreCtx = {
    db,
    clock,
    ids,
    random: systemRandom,
    wakeJobs: () => notices.publish('jobs', ''),
    failures: hearFailures(),
  }
  const keys = new StoredKeys(ctx)
  notices.subscribe('key', (hash) => keys.forget(hash))
  const secrets = openSecretBox(systemRandom.bytes(32), systemRandom)
  const sessions = new Sessions({ ...ctx, secrets })
  notices.subscribe('session', (id) => sessions.forget(id))
  const mailer = options.mailer ?? capturedMailer(db, clock)
  const jobs = [sendMail(mailer), mailSignInLink(ctx, mailer)]
  const runner = new JobRunner({ failures: hearFailures(), db, engine, clock, random: systemRandom, ids, jobs })
  notices.subscribe('jobs', () => runner.wake())
  const log: string[] = []
  let requests = 0
  const onError = (error: unknown, requestId: string) =>
    void log.push(`${requestId} ${error instanceof Error ? error.stack : String(error)}`)
  const server = createServer({
    bodyBytesMax: 64 * 1024,
    requestTimeoutMilliseconds: 1_000,
    rpc: (_request, response) => void response.writeHead(404).end(),
    isDraining: () => false,
    nextRequestId: () => `test-${++requests}`,
    onError,
  })
  const url = () => baseUrl
  const declared = [
    ...accountRoutes({ store: ctx, sessions, notices, baseUrl: url }),
    ...adminRoutes({
      store: ctx,
      listMails: (limit) => listCapturedMail(db, limit),
      listJobs: (filter) => listJobs(db, filter),
    }),
    ...(options.routes?.(ctx) ?? []),
  ]
  mountRoutes(server, declared, {
    store: ctx,
    secrets,
    keys,
    sessions,
    developers: new DeveloperDoor({ atDesk: false, keys, sessions, baseUrl: url }),
    baseUrl: url,
    ipOf: () => '127.0.0.1',
    enter: () => ({ leave: () => undefined }),
    openLimiter: () => new MemoryLimiter(clock),
    onError,
  })
  await server.ready()
  await runner.start()
  t.after(async () => {
    await server.close()
    await runner.stop()
    await keys.close()
    await store.close()
  })

  const ask: World['ask'] = (method, path, { headers = {}, body } = {}) =>
    server.inject({
      method,
      url: path,
      headers: { host: new URL(baseUrl).host, ...headers },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  const join: World['join'] = async (email, role = 'user') => {
    const account = await createAccount(ctx, { email, role, actor: 'test' })
    const issued = await issueKey(ctx, { accountId: account.id, kind: 'secret', name: 'First', actor: 'test' })
    return { account, key: issued.text, keyId: issued.key.id }
  }
  const mailedToken: World['mailedToken'] = async (email) => {
    const find = async () =>
      (await listCapturedMail(db, 100)).find(({ recipient }) => recipient.toLowerCase() === email.toLowerCase())
    await until(async () => (await find()) !== undefined)
    return tokenOf((await find())!.text)
  }
  const signIn: World['signIn'] = async (email) => {
    await ask('POST', '/api/sign-in/request', { body: { email } })
    const reply = await ask('POST', '/api/sign-in', { body: { token: await mailedToken(email) } })
    const cookie = String(reply.headers['set-cookie']).split(';')[0]!
    return { token: reply.json<{ token: string }>().token, cookie }
  }
  return { store, ctx, clock, keys, sessions, server, log, ask, join, mailedToken, signIn }
}

/** What stands behind the `#` of a mailed link. */
export function tokenOf(text: string): string {
  return /#(\w{40})$/m.exec(text)![1]!
}

const TABLES: Record<keyof Tables, true> = {
  accounts: true,
  api_keys: true,
  sign_in_links: true,
  session_secrets: true,
  ended_sessions: true,
  audit_entries: true,
  credit_balances: true,
  credit_entries: true,
  credit_reservations: true,
  free_uses: true,
  usage_days: true,
  usage_batches: true,
  jobs: true,
  mails: true,
  idempotency: true,
  works: true,
  rep_days: true,
  swaps: true,
  wallets: true,
  wallet_keys: true,
  wallet_canaries: true,
  wallet_plans: true,
  wallet_blocks: true,
  events: true,
  event_positions: true,
  deliveries: true,
  delivery_attempts: true,
  webhook_secrets: true,
  disabled_webhooks: true,
  checkouts: true,
  checkout_reservations: true,
  checkout_quotes: true,
  checkout_payments: true,
  checkout_timeline: true,
  checkout_watchers: true,
  checkout_sightings: true,
  watched_addresses: true,
  usernames: true,
  service_orders: true,
  service_payments: true,
  x402_payments: true,
  x402_offers: true,
  email_payments: true,
  email_recipients: true,
  email_tokens: true,
  email_suppressions: true,
  faucet_claims: true,
  store_facts: true,
}

/** Every row of every table, as text. */
export async function dumpStore(db: Db): Promise<Record<string, string>> {
  const dump: Record<string, string> = {}
  for (const table of Object.keys(TABLES) as (keyof Tables)[]) {
    const rows = await db.selectFrom(table).selectAll().execute()
    dump[table] = rows
      .map((row) => JSON.stringify(row))
      .sort()
      .join('\n')
  }
  return dump
}

/** What happened to an account, oldest first. */
export async function listAudit(db: Db, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('audit_entries')
    .select('what')
    .where('account_id', '=', accountId)
    .orderBy('at')
    .execute()
  return rows.map(({ what }) => what)
}

/** A store that must not be asked. */
export const untouchable = new Proxy({} as Db, {
  get: () => {
    throw new Error('The store was asked.')
  },
})
