import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { type Reply, ask, openGateway } from '../support/gateway.ts'
import { openProvider, saying } from '../support/serve.ts'
import { assertNamed, wrongIn } from '../support/wrong-fields.ts'
import { another } from '../support/another.ts'

/* Contract 4.1, rules 23 to 27: prices, market data, swaps and representatives, and their behaviour when a provider fails. */

type Members = Record<string, unknown>

const MINUTE = 60_000
const BTC = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
const BAN = 'ban_1111111111111111111111111111111111111111111111111111hifc8npp'
const HOLDER = new Signer(21).address

const documented = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../fixtures/providers/${name}.documented.json`, import.meta.url), 'utf8'))
const PRICES = documented('coingecko-simple-price')
const COIN = documented('coingecko-coin') as Members
const KRAKEN = documented('kraken-ticker')
const NANSWAP = documented('nanswap') as Record<string, Members>

function assertNoPrice(reply: Reply): void {
  assert.deepEqual([reply.status, reply.json().code], [503, 'no_price'], reply.text)
  assert.equal(reply.headers['retry-after'], '60')
  assert.equal(reply.json<Members>().retry_after, 60)
}

test('a price is remembered, served with its own time while its provider fails, and after ten minutes no more (contract 4.1, Units, prices, market, representatives: price, market_data; 4.1, rules 23, 24 and 25; 8, Other areas: age of a value whose provider fails)', async (t) => {
  const clock = new TestClock()
  const gecko = await openProvider(t, (request, response) =>
    saying(request.url!.startsWith('/coins/') ? COIN : PRICES)(request, response),
  )
  const { answer } = gecko
  const { call } = await openGateway(t, { PRICE_PROVIDERS: 'coingecko', COINGECKO_URL: gecko.url }, clock)
  const begun = clock.now()
  const price = (currency: string, action = 'price') => call(action, { currency })
  const then = { timestamp: 'Sun, 15 Nov 2026 00:00:00 GMT', timestamp_unix: begun / 1000 }
  const yen = { symbol: 'XNO', currency: 'jpy', price: 131.9, source: 'coingecko', ...then }
  for (const action of ['price', 'fiat_price']) {
    for (const spelling of ['JPY', 'jpy']) assert.deepEqual((await price(spelling, action)).json<unknown>(), yen)
  }
  assert.equal((await call('price')).json().currency, 'usd')
  const market = (await call('market_data')).json<Members>()
  assert.deepEqual([market.source, market.id, market.last_updated], ['coingecko', 'nano', COIN.last_updated])
  assert.deepEqual((await call('market_data')).json<unknown>(), market)
  assert.equal(gecko.asked.length, 2, 'one question for all prices, and one for the market')

  gecko.answer = saying('<html>', 503)
  clock.advance(10 * MINUTE - 1)
  assert.deepEqual((await price('JPY')).json<unknown>(), yen, 'as old as it is, and it says so')
  assert.deepEqual((await call('market_data')).json<unknown>(), market)
  clock.advance(2)
  assertNoPrice(await price('JPY'))
  assertNoPrice(await call('market_data'))
  assert.ok(gecko.asked.length > 2)

  gecko.answer = answer
  clock.advance(5 * MINUTE)
  const now = { timestamp: 'Sun, 15 Nov 2026 00:15:00 GMT', timestamp_unix: begun / 1000 + 15 * 60 }
  assert.deepEqual((await price('JPY')).json<unknown>(), { ...yen, ...now })
  const unknown = await price('DOGE')
  const { error, code, field } = unknown.json()
  assert.deepEqual([unknown.status, error, code, field], [400, 'Unknown currency.', 'invalid_currency', 'currency'])
})

test('Kraken answers if CoinGecko does not, and an absurd price counts as no answer (contract 4.1, rules 24 and 25)', async (t) => {
  const clock = new TestClock()
  const [gecko, second] = [await openProvider(t, saying('', 500)), await openProvider(t, saying(KRAKEN))]
  const env = { PRICE_PROVIDERS: 'coingecko,kraken', COINGECKO_URL: gecko.url, KRAKEN_URL: second.url }
  const { call } = await openGateway(t, env, clock)
  const price = (currency: string) => call('price', { currency })
  const { price: dollars, source } = (await price('USD')).json<Members>()
  assert.deepEqual([dollars, source], [0.86, 'kraken'])
  assert.deepEqual((await price('EUR')).json<Members>().price, 0.74)
  assertNoPrice(await price('JPY'))
  // Both providers are back, but one reports a thousandth: once the last price is too old, it is unknown which one is right.
  gecko.answer = saying({ nano: { usd: 0.00086, eur: 0.7391 } })
  clock.advance(11 * MINUTE)
  // A price outside the band counts as the provider's failure.
  const believed = (await price('USD')).json<Members>()
  assert.deepEqual([believed.price, believed.source], [0.86, 'kraken'])
  gecko.answer = saying({ nano: { usd: 1.2, eur: 0.7391 } })
  clock.advance(11 * MINUTE)
  assertNoPrice(await price('USD'))
  assert.equal((await price('EUR')).json().source, 'coingecko', 'where both agree, the first one counts')
})

test('no caller waits for a silent provider longer than its time limit (contract 4.1, rule 23)', async (t) => {
  const clock = new TestClock()
  const silent = await openProvider(t, (request) => {
    request.resume()
    clock.advance(8_000)
  })
  const prices = { PRICE_PROVIDERS: 'coingecko', COINGECKO_URL: silent.url }
  const { call } = await openGateway(t, { ...prices, SWAP_PROVIDER: 'nanswap', SWAP_URL: silent.url }, clock)
  assertNoPrice(await call('price'))
  assertNoPrice(await call('market_data'))
  const swap = { amount: 1, from: 'nano', to: 'ban', address: BAN, refund_address: HOLDER }
  const reply = await call('nano_swap', swap)
  assert.deepEqual([reply.status, reply.json().code], [503, 'no_swap'])
  assert.ok(reply.headers['retry-after'])
})

test('swaps go to the service that is configured, in the currencies it lists (contract 4.1, Payments, wallets, faucet, swap: nano_swap, nano_swap_status; 4.1, rules 24 and 26; 9, Synonyms: nano_swap)', async (t) => {
  const clock = new TestClock()
  const service = await openProvider(t, (request, response) => {
    const answer = NANSWAP[new URL(request.url!, 'http://x').pathname.slice(1)]!
    saying('payoutAddress' in answer ? { ...answer, payoutAddress: BAN, status: 'waiting' } : answer)(request, response)
  })
  const { url, call } = await openGateway(t, { SWAP_PROVIDER: 'nanswap', SWAP_URL: service.url }, clock)
  const { swap } = (await ask(`${url}/currencies.json`, { method: 'GET' })).json<{ swap: string[] }>()
  assert.deepEqual(swap, ['nano', 'ban', 'usdc-base'], 'without those that need a memo')
  for (const from of ['nano', 'xno', 'XNO']) {
    const wish = { amount: 1, from, to: 'BAN', address: BAN, refund_address: HOLDER }
    const { id, ...made } = (await call('nano_swap', wish)).json<Members>()
    const ends = { status: 'waiting', expires_unix: Math.floor(clock.now() / 1000) + 86_400 }
    const ways = { swap_address: NANSWAP['create-order']!.payinAddress, refund_address: HOLDER }
    assert.deepEqual(made, { send: 1, receive: '87.65 BAN', source: 'nanswap', ...ways, ...ends })
    assert.deepEqual((await call('nano_swap_status', { id })).json<unknown>(), { id, ...made })
    for (const to of ['xrp', 'shells', from === 'nano' ? 'xno' : 'nano']) {
      const refused = await call('nano_swap', { ...wish, to })
      assert.deepEqual([refused.status, refused.json().code, refused.json().field], [400, 'invalid_currency', 'to'], to)
    }
  }
})

test('without configuration everything works offline and is called sandbox; what would lose money is 400 by its field (contract 4.1, rules 17, 23 and 26; 9, Synonyms: nano_swap)', async (t) => {
  const KNOWN_NAMES = JSON.stringify({ Alice: HOLDER })
  const gateway = await openGateway(t, { PRICE_PROVIDERS: 'auto', DEVNET_TREASURY_NANO: '1000', KNOWN_NAMES })
  const get = async (action: string, fields = {}) => (await gateway.call(action, fields)).json<Members>()
  const good = { amount: 1, from: 'nano', to: 'btc', address: BTC, refund_address: HOLDER }
  await assertNamed(
    (change) => gateway.call('nano_swap', { ...good, ...change }),
    [
      wrongIn('from', 'shells'),
      wrongIn('to', 'shells', 'xno'),
      wrongIn('amount', 0, '-1', '1e', `0.${'0'.repeat(30)}1`),
      // A request for more than exists must not become one for everything.
      ['amount', { amount: 1_000_000_000, from: 'btc', to: 'nano', address: HOLDER, refund_address: BTC }],
      wrongIn('address', HOLDER, `${BTC}!`),
      wrongIn('refund_address', BTC, another(HOLDER)),
    ],
  )
  const unknown = await gateway.call('nano_swap_status', { id: 'swp_none' })
  assert.deepEqual([unknown.status, unknown.json().error], [400, 'Swap not found.'])
  const made = await get('nano_swap', { ...good, refund_address: '@alice' })
  assert.deepEqual([made.source, made.refund_address, made.status], ['sandbox', HOLDER, 'waiting'])
  assert.equal((await get('price')).source, 'sandbox')
  assert.equal((await get('market_data')).source, 'sandbox')
  const currencies = await ask(`${gateway.url}/currencies.json`, { method: 'GET' })
  const { fiat, swap } = currencies.json<{ fiat: string[]; swap: string[] }>()
  assert.ok(['USD', 'EUR', 'JPY'].every((code) => fiat.includes(code)))
  assert.ok(['nano', 'btc'].every((code) => swap.includes(code)))
  assert.equal(currencies.headers['access-control-allow-origin'], '*')
})
