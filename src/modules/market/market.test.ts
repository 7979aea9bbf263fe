import assert from 'node:assert/strict'
import { type RequestListener } from 'node:http'
import { test } from 'node:test'
import { TestClock } from '../../../test/support/clock.ts'
import { openGateway } from '../../../test/support/gateway.ts'
import { serve } from '../../../test/support/serve.ts'

const SHOP = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'

// A shop must neither wait for ever nor sell at an absurd price.
for (const [trouble, answer] of [
  ['is away', (_request, response) => response.writeHead(503).end('<html>')],
  ['answers garbage', (_request, response) => response.end('[1, 2')],
  ['asks absurd prices', (_request, response) => response.end('{"nano":{"usd":-1,"eur":1e400}}')],
  ['says nothing at all', (request) => request.resume()],
] as [string, RequestListener][]) {
  test(`while the price provider ${trouble}, a fiat checkout is made without its first amount, and a nano checkout as ever`, async (t) => {
    const clock = new TestClock()
    const url = await serve(t, (request, response) => {
      answer(request, response)
      clock.advance(5_000)
    })
    const gateway = await openGateway(t, { PRICE_PROVIDERS: 'coingecko', COINGECKO_URL: url }, clock)
    const fiat = await gateway.call('checkout', { address: SHOP, amount: '5', currency: 'USD' })
    const { amount, rate, currency, fiat_amount: said } = fiat.json()
    assert.deepEqual([fiat.status, amount, rate, currency, said], [200, undefined, undefined, 'USD', '5'])
    const price = await gateway.call('price', { currency: 'USD' })
    assert.deepEqual([price.status, price.json().code], [503, 'no_price'])
    assert.ok(price.headers['retry-after'])
    assert.equal((await gateway.call('checkout', { address: SHOP, amount: '5' })).status, 200)
  })
}
