import { mkdtempSync, rmSync } from 'node:fs'
import { type Agent, type IncomingHttpHeaders, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type App, startApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import { systemClock } from '../../src/infra/clock.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import type { Clock } from '../../src/kernel/ports.ts'
import { checkAnswer, checkRoute } from './answers.ts'
import { allConfirmed } from './blocks.ts'
import { closingBy, networkClock } from './clock.ts'
import { type Customer, type NewCustomer, openCustomer } from './customer.ts'
import { CONFIRMED_AFTER } from './devnet.ts'
import { newKey, testRandom } from './random.ts'
import { layEmptyStore, toStoreCtx } from './sqlite-store.ts'

/** A response as text and parsed; the caller names the expected type. */
export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape it is about to check
  json<T = Record<string, string>>(): T
}

export interface Ask {
  method?: string
  headers?: Record<string, string | string[]>
  body?: string | Uint8Array
  /** Keeps connections open; without one, each request uses a new connection. */
  agent?: Agent
}

export interface Gateway {
  app: App
  url: string
  /** Its data folder. */
  folder: string
  /** Its log so far. */
  log(): string
  /** Its store, as modules have it. */
  ctx: StoreCtx
  /** Makes an account with a key. */
  join(who?: NewCustomer): Promise<Customer>
  /** Calls an action; `headers` are added to the request. */
  call(action: string, parameters?: object, headers?: Ask['headers']): Promise<Reply>
  /** Waits until the development ledger has confirmed every block, unless it holds confirmations. */
  confirmed(): Promise<void>
  /** Posts text unchanged. */
  post(body: string, headers?: Ask['headers']): Promise<Reply>
  /** Calls a route with JSON. */
  rest(method: string, path: string, key?: string, body?: object): Promise<Reply>
  /** Closes it before the test ends; may be called again. */
  close(): Promise<void>
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** Settings that instances on one store must share. */
export const sharedKeys = () => ({
  WALLET_KEYS: `one:${newKey()}`,
  SECRET_KEY: newKey(),
})

/** Something with an end, usually a test. */
export interface Lifetime {
  after(end: () => unknown): void
}

/** Settings of every gateway in tests: any port, no limits, no threads. */
export const TEST_SETTINGS = {
  PORT: '0',
  METRICS_PORT: '0',
  PRICE_PROVIDERS: 'sandbox',
  LIMIT_ANONYMOUS_PER_MINUTE: '0',
  LIMIT_ANONYMOUS_CONCURRENCY: '0',
  FREE_WORK_ANONYMOUS_PER_HOUR: '0',
  // Starting threads takes long, and the development ledger computes work too.
  WORK_THREADS: '0',
  WORK_CARDS: 'none',
  WORK_NODES: 'true',
  DEVNET_TREASURY_NANO: '0',
}

/** A whole gateway on loopback with a development ledger, unless `env` names other nodes; closed when the test ends. */
export async function openGateway(
  t: Lifetime,
  env: Record<string, string> = {},
  clock: Clock = systemClock,
  leave?: (reason: string) => void,
): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-'))
  const lines: string[] = []
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => void lines.push(line) })
  const config = loadConfig({
    ...TEST_SETTINGS,
    DATA_DIR: folder,
    DEVNET_PORT: '0',
    DEVNET_WS_PORT: '0',
    // As on the network: with a delay, and not always in order.
    DEVNET_CONFIRM_MS: CONFIRMED_AFTER.join('-'),
    // The default offers of the development ledger are switched off, because most tests request work without paying.
    ...(env.X402_PAY_TO === undefined && { X402_ACTIONS: '' }),
    ...env,
  })
  if (env.DATABASE_URL === undefined && env.DATA_DIR === undefined) await layEmptyStore(join(folder, 'gateway.db'))
  const app = await startApp(config, {
    clock,
    ledgerClock: networkClock(clock),
    random: testRandom,
    log,
    ...(leave && { leave }),
  })
  let closing: Promise<void> | undefined
  const end = async () => {
    await closingBy(clock, app.close())
    rmSync(folder, { recursive: true, force: true })
  }
  const close = () => (closing ??= end())
  t.after(close)
  const ctx = toStoreCtx(app.store, clock)
  const post = (body: string, headers: Ask['headers'] = {}) => ask(app.url, { body, headers })
  return {
    app,
    url: app.url,
    folder,
    log: () => lines.join(''),
    ctx,
    join: (who) => openCustomer(ctx, who),
    post,
    close,
    rest: (method, path, key, body) =>
      ask(`${app.url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...(key !== undefined && bearer(key)) },
        ...(body && { body: JSON.stringify(body) }),
      }),
    confirmed: async () => {
      // Confirmations of other nodes cannot be awaited here.
      if (app.devnet) await allConfirmed(app.devnet.node)
    },
    async call(action, parameters = {}, headers) {
      const reply = await post(JSON.stringify({ action, ...parameters }), headers)
      checkAnswer(app.endpoints.actions, action, reply)
      return reply
    },
  }
}

/** The gateway's current metrics, as Prometheus reads them. */
export const readMetrics = async ({ app: { metricsUrl } }: { app: App }): Promise<string> =>
  (await ask(metricsUrl!, { method: 'GET' })).text

/** One request, with exactly the headers given. */
export function ask(url: string, { method = 'POST', headers = {}, body, agent }: Ask = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const chunked = body === undefined || headers['transfer-encoding'] !== undefined
    const length = chunked ? {} : { 'content-length': Buffer.byteLength(body) }
    const request = httpRequest(
      url,
      { method, agent: agent ?? false, headers: { ...length, ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const { statusCode: status = 0, headers } = response
          try {
            // Only a gateway's answers have this header; they are checked against their description.
            if (headers['x-request-id']) checkRoute(method, url, { status, text, type: headers['content-type'] })
            resolve({ status, headers, text, json: () => JSON.parse(text) })
          } catch (error) {
            reject(error)
          }
        })
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}
