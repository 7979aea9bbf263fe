import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { nano } from '../support/checkout-steps.ts'
import { Signer, frontierOf, openAccount, publish } from '../support/blocks.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { signBody } from '../../src/modules/webhooks/domain/sign-body.ts'
import type { Customer } from '../support/customer.ts'
import { openFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { type Gateway, ask, openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dirname, '../..')
export const PLUGIN = join(root, 'integrations/woocommerce')
export const DOUBLE = join(import.meta.dirname, 'woocommerce')
/** PHP workers, as many as requests served in parallel. */
export const WORKERS = '4'

export interface ShownOrder {
  status: string
  transaction: string
  checkouts: string[]
  notes: string[]
  refunds: string[]
  happened: string[]
}

interface OwnCheckout {
  address: string
  amount_raw: string
  status: string
  additional_status: string
  price: string
  metadata: Record<string, string>
}

export interface WooShop {
  gateway: Gateway
  merchant: Customer
  url: string
  hook: string
  secret: string
  settings: Record<string, string>
  customer: Signer
  /** Runs an operation of a customer or the merchant. */
  play<T = Record<string, unknown>>(what: string, given?: object): Promise<T>
  /** Saves the settings as the admin's form does; returns its errors. */
  save(changed?: Record<string, string>): Promise<string[]>
  order(total?: string): Promise<number>
  /** Sends an order to the payment page; returns the id of its checkout. */
  toPay(id: number): Promise<string>
  show(id: number): Promise<ShownOrder>
  checkout(id: string): Promise<OwnCheckout>
  /** The customer sends, and the ledger confirms. */
  send(to: string, raw: string | bigint): Promise<string>
  /** Delivers a body as the gateway would. */
  tell(body: string, by?: { secret?: string; timestamp?: number }): Promise<number>
  untilStatus(id: number, status: string): Promise<ShownOrder>
}

/** An empty PHP shop with the plug-in, in front of a whole gateway, both for the duration of the test. */
export async function openWooShop(t: TestContext, serve: typeof serveShop = serveShop): Promise<WooShop> {
  const gateway = await openGateway(t)
  const merchant = await gateway.join()
  const rotated = await gateway.rest('POST', '/api/webhooks/secret/rotate', merchant.key, {})
  const secret = rotated.json().webhook_secret!
  const scoped = { name: 'shop', scopes: ['checkout', 'refunds', 'webhooks'] }
  const { key } = (await gateway.rest('POST', '/api/keys', merchant.key, scoped)).json<{ key: string }>()
  const wallet = await gateway.call('cloud_wallet', { wallet_action: 'create_wallet' }, merchant.headers)
  const url = await serve(t)
  const settings = {
    enabled: '1',
    title: 'Nano',
    gateway_url: `${gateway.url}/`,
    secret_key: key,
    webhook_secret: secret,
    address: wallet.json<{ address: string }>().address,
    minutes: '60',
  }
  const customer = new Signer(71, WORK_THRESHOLDS.dev)
  const { node } = gateway.app.devnet!
  await openAccount(node, customer, nano('1000'))
  const play: WooShop['play'] = async <T>(what: string, given: object = {}) => {
    const reply = await ask(`${url}/play/${what}`, { body: JSON.stringify(given) })
    // A PHP warning would be printed before the JSON.
    if (reply.status !== 200 || !/^[[{]/.test(reply.text)) throw new Error(`${what}: ${reply.status} ${reply.text}`)
    return reply.json<T>()
  }
  const show = (id: number) => play<ShownOrder>('show', { id })
  const hook = `${url}/?wc-api=nano_gateway`
  return {
    gateway,
    merchant,
    url,
    hook,
    secret,
    settings,
    customer,
    play,
    show,
    async save(changed = {}) {
      const fields = Object.entries({ ...settings, ...changed }).map(([name, value]) => [
        `woocommerce_nano_gateway_${name}`,
        value,
      ])
      const body = new URLSearchParams(fields).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return (await ask(`${url}/play/save`, { body, headers })).json<{ errors: string[] }>().errors
    },
    order: async (total = '12.50') => (await play<{ id: number }>('order', { total })).id,
    async toPay(id) {
      const { redirect } = await play<{ redirect?: string }>('pay', { id })
      const [, checkout] = /\/pay\/([0-9a-f]{16})$/.exec(redirect ?? '') ?? []
      if (checkout === undefined) throw new Error(`Not sent to pay: ${redirect}`)
      return checkout
    },
    checkout: async (id) =>
      (await gateway.rest('GET', `/api/checkouts/${id}`, merchant.key)).json<{ checkout: OwnCheckout }>().checkout,
    send: (to, raw) => publish(node, customer.send(frontierOf(node, customer.key), fromAddress(to)!, BigInt(raw))),
    async tell(body, { secret: by = secret, timestamp = Math.floor(Date.now() / 1_000) } = {}) {
      const headers = signBody({ id: 'evt_1', timestamp, body, secrets: [by] })
      return (await ask(hook, { body, headers })).status
    },
    async untilStatus(id, status) {
      await until(async () => (await show(id)).status === status)
      return show(id)
    },
  }
}

/** The plug-in as merchants get it: zipped, and unpacked by another program. */
export function unpackPlugin(t: Pick<TestContext, 'after'>): string {
  const folder = openFolder(t)
  const made = execFileSync(process.execPath, [join(root, 'scripts/zip-woocommerce.mjs'), '--to', folder])
  const unpack = '(new PharData($argv[1]))->extractTo($argv[2]);'
  execFileSync('php', ['-r', unpack, made.toString().trim(), folder])
  return join(folder, 'nano-gateway')
}

async function serveShop(t: TestContext): Promise<string> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    PATH: process.env.PATH,
    PHP_CLI_SERVER_WORKERS: WORKERS,
    SHOP_DATABASE: join(openFolder(t), 'shop.db'),
    SHOP_PLUGIN: unpackPlugin(t),
    SHOP_URL: url,
  }
  await servePhp(t, { url, env, of: [join(DOUBLE, 'shop.php')] })
  return url
}

interface Served {
  url: string
  env: NodeJS.ProcessEnv
  /** A script or a folder to serve. */
  of: readonly string[]
}

export async function servePhp(t: TestContext, { url, env, of }: Served): Promise<void> {
  const args = [
    ...['display_errors=1', 'html_errors=0', 'error_reporting=-1'].flatMap((setting) => ['-d', setting]),
    ...['-S', new URL(url).host, ...of],
  ]
  // In its own process group, so that its workers end with it.
  const child: ChildProcess = spawn('php', args, { env, detached: true, stdio: 'ignore' })
  t.after(async () => {
    const ended = once(child, 'exit')
    process.kill(-child.pid!, 'SIGKILL')
    await ended
  })
  await until(() =>
    ask(url, { method: 'GET' }).then(
      () => true,
      () => false,
    ),
  )
}
