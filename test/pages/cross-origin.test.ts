import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { openGateway } from '../support/gateway.ts'
import { openBrowser } from './browser.ts'
import { serve } from '../support/serve.ts'

/*
 * Payment dialogs run on other people's pages and always send headers of their own, so a browser asks first (clients 5).
 * Only a browser knows whether it is content with what we answer.
 */

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)

interface Seen {
  status: number
  body: Record<string, unknown>
  requestId: string | null
}

/** A page of somebody else: it asks the gateway and keeps what its scripts may read of the answers. */
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
