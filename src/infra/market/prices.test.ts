import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { type TestContext, test } from 'node:test'
import { TestClock } from '../../../test/support/clock.ts'
import { readFixture } from '../../../test/support/recorded.ts'
import { until } from '../../../test/support/until.ts'
import { coinGecko } from './coingecko.ts'
import { kraken } from './kraken.ts'
import { providedMarketData, providedPrices } from './prices.ts'
import { toDecimal } from './provider.ts'
import { openProvider, saying } from '../../../test/support/serve.ts'

const CURRENCIES = ['USD', 'EUR', 'JPY']
const GECKO = readFixture('providers/coingecko-simple-price.documented.json') as { nano: Record<string, number> }
const KRAKEN = readFixture('providers/kraken-ticker.documented.json')

async function open(t: TestContext, geckoAnswer: RequestListener, krakenAnswer?: RequestListener) {
  const clock = new TestClock()
  const failures: string[] = []
  const gecko = await openProvider(t, geckoAnswer)
  const second = krakenAnswer && (await openProvider(t, krakenAnswer))
  const providers = [coinGecko({ url: gecko.url, key: 'secret' }), ...(second ? [kraken({ url: second.url })] : [])]
  const prices = providedPrices({
    clock,
    providers,
    currencies: CURRENCIES,
    band: (currency) => (currency === 'JPY' ? { least: 1.5, most: 150_000 } : { least: 0.01, most: 1_000 }),
    onFailure: ({ reason }) => failures.push(reason),
  })
  return { clock, failures, gecko, second, prices }
}

const noPrice = (error: unknown) => (error as { code?: string }).code === 'no_price'

test('a price is decimal text with its source and time', async (t) => {
  const { prices, gecko, clock } = await open(t, saying(GECKO))
  assert.deepEqual(await prices.rate('JPY'), { rate: '131.9', source: 'coingecko', at: clock.now() })
  assert.match(gecko.asked[0]!, /^\/simple\/price\?ids=nano&vs_currencies=usd%2Ceur%2Cjpy/)
  await prices.rate('USD')
  assert.equal(gecko.asked.length, 1, 'one request tells all currencies')
})

test('an absurd jump of the only source is ignored while the last price is valid', async (t) => {
  const { prices, gecko, clock } = await open(t, saying(GECKO))
  await prices.rate('USD')
  gecko.answer = saying({ nano: { usd: 0.00001 } })
  clock.advance(60_000)
  await prices.rate('USD')
  await until(() => gecko.asked.length === 2)
  await until(async () => (await prices.rate('USD')).at < clock.now())
  assert.equal((await prices.rate('USD')).rate, '0.8553')
})

test('no caller waits for a silent provider longer than its time limit', async (t) => {
  const { prices, gecko, clock, failures } = await open(t, () => undefined)
  const asked = prices.rate('USD')
  await until(() => gecko.asked.length === 1)
  clock.advance(5_000)
  await assert.rejects(asked, noPrice)
  assert.deepEqual(failures, ['no answer in time'])
  await assert.rejects(prices.rate('USD'), noPrice)
  assert.equal(gecko.asked.length, 1, 'it rests')
})

test('garbage is no price', async (t) => {
  const garbage = [[], null, 'x', { nano: 7 }, { nano: { usd: -1 } }, { nano: { usd: 'NaN' } }, { nano: { usd: 0 } }]
  for (const answer of garbage) {
    const { prices } = await open(t, saying(answer))
    await assert.rejects(prices.rate('USD'), noPrice, JSON.stringify(answer))
  }
  const { prices } = await open(t, saying('x'.repeat(2 * 1024 * 1024)))
  await assert.rejects(prices.rate('USD'), noPrice)
  assert.equal(toDecimal(1e-7), '0.0000001')
  assert.equal(toDecimal(Infinity), undefined)
})

// The first price after a start cannot be compared with an earlier one.
test('a price outside the band is ignored, even the first one', async (t) => {
  const { prices, failures } = await open(t, saying({ nano: { usd: 0.000001, eur: 0.74, jpy: 9_999_999 } }))
  await assert.rejects(prices.rate('USD'), noPrice)
  await assert.rejects(prices.rate('JPY'), noPrice)
  assert.equal((await prices.rate('EUR')).rate, '0.74', 'the others are')
  assert.deepEqual(failures, [])
  const absurd = await open(t, saying({ nano: { usd: 1e9 } }), saying(KRAKEN))
  assert.equal((await absurd.prices.rate('USD')).source, 'kraken')
  assert.deepEqual(absurd.failures, ['no price is believable'])
})

test('market data of another coin is ignored', async (t) => {
  const server = await openProvider(t, saying({ id: 'bitcoin' }))
  const provider = coinGecko({ url: server.url, key: '' })
  await assert.rejects(providedMarketData({ clock: new TestClock(), provider }).read(), noPrice)
})
