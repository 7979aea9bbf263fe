import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { type RequestListener, createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { x402Facilitator } from '@x402/core/facilitator'
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import { Hono } from 'hono'
import { Budget, createGateway, raw } from '../../src/client/index.ts'
import {
  ExactNanoScheme,
  type Payment,
  type PaymentClaim,
  type PaymentStore,
  type Paywall,
  type PaywallOptions,
  type Requirements,
  paywall,
} from '../../src/client/x402.ts'
import type { Fetch } from '../../src/client/ledger-rpc.ts'
import { blocksOf, root } from '../docs/documents.ts'
import { lose } from '../support/client-steps.ts'
import { openFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { SHOP, decode, encode, openPayer, openShop } from '../support/x402-steps.ts'

/* A seller with its own server, in Express and in Hono; the gateway is only its facilitator. */

interface ExpressApp extends RequestListener {
  get(path: string, charge: ReturnType<Paywall['express']>, answer: (request: object, response: Shown) => void): void
}
interface Shown {
  locals: Record<string, unknown>
  json(body: unknown): void
}

/** Express is installed with the MCP SDK, without types. */
const express = createRequire(import.meta.url)('express') as () => ExpressApp

const NETWORK = 'nano:dev'

async function openSeller(t: TestContext, options: Partial<PaywallOptions> = {}) {
  const { url, node } = await openShop(t, { X402_PAY_TO: '' })
  const charge = paywall({ payTo: SHOP.address, facilitator: `${url}/facilitator`, network: NETWORK, ...options })
  const payer = await openPayer(node)
  const budget = new Budget(raw('0.1'))
  const { privateKey } = payer
  const buyer = createGateway({ url, pay: { key: privateKey, budget } })
  const received = () => node.ledger.receivableSum(SHOP.key, false)
  return { url, node, charge, payer, budget, buyer, received }
}

async function serveExpress(t: TestContext, app: ExpressApp): Promise<string> {
  const server = createServer(app)
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done)
  })
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a page in Express is served when its price is paid, once, and says which block paid for it', async (t) => {
  const { charge, budget, buyer, received, payer } = await openSeller(t)
  const app = express()
  app.get('/report', charge.express({ price: '0.01', description: 'The report' }), (_request, response) => {
    response.json({ report: 'all is well', paid: (response.locals.payment as Payment).transaction })
  })
  const at = `${await serveExpress(t, app)}/report`
  const asked = await fetch(at)
  const required = decode(asked.headers.get('payment-required')) as { accepts: object[]; resource: object }
  assert.equal(asked.status, 402)
  assert.equal(((await asked.json()) as { message: string }).message, 'This costs 0.01 nano.')
  assert.deepEqual(required.accepts, [
    {
      scheme: 'exact',
      network: NETWORK,
      amount: String(raw('0.01')),
      asset: 'XNO',
      payTo: SHOP.address,
      maxTimeoutSeconds: 60,
      extra: {},
    },
  ])
  const reply = await buyer.fetch(at)
  const { report, paid } = (await reply.json()) as Record<string, string>
  const [entry] = budget.paid
  assert.deepEqual([reply.status, report, paid, entry!.state], [200, 'all is well', entry!.hash, 'settled'])
  const receipt = decode(reply.headers.get('payment-response')) as Record<string, unknown>
  assert.deepEqual([receipt.success, receipt.payer], [true, payer.address])
  assert.equal(received(), raw('0.01'))
})

test('a page in Hono is bought with the stock client and our scheme', async (t) => {
  const { url, charge, payer, received } = await openSeller(t)
  const app = new Hono<{ Variables: { payment: Payment } }>()
  app.get('/report', charge.hono({ price: '0.02 nano' }), (context) =>
    context.json({ amount: String(context.get('payment').amount) }),
  )
  const scheme = new ExactNanoScheme({ privateKey: payer.privateKey, rpcUrl: url })
  const client = new x402Client().register(NETWORK, scheme)
  const most = String(raw('1'))
  client.setSpendControls({ allowedAssets: [{ network: NETWORK, asset: 'XNO', maxAmountPerPayment: most }] })
  const pay = wrapFetchWithPayment(async (input, init) => app.request(new Request(input, init)), client)
  const reply = await pay('http://seller.example/report?of=today')
  assert.deepEqual([reply.status, await reply.json()], [200, { amount: String(raw('0.02')) }])
  assert.ok(reply.headers.get('payment-response'))
  assert.equal(received(), raw('0.02'))
})

test('a payment buys no second page, and one whose settlement got no reply is never paid twice', async (t) => {
  let lost = 0
  let header: string | null = null
  const forgetful: Fetch = (input, init) => (lost++ === 0 ? lose(() => fetch(input, init)) : fetch(input, init))
  const { charge, budget, received, url, payer } = await openSeller(t, { fetch: forgetful })
  const app = new Hono<{ Variables: { payment: Payment } }>()
  for (const page of ['/one', '/two']) app.get(page, charge.hono({ price: '0.01' }), (context) => context.text(page))
  const go: Fetch = async (input, init) => {
    header = new Headers(init?.headers).get('payment-signature') ?? header
    return app.request(new Request(input, init))
  }
  const buyer = createGateway({
    url,
    pay: { key: payer.privateKey, budget },
    fetch: (input, init) => (input.startsWith(url) ? fetch(input, init) : go(input, init)),
  })
  const reply = await buyer.fetch('http://seller.example/one')
  assert.deepEqual([reply.status, await reply.text()], [200, '/one'])
  assert.deepEqual([received(), lost > 1, budget.paid.length], [raw('0.01'), true, 1])
  const again = (path: string) => app.request(path, { headers: { 'payment-signature': header! } })
  assert.equal(await (await again('/one')).text(), '/one', 'the same request, whose reply may have been lost')
  const other = await again('/two')
  assert.deepEqual([other.status, ((await other.json()) as { code: string }).code], [402, 'duplicate_settlement'])
  assert.equal(received(), raw('0.01'))
})

/** Several processes of one seller, and a payment for `/one` that none of them has seen. */
async function openProcesses(t: TestContext, options: Partial<PaywallOptions>[]) {
  const seller = await openSeller(t)
  const apps = options.map((own) => {
    const facilitator = `${seller.url}/facilitator`
    const charge = paywall({ payTo: SHOP.address, facilitator, network: NETWORK, ...own })
    const app = new Hono<{ Variables: { payment: Payment } }>()
    for (const page of ['/one', '/two']) app.get(page, charge.hono({ price: '0.01' }), (context) => context.text(page))
    return app
  })
  const asked = await apps[0]!.request('/one')
  const { accepts } = decode(asked.headers.get('payment-required')) as { accepts: [Requirements] }
  const scheme = new ExactNanoScheme({ privateKey: seller.payer.privateKey, rpcUrl: seller.url })
  const signed = await scheme.createPaymentPayload(2, accepts[0])
  const header = encode({ ...signed, accepted: accepts[0] })
  const show = async (process: number, path = '/one') => {
    const reply = await apps[process]!.request(path, { headers: { 'payment-signature': header } })
    return reply.status === 402 ? ((await reply.json()) as { code: string }).code : reply.status
  }
  return { ...seller, show }
}

test('a payment that is shown to both processes of a seller buys one page, not two', async (t) => {
  const { show, received } = await openProcesses(t, [{}, {}])
  const both = await Promise.all([show(0), show(1)])
  assert.deepEqual(both.map(String).sort(), ['200', 'duplicate_settlement'])
  assert.equal(await show(both.indexOf('duplicate_settlement')), 'duplicate_settlement')
  assert.equal(received(), raw('0.01'))
})

test('a process whose settlement never arrived does not serve a payment that another process has served since', async (t) => {
  const unreachable: Fetch = async () => Promise.reject(new TypeError('fetch failed'))
  let isAway = true
  const { show } = await openProcesses(t, [
    { fetch: (url, init) => (isAway ? unreachable(url, init) : fetch(url, init)) },
    {},
  ])
  assert.equal(await show(0), 503)
  assert.equal(await show(1, '/two'), 200)
  isAway = false
  assert.equal(await show(0), 'duplicate_settlement')
})

test('processes that share a store serve a repeated request wherever it arrives, for a minute, and nothing else', async (t) => {
  const claims = new Map<string, PaymentClaim>()
  const store: PaymentStore = {
    async claim(hash, claim) {
      if (!claims.has(hash)) claims.set(hash, claim)
      return claims.get(hash)!
    },
    async settled(hash, settledAt) {
      claims.set(hash, { ...claims.get(hash)!, settledAt })
    },
    async forget(hash) {
      claims.delete(hash)
    },
  }
  let lost = 0
  const forgetful: Fetch = (input, init) => (lost++ === 0 ? lose(() => fetch(input, init)) : fetch(input, init))
  const { show, received } = await openProcesses(t, [{ store, fetch: forgetful }, { store }])
  assert.deepEqual([await show(0), await show(1), await show(1, '/two')], [503, 200, 'duplicate_settlement'])
  const [[hash, { settledAt }]] = [...claims] as [[string, PaymentClaim]]
  await store.settled(hash, settledAt! - 61_000)
  assert.deepEqual([await show(0), await show(1)], ['duplicate_settlement', 'duplicate_settlement'])
  assert.equal(received(), raw('0.01'))
})

/** The same shop in Hono, with the guide's `charge`. */
const IN_HONO = `import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()
app.get('/report', charge.hono({ price: '0.01', description: 'The report' }), (context) => {
  return context.json({ report: 'All is well', block: context.get('payment').transaction })
})
serve({ fetch: app.fetch, port: 4021 })
`

for (const framework of ['express', 'hono']) {
  test(`the seller of the guide in ${framework} is paid for its report`, async (t) => {
    const { url, buyer, received } = await openSeller(t)
    const port = await freePort()
    const inExpress = blocksOf('docs/pay-per-request.md').find(({ code }) => code.includes('charge.express'))!.code
    const charge = inExpress.split('\n').filter((line) => /paywall|^const (facilitator|payTo)/.test(line))
    const program = framework === 'express' ? inExpress : [...charge, IN_HONO].join('\n')
    const folder = openFolder(t)
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const code = program
      .replace('@nano-gateway/client/x402', pathToFileURL(join(root, 'src/client/x402.ts')).href)
      .replace('http://127.0.0.1:8080', url)
      .replace(/nano_3datp\w+/, SHOP.address)
      .replace('4021', String(port))
    writeFileSync(join(folder, 'seller.mjs'), code)
    const loader = pathToFileURL(join(root, 'scripts/typescript.mjs')).href
    const child = spawn(process.execPath, ['--import', loader, 'seller.mjs'], { cwd: folder, stdio: 'inherit' })
    t.after(() => child.kill())
    const at = `http://127.0.0.1:${port}/report`
    await until(() =>
      fetch(at).then(
        ({ status }) => status === 402,
        () => false,
      ),
    )
    const reply = await buyer.fetch(at)
    const { report, block } = (await reply.json()) as Record<string, string>
    assert.deepEqual([report, block], ['All is well', buyer.budget!.paid[0]!.hash])
    assert.equal(received(), raw('0.01'))
  })
}

test('the stock resource server prices in nano with our scheme, and the stock facilitator settles through a gateway', async (t) => {
  const { url } = await openSeller(t)
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: `${url}/facilitator` }))
  server.register(NETWORK, new ExactNanoScheme())
  await server.initialize()
  const [terms] = await server.buildPaymentRequirements({
    scheme: 'exact',
    network: NETWORK,
    payTo: SHOP.address,
    price: '0.05 nano',
  })
  assert.deepEqual([terms!.amount, terms!.asset], [String(raw('0.05')), 'XNO'])
  await assert.rejects(new ExactNanoScheme().parsePrice('$0.10'), { code: 'invalid_amount', field: 'price' })
  const facilitator = new x402Facilitator().register(
    [NETWORK],
    new ExactNanoScheme({ facilitator: `${url}/facilitator` }),
  )
  assert.deepEqual(
    facilitator.getSupported().kinds.map(({ scheme, network }) => [scheme, network]),
    [['exact', NETWORK]],
  )
})
