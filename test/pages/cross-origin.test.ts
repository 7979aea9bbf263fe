import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { openGateway } from '../support/gateway.ts'
import { Signer } from '../support/blocks.ts'
import { openBrowser, pay } from './browser.ts'
import { serve } from '../support/serve.ts'
import { isThorough } from '../support/thorough.ts'

/*
 * Payment dialogs run on other people's pages and always send custom headers, so browsers send a preflight request first (clients 5). Only a browser can
 * tell whether our answers satisfy it.
 */

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)

interface Seen {
  status: number
  body: Record<string, unknown>
  requestId: string | null
}

/** A page of another origin: it calls the gateway and records what its scripts may read of the answers. */
async function openShop(t: TestContext, gatewayUrl: string, bodies: (object | string)[]): Promise<string> {
  const script = `
    const ask = async (body) => {
      const headers = { 'content-type': 'application/json', 'nano-app': 'shop', 'nano-app-admin': '', authorization: '',
        'cache-control': 'no-cache', pragma: 'no-cache', key: '', 'x-api-key': '' }
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const response = await fetch(${JSON.stringify(gatewayUrl)}, { method: 'POST', headers, body: text })
      return { status: response.status, body: await response.json(), requestId: response.headers.get('x-request-id') }
    }
    window.seen = Promise.all(${JSON.stringify(bodies)}.map((body) => ask(body).catch(String)))`
  return serve(t, (_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><title>Shop</title><script>${script}</script>`)
  })
}

test('a page of another origin reads balances and errors, with the headers its dialog sends', async (t) => {
  const gateway = await openGateway(t)
  const shop = await openShop(t, gateway.url, [
    { action: 'account_balance', account: GENESIS },
    { action: 'account_info', account: toAddress('1'.repeat(64)) },
    { action: 'account_balance', account: 'nano_wrong' },
    { action: 'account_balance', account: GENESIS, key: 'wrong' },
    'no JSON',
    { action: 'block_count', padding: 'x'.repeat(1024 * 1024) },
  ])
  const page = await (await openBrowser()).newPage()
  t.after(() => page.close())
  await page.goto(shop)
  const seen = await page.evaluate<(Seen | string)[]>('window.seen')
  for (const answer of seen) assert.equal(typeof answer, 'object', `the browser says ${JSON.stringify(answer)}`)
  const [balance, refused, ...errors] = seen as Seen[]

  assert.equal(balance!.status, 200)
  assert.equal(balance!.body.balance_nano, '340282366.920938463463374607431768211455')
  assert.deepEqual([refused!.status, refused!.body], [200, { error: 'Account not found' }])
  assert.deepEqual(
    errors.map(({ status, body }) => [status, body.error, body.code]),
    [
      [400, 'Bad account number', 'invalid_account'],
      [401, 'Invalid API Key.', 'invalid_key'],
      [400, 'Unable to parse JSON', 'invalid_json'],
      [413, 'The body is larger than 1048576 bytes.', 'body_too_large'],
    ],
  )
  for (const { requestId } of seen as Seen[]) assert.match(requestId ?? '', /./)
})

interface Dialog {
  amount_raw: string
  error?: string
}

/**
 * A shop with a dialog that calls the gateway as NanoPay's does without random amounts: the key is in the page, every request has a custom header, and the
 * dialog polls the `check` URL until it has a `block`.
 */
function openDialogShop(t: TestContext, node: string, order: object): Promise<string> {
  const scriptOf = () => `
    const post = (url, body) => new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open('POST', url, true)
      request.setRequestHeader('content-type', 'application/json')
      request.setRequestHeader('nano-app', 'fwd/nano-pay-1.1.9')
      request.onload = () => resolve(JSON.parse(request.responseText))
      request.onerror = () => reject(new Error('the browser keeps the answer back'))
      request.send(JSON.stringify(body))
    })
    const shipping = { first_name: '', last_name: '', street_address: '', city: '', state: '', postal_code: '', country: 'US' }
    window.opened = post(${JSON.stringify(node)}, ${JSON.stringify({ action: 'checkout', random: false, ...order })})
    window.opened.then(async ({ check }) => {
      let paid
      do {
        await new Promise((resolve) => setTimeout(resolve, 500))
        paid = await post(check, { note: 'Pay', source: location.origin, shipping, email: null })
      } while (!paid.block)
      document.documentElement.dataset.block = paid.block.hash
    })`
  return serve(t, (_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><title>Shop</title><script>${scriptOf()}</script>`)
  })
}

test('customers who opened the dialog of one shop at once were refused, or paid by the slip of another', async (t) => {
  // All requests come from this machine.
  const gateway = await openGateway(t, { LIMIT_PUBLIC_KEY_PER_MINUTE: '0', LIMIT_PUBLIC_KEY_CONCURRENCY: '0' })
  const { address } = new Signer(102)
  const { key } = await gateway.join()
  const body: Record<string, unknown> = { name: 'Shop', kind: 'public', addresses: [address] }
  const fields = { address, amount: 2, public_key: '' }
  const shop = await openDialogShop(t, gateway.url, fields)
  body.origins = [shop]
  fields.public_key = (await gateway.rest('POST', '/api/keys', key, body)).json().key!
  const context = await (await openBrowser()).newContext()
  t.after(() => context.close())
  for (const count of [2, isThorough ? 50 : 10]) {
    const pages = await Promise.all(Array.from({ length: count }, () => context.newPage()))
    await Promise.all(pages.map((page) => page.goto(shop)))
    const dialogs = await Promise.all(pages.map((page) => page.evaluate<Dialog>('window.opened')))
    for (const { amount_raw, error } of dialogs) assert.match(amount_raw ?? error, /^2\d{30}$/)
    assert.equal(new Set(dialogs.map(({ amount_raw: raw }) => raw)).size, count, 'each has an amount of their own')
    // One customer types the bare price, and every second one pays the amount shown.
    await pay(gateway, address, 2n * 10n ** 30n)
    const paying = dialogs.filter((_, at) => at % 2 === 0)
    for (const { amount_raw: raw } of paying) await pay(gateway, address, raw)
    for (const [at, page] of pages.entries()) {
      if (at % 2 === 0) await page.waitForSelector('html[data-block]', { state: 'attached' })
    }
    const hashes = await Promise.all(
      pages.map((page) => page.evaluate<string>('document.documentElement.dataset.block')),
    )
    assert.equal(new Set(hashes.filter((_, at) => at % 2 === 0)).size, paying.length)
    assert.deepEqual(new Set(hashes.filter((_, at) => at % 2 === 1)), new Set([undefined]))
    await Promise.all(pages.map((page) => page.close()))
  }
})
