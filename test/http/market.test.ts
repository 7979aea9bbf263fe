import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, openGateway } from '../support/gateway.ts'

test('price and market data work offline and say that they are invented', async (t) => {
  const gateway = await openGateway(t)
  const price = (await gateway.call('price', { currency: 'eur' })).json<Record<string, unknown>>()
  assert.deepEqual([price.symbol, price.currency, price.price, price.source], ['XNO', 'eur', 0.86, 'sandbox'])
  assert.equal(typeof price.timestamp, 'string')
  assert.ok(Number.isInteger(price.timestamp_unix))
  assert.equal((await gateway.call('fiat_price')).json<Record<string, unknown>>().currency, 'usd')
  const market = (await gateway.call('market_data')).json<Record<string, Record<string, Record<string, number>>>>()
  assert.equal(market.source, 'sandbox')
  assert.equal(market.market_data!.current_price!.usd, 1)
})

test('an unknown currency is refused by name, and the known ones can be read', async (t) => {
  const gateway = await openGateway(t)
  const reply = await gateway.call('price', { currency: 'DOGE' })
  assert.deepEqual([reply.status, reply.json().code, reply.json().field], [400, 'invalid_currency', 'currency'])
  const { fiat } = (await ask(`${gateway.url}/currencies.json`, { method: 'GET' })).json<{ fiat: string[] }>()
  assert.ok(fiat.includes('USD') && fiat.includes('JPY'))
})
