import assert from 'node:assert/strict'
import { openPrivacy } from '../../src/store/privacy.ts'
import type { TestContext } from 'node:test'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { DeveloperAccess } from '../../src/http/developer-access.ts'
import { RouteLimits, openLimit } from '../../src/http/route-limits.ts'
import { mountRoutes } from '../../src/http/routes.ts'
import { createServer } from '../../src/http/server.ts'
import type { Store } from '../../src/infra/db/open.ts'
import { OFFERED } from '../../src/offered.ts'
import { openStore } from '../../src/store/schema.ts'
import { listJobs } from '../../src/infra/jobs/queue.ts'
import { JobRunner } from '../../src/infra/jobs/runner.ts'
import { MemoryLimiter } from '../../src/infra/limits/gcra.ts'
import { capturedMailer, listCapturedMail } from '../../src/infra/mail/captured.ts'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import type { Mailer, SecretBox } from '../../src/kernel/ports.ts'
import type { Route } from '../../src/kernel/route.ts'
import { STANDING_NOTICE, Sessions } from '../../src/modules/accounts/index.ts'
import { type Account } from '../../src/modules/accounts/store.ts'
import { StoredKeys } from '../../src/modules/accounts/stored-keys.ts'
import { mailInvitations, mailProofCode, mailSignInLink, sendMail } from '../../src/modules/accounts/jobs.ts'
import { operatorRoutes } from '../../src/modules/accounts/routes/operator.ts'
import { passkeyRoutes } from '../../src/modules/accounts/routes/passkeys-api.ts'
import type { Required } from '../../src/modules/accounts/passkeys/policy.ts'
import { memberRoutes } from '../../src/modules/accounts/routes/people.tsx'
import { accountRoutes } from '../../src/modules/accounts/routes/api.ts'
import { adminRoutes } from '../../src/modules/admin/routes/api.ts'
import { TestClock } from './clock.ts'
import { type Customer, openCustomer } from './customer.ts'
import { emptyUrl } from './empty-store.ts'
import { tokenOf } from './mail-server.ts'
import { testRandom } from './random.ts'
import { toStoreCtx } from './sqlite-store.ts'
import { until } from './until.ts'

export interface MountedRoutes {
  store: Store
  ctx: StoreCtx
  clock: TestClock
  secrets: SecretBox
  keys: StoredKeys
  sessions: Sessions
  server: FastifyInstance
  /** Everything that would be logged. */
  log: string[]
  ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, rest?: Ask): Promise<LightMyRequestResponse>
  /** An account with a secret key. */
  join(email: string | null, role?: Account['role']): Promise<Customer>
  /** The token of the latest link mailed to an address. */
  mailedToken(email: string): Promise<string>
  signIn(email: string): Promise<{ token: string; cookie: string }>
}

export interface Ask {
  headers?: Record<string, string>
  body?: unknown
}

interface Options {
  engine?: StoreEngine
  baseUrl?: string
  mailer?: Mailer
  passkeysRequired?: Required
  /** Additional routes. */
  routes?: (ctx: StoreCtx) => readonly Route[]
}

/** The account routes and the given ones on a server without the rest of a gateway, with store, queue and mailbox. */
export async function openRoutes(t: TestContext, options: Options = {}): Promise<MountedRoutes> {
  const { engine = 'sqlite', baseUrl = 'http://gateway.test', passkeysRequired: required = 'none' } = options
  const clock = new TestClock()
  const store = await openStore(await emptyUrl(t, engine), clock)
  const { db, notices } = store
  const ctx = toStoreCtx(store, clock)
  const keys = new StoredKeys(ctx)
  notices.subscribe('key', (hash) => keys.forget(hash))
  const secrets = openSecretBox(testRandom.bytes(32), testRandom)
  const sessions = new Sessions({ ...ctx, secrets, passkeysRequired: required })
  notices.subscribe(STANDING_NOTICE, (accountId) => keys.forgetAccount(accountId))
  const mailer = options.mailer ?? capturedMailer(db, clock)
  const jobs = [
    sendMail(mailer),
    mailSignInLink(ctx, mailer, required),
    mailProofCode(ctx, mailer),
    mailInvitations(ctx, mailer),
  ]
  const runner = new JobRunner({ ...ctx, engine, jobs })
  notices.subscribe('jobs', () => runner.wake())
  const log: string[] = []
  let requests = 0
  const onError = (error: unknown, requestId: string) =>
    void log.push(`${requestId} ${error instanceof Error ? error.stack : String(error)}`)
  const server = createServer({
    bodyBytesMax: 64 * 1024,
    requestTimeoutMilliseconds: 1_000,
    rpc: { answer: (_request, response) => void response.writeHead(404).end(), answerRead: () => assert.fail() },
    httpFast: false,
    isDraining: () => false,
    nextRequestId: () => `test-${++requests}`,
    onError,
  })
  const url = () => baseUrl
  const declared = [
    ...accountRoutes({ store: ctx, sessions, notices, baseUrl: url, required }),
    ...passkeyRoutes({ store: ctx, sessions, baseUrl: url, required }),
    ...operatorRoutes({ store: ctx, announceStanding: (accountId) => notices.publish(STANDING_NOTICE, accountId) }),
    ...memberRoutes({
      store: ctx,
      announceStanding: (accountId) => notices.publish(STANDING_NOTICE, accountId),
      baseUrl: url,
    }),
    ...adminRoutes({
      store: ctx,
      listMails: (limit) => listCapturedMail(db, limit),
      listJobs: (filter) => listJobs(db, filter),
      announceStanding: (accountId) => notices.publish(STANDING_NOTICE, accountId),
      ...openPrivacy(ctx),
    }),
    ...(options.routes?.(ctx) ?? []),
  ]
  mountRoutes(server, declared, {
    store: ctx,
    secrets,
    keys,
    sessions,
    developers: new DeveloperAccess({ isLocal: false, keys, sessions, baseUrl: url }),
    baseUrl: url,
    ipOf: () => '127.0.0.1',
    enter: () => ({ leave: () => undefined }),
    limits: new RouteLimits({ keys, openLimiter: () => new MemoryLimiter(clock), ipOf: () => '127.0.0.1' }),
    openLimit: openLimit(0),
    described: OFFERED.flatMap(({ described = [] }) => described),
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

  const ask: MountedRoutes['ask'] = (method, path, { headers = {}, body } = {}) =>
    server.inject({
      method,
      url: path,
      headers: { host: new URL(baseUrl).host, ...headers },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  const join: MountedRoutes['join'] = (email, role = 'user') => openCustomer(ctx, { email, role, name: 'First' })
  const mailedToken: MountedRoutes['mailedToken'] = async (email) => {
    const find = async () =>
      (await listCapturedMail(db, 100)).find(({ recipient }) => recipient.toLowerCase() === email.toLowerCase())
    await until(async () => (await find()) !== undefined)
    return tokenOf((await find())!.text)
  }
  const signIn: MountedRoutes['signIn'] = async (email) => {
    await ask('POST', '/api/sign-in/request', { body: { email } })
    const reply = await ask('POST', '/api/sign-in', { body: { token: await mailedToken(email) } })
    const cookie = String(reply.headers['set-cookie']).split(';')[0]!
    return { token: reply.json<{ token: string }>().token, cookie }
  }
  return { store, ctx, clock, secrets, keys, sessions, server, log, ask, join, mailedToken, signIn }
}
