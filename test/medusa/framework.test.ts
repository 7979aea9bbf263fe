import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import type { OwnCheckout } from '../../src/client/index.ts'
import { signBody } from '../../src/modules/webhooks/domain/sign-body.ts'
import { SEED, SeededRandom } from '../support/random.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { isThorough } from '../support/thorough.ts'
import { waitFor } from '../support/until.ts'
import { type Framework, installFramework, openFramework } from './framework.ts'
import { openOrderPage } from './order-page.ts'
import { SECRET } from './shop.ts'
import { openStorefront } from './storefront.ts'

/* The real Medusa from npm on PostgreSQL: from an empty shop to orders that are paid and refunded on the development ledger. */

/** Migrations and the start of a shop each take a minute of a processor, which may be busy. */
const thorough = { skip: isThorough ? false : 'with --thorough', timeout: 20 * 60_000 }
const root = resolve(import.meta.dirname, '../..')

test("provider and widget have the shape that Medusa's own types ask for", thorough, async () => {
  const folder = await installFramework()
  const program = `
    import type { IPaymentProvider } from '@medusajs/framework/types'
    import { NanoPaymentProvider } from '@nano-gateway/medusa'
    export const provider: IPaymentProvider = new NanoPaymentProvider({}, {})`
  writeFileSync(join(folder, 'shape.mts'), program)
  const tsc = join(folder, 'node_modules/typescript/bin/tsc')
  const options = ['--noEmit', '--strict', '--skipLibCheck']
  const compile = (...more: string[]) =>
    execFileSync(process.execPath, [tsc, ...options, ...more], { cwd: folder, stdio: 'pipe' })
  compile('--module', 'nodenext', 'shape.mts')
  mkdirSync(join(folder, 'widget'), { recursive: true })
  for (const name of ['widget.tsx', 'words.ts']) {
    const text = readFileSync(join(root, 'src/medusa/admin', name), 'utf8')
    writeFileSync(join(folder, 'widget', name), text.replaceAll("'../view.ts'", "'./view.ts'"))
  }
  // Routes of the gateway have their own types.
  writeFileSync(join(folder, 'widget/view.ts'), 'export type PaymentView = Record<string, any> & { refunds: any[] }')
  const use = `
    import type { AdminOrder, DetailWidgetProps } from '@medusajs/framework/types'
    import { NanoPayments } from './widget.tsx'
    export const widget: (props: DetailWidgetProps<AdminOrder>) => unknown = NanoPayments`
  writeFileSync(join(folder, 'widget/use.ts'), use)
  compile(
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--jsx',
    'react-jsx',
    '--allowImportingTsExtensions',
    'widget/use.ts',
  )
})

/** Posts webhooks as a network might deliver them: repeated, in parallel, in any order. */
async function post({ url }: Framework, bodies: readonly string[], times: number): Promise<void> {
  const random = new SeededRandom(SEED)
  const timestamp = Math.floor(Date.now() / 1_000)
  const send = async () => {
    const body = random.pick(bodies)
    const headers = signBody({ id: (JSON.parse(body) as { id: string }).id, timestamp, body, secrets: [SECRET] })
    const json = { 'content-type': 'application/json', ...headers }
    const { status } = await ask(`${url}/hooks/payment/nano_gateway`, { headers: json, body })
    assert.equal(status, 200)
  }
  await Promise.all(Array.from({ length: times }, send))
}

test('an empty shop sells: paid once under a hundred webhooks, refunded to the last raw', thorough, async (t) => {
  const gateway = await openGateway(t, {
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LIMIT_FREE_PER_MINUTE: '0',
    LIMIT_CHECK_PER_MINUTE: '0',
  })
  const merchant = await gateway.join()
  const made = await gateway.call('cloud_wallet', { wallet_action: 'create_wallet' }, merchant.headers)
  const { address } = made.json()
  const shop = await openFramework(t, (url) => ({
    NANO_GATEWAY_URL: gateway.url,
    NANO_GATEWAY_KEY: merchant.key,
    NANO_ADDRESS: address!,
    NANO_WEBHOOK_SECRET: SECRET,
    NANO_WEBHOOK_URL: `${url}/hooks/payment/nano_gateway`,
  }))
  const fundsOf = async (account: string) => {
    const { balance, receivable } = (await gateway.call('account_balance', { account })).json()
    return BigInt(balance!) + BigInt(receivable!)
  }
  const until = (what: string, isSo: () => Promise<boolean>) =>
    waitFor(what, isSo, { patience: 120_000, tell: () => shop.log().slice(-3_000) })
  const pay = async (id: string) => {
    const { status } = await ask(`${gateway.url}/developer/checkouts/${id}/pay`, { body: '{}' })
    assert.equal(status, 200)
  }
  const check = async (id: string) => (await gateway.rest('GET', `/check/${id}`)).json()

  // The guide's scenario: the visitor's browser never returns, and only the webhook makes the order.
  const lines: string[] = []
  await shop.runExample('first-order.mjs', (line) => {
    lines.push(line)
    const [, id] = /^Pay 25 EUR at .*\/pay\/(\w+)$/.exec(line) ?? []
    if (id !== undefined) void pay(id)
  })
  assert.equal(lines.at(-1), 'Order 1 is paid: 25 EUR')
  const store = await openStorefront(shop)

  // A cart that grows has a new price, so its old checkout must refuse payments.
  const cart = await store.fill(2)
  const first = await store.begin(cart)
  await store.add(cart)
  await until('the first checkout has ended', async () => (await check(first.checkout_id)).status === 'cancelled')
  const session = await store.begin(cart, { checkout_id: first.checkout_id, amount: '0.01' })
  assert.deepEqual([session.amount, session.currency], ['37.5', 'EUR'])

  // An unpaid cart must not become an order, whatever the browser sends.
  await assert.rejects(store.complete(cart), /not authorized/)
  assert.deepEqual(await store.orders(), [])

  await pay(session.checkout_id)
  await until('the payment is complete', async () => (await check(session.checkout_id)).status === 'complete')
  const events = await gateway.app.store.db.selectFrom('events').select('body').execute()
  const bodies = events.map(({ body }) => body!)
  const completing = Array.from({ length: 3 }, () => store.complete(cart).catch((error: Error) => error))
  await Promise.all([post(shop, bodies, 100), ...completing])
  await until('the order is paid', async () => (await store.orders())[0]?.payment_status === 'captured')
  await post(shop, bodies, 20)
  await until('every webhook was worked on', async () => (await store.complete(cart)).type === 'order')
  const [order, ...others] = await store.orders()
  const [payment, ...further] = order!.payment_collections[0]!.payments
  assert.deepEqual([others, further], [[], []])
  assert.deepEqual(
    [order!.total, payment!.captures.map(({ amount }) => amount), order!.summary.transaction_total],
    [37.5, [37.5], 37.5],
  )

  // An administrator refunds the payer in two parts, down to the last raw.
  const { amount_paid_raw: paid } = await check(session.checkout_id)
  const readOwn = async () =>
    (await gateway.rest('GET', `/api/checkouts/${session.checkout_id}`, merchant.key)).json<{ checkout: OwnCheckout }>()
  const own = await readOwn()
  const payer = own.checkout.payer!
  const before = await fundsOf(payer)
  const desk = await openOrderPage(t, shop, order!.id)
  await desk.shows(['Paid', own.checkout.block_hash, payer, 'nano arrived, and the payment is final.'])
  assert.equal(await desk.hrefOf('Payment page'), session.url)
  await store.refund(payment!.id, 10)
  await desk.reload()
  const { refunds = [] } = (await readOwn()).checkout
  await desk.shows(['Partly refunded', 'Refund of', 'Sent', refunds[0]!.hash])
  await desk.picture('medusa-order')
  await store.refund(payment!.id, 27.5)
  await until('all of it is back', async () => (await fundsOf(payer)) - before === BigInt(paid!))
  const [refunded] = await store.orders()
  assert.equal(refunded!.payment_status, 'refunded')
  assert.deepEqual(
    refunded!.payment_collections[0]!.payments[0]!.refunds.map(({ amount }) => amount).sort(),
    [10, 27.5],
  )
  await assert.rejects(store.refund(payment!.id, 1))
})
