import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingHttpHeaders, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type App, startApp } from '../src/app.ts'
import { loadConfig } from '../src/config/config.ts'
import { systemClock } from '../src/infra/clock.ts'
import { systemRandom } from '../src/infra/random.ts'
import { toAddress } from '../src/kernel/nano/address.ts'
import { publicKeyOf } from '../src/kernel/nano/keys.ts'
import type { Screen } from './screen.ts'

export interface Delivery {
  body: string
  headers: IncomingHttpHeaders
}

export interface Reply {
  status: number
  headers: Headers
  body: Record<string, unknown>
}

export interface Account {
  privateKey: string
  address: string
}

/** A gateway with its own ledger, and what the tour's steps use of it. */
export interface World {
  screen: Screen
  app: App
  /** Made by the first step for all others. */
  key: string
  receiverUrl: string
  createAccount(): Account
  /** Calls an action and prints the request and the response. */
  rpc(action: string, fields?: object, headers?: Record<string, string>): Promise<Reply>
  request(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Reply>
  /** Sends from the account that owns the development ledger. */
  fund(address: string, nano: string): Promise<void>
  /** The next webhook that the shop receives. */
  nextDelivery(): Promise<Delivery>
  /** Repeats the check until it is true. */
  until(isSo: () => Promise<boolean>): Promise<void>
  /** Advances the gateway's clock. */
  pass(milliseconds: number): void
  close(): Promise<void>
}

const PATIENCE = 60_000
const ASK_EVERY = 100

const wait = (milliseconds: number) => new Promise<void>((resolve) => void setTimeout(resolve, milliseconds))

function createAccount(): Account {
  const privateKey = Buffer.from(systemRandom.bytes(32)).toString('hex').toUpperCase()
  return { privateKey, address: toAddress(publicKeyOf(privateKey)) }
}

/** The named headers that are present. */
function pick(headers: Headers, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : [])))
}

/** A shop's webhook receiver that accepts everything. */
async function openReceiver() {
  const arrived: Delivery[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      arrived.push({ body: Buffer.concat(chunks).toString(), headers: request.headers })
      response.writeHead(204).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/paid`, arrived, close: () => server.close() }
}

export async function openWorld(screen: Screen, env: Record<string, string> = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-demo-'))
  let ahead = 0
  const clock = { ...systemClock, now: () => systemClock.now() + ahead }
  const config = loadConfig({
    PORT: '0',
    METRICS_PORT: '0',
    DATA_DIR: folder,
    X402_PAY_TO: createAccount().address,
    X402_NETWORK: 'nano:dev',
    X402_ACTIONS: 'account_history=0.001 nano',
    ...env,
  })
  const app = await startApp(config, { clock, random: systemRandom, log: pino({ level: 'silent' }) })
  const receiver = await openReceiver()

  const until = async (isSo: () => Promise<boolean>) => {
    for (let waited = 0; !(await isSo()); waited += ASK_EVERY) {
      if (waited > PATIENCE) throw new Error('It took too long.')
      await wait(ASK_EVERY)
    }
  }
  const request = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const url = path.startsWith('http') ? path : `${app.url}${path}`
    screen.call(method, url, { headers, body })
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const reply = { status: response.status, headers: response.headers, body: (await response.json()) as Reply['body'] }
    screen.answer(reply.status, {
      headers: pick(reply.headers, ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE']),
      body: reply.body,
    })
    return reply
  }
  return {
    screen,
    app,
    key: '',
    receiverUrl: receiver.url,
    createAccount,
    request,
    rpc: (action, fields = {}, headers = {}) => request('POST', '', { action, ...fields }, headers),
    async fund(address, nano) {
      const { rpcUrl } = app.devnet!
      const body = { action: 'devnet_fund', account: address, amount_nano: nano }
      screen.call('POST', rpcUrl, { body })
      const response = await fetch(rpcUrl, { method: 'POST', body: JSON.stringify(body) })
      const answer = (await response.json()) as { error?: string }
      screen.answer(response.status, { body: answer })
      if (answer.error !== undefined) throw new Error(answer.error)
    },
    async nextDelivery() {
      await until(async () => receiver.arrived.length > 0)
      return receiver.arrived.shift()!
    },
    until,
    pass: (milliseconds) => void (ahead += milliseconds),
    async close() {
      receiver.close()
      await app.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
