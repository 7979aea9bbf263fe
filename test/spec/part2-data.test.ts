import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fromAddress, toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { Signer } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { openRecordingNode } from '../support/recording-node.ts'
import { until } from '../support/until.ts'
import { row } from './row.ts'
import { serve } from '../support/serve.ts'

/* Contract 2, data: prices, market, representatives, names and swaps, each field with its type. */

type Members = Record<string, unknown>

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)
const NOW = Date.UTC(2026, 10, 15) / 1000

/** The type of every value of a record; distinguishes `null`, objects and lists. */
const kindsOf = (record: object) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, kind(value)]))
const kind = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value)

test('price and market data work offline and say that they are invented (contract 4.1, rule 23; 4.1, Units, prices, market, representatives: price, market_data)', async (t) => {
  const gateway = await openGateway(t, {}, new TestClock())
  const timestamp = 'Sun, 15 Nov 2026 00:00:00 GMT'
  const rest = { symbol: 'XNO', timestamp, timestamp_unix: NOW, source: 'sandbox' }
  for (const currency of ['eur', 'EUR', 'Eur']) {
    const told = (await gateway.call('price', { currency })).json<Members>()
    row('2, Price: symbol, currency, price, timestamp, timestamp_unix, source', () =>
      assert.deepEqual(told, { ...rest, currency: 'eur', price: 0.86 }),
    )
  }
  assert.deepEqual((await gateway.call('fiat_price')).json(), { ...rest, currency: 'usd', price: 1 })

  const { market_data, links, image, ...top } = (await gateway.call('market_data')).json<Record<string, Members>>()
  const { public_notice, hashing_algorithm, ...told } = top
  assert.deepEqual([kind(public_notice), kind(hashing_algorithm)], ['string', 'string'])
  const votes = { sentiment_votes_up_percentage: 50, sentiment_votes_down_percentage: 50 }
  const ranks = { market_cap_rank: 1, coingecko_rank: 1, watchlist_portfolio_users: 0 }
  const scores = ['coingecko', 'developer', 'community', 'liquidity', 'public_interest'].map((of) => [`${of}_score`, 0])
  assert.deepEqual(told, {
    ...{ source: 'sandbox', id: 'nano', symbol: 'xno', name: 'Nano', categories: ['Cryptocurrency'] },
    ...{ ...votes, ...ranks, ...Object.fromEntries(scores) },
    ...{ public_interest_stats: {}, status_updates: [], last_updated: '2026-11-15T00:00:00.000Z' },
  })
  assert.deepEqual(kindsOf(image!), { thumb: 'string', small: 'string', large: 'string' })
  for (const [name, value] of Object.entries(links!)) assert.match(kind(value), /list|string/, name)
  const byCurrency = ['current_price', 'market_cap', 'total_volume', 'high_24h', 'low_24h']
  const changes = ['24h', '7d', '30d', '1y'].map((span) => `price_change_percentage_${span}_in_currency`)
  row('2, Market data: market_data', () => {
    for (const name of [...byCurrency, ...changes]) {
      const map = market_data![name] as Members
      assert.deepEqual([kind(map.usd), kind(map.eur), kind(map.jpy)], ['number', 'number', 'number'], name)
    }
    assert.equal((market_data!.current_price as Members).eur, 0.86)
    for (const name of ['total_supply', 'max_supply', 'circulating_supply']) {
      assert.equal(market_data![name], 133_248_297, name)
    }
    assert.equal(market_data!.last_updated, '2026-11-15T00:00:00.000Z')
  })
})

// Providers change their formats; clients must not notice.
test('market data keeps its shape, whatever a provider leaves out or writes (contract 2, rule 22)', async (t) => {
  let coin: object = {}
  const url = await serve(t, (_request, response) => response.end(JSON.stringify(coin)))
  const market = { current_price: { usd: 0.85 }, last_updated: '2026-11-15T00:00:00.000Z' }
  const numbers = {
    ...{ sentiment_votes_up_percentage: 81.25, sentiment_votes_down_percentage: 18.75, market_cap_rank: 310 },
    ...{ watchlist_portfolio_users: 5, coingecko_rank: 2, coingecko_score: 3.5, developer_score: 0 },
    ...{ community_score: 1, liquidity_score: 2, public_interest_score: 0.5 },
  }
  const whole = {
    ...{ id: 'nano', symbol: 'xno', name: 'Nano', hashing_algorithm: 'Blake2b', public_notice: 'Mind the gap.' },
    categories: ['Layer 1'],
    links: { homepage: ['https://nano.example'], twitter_screen_name: 'nano' },
    image: { thumb: 'https://a.example/t.png', small: 'https://a.example/s.png', large: 'https://a.example/l.png' },
    ...numbers,
    market_data: market,
    public_interest_stats: { alexa_rank: 7 },
    status_updates: [{ description: 'New version' }],
    last_updated: '2026-11-15T00:00:01.000Z',
  }
  const nothing = {
    ...{ source: 'coingecko', id: 'nano', symbol: 'xno', name: 'Nano', hashing_algorithm: null, public_notice: null },
    ...{ categories: [], links: {}, image: { thumb: '', small: '', large: '' } },
    ...Object.fromEntries(Object.keys(numbers).map((name) => [name, null])),
    ...{ market_data: market, public_interest_stats: {}, status_updates: [], last_updated: null },
  }
  const wrong = Object.fromEntries(Object.keys(whole).map((name) => [name, name === 'categories' ? 'one' : [1]]))
  const clock = new TestClock()
  const gateway = await openGateway(t, { PRICE_PROVIDERS: 'coingecko', COINGECKO_URL: url }, clock)
  const later = { ...market, current_price: { usd: 0.9 } }
  const strange = { ...wrong, status_updates: {}, image: 'x', id: 'nano', market_data: later }
  const cases: [given: object, expected: Members][] = [
    [
      { ...whole, foreign: 1 },
      { source: 'coingecko', ...whole },
    ],
    [{ id: 'nano', market_data: market }, nothing],
    [strange, { ...nothing, market_data: later }],
  ]
  for (const [given, expected] of cases) {
    coin = given
    // Fresh for a minute, then refreshed in the background.
    clock.advance(61_000)
    const read = async () => (await gateway.call('market_data')).json<Members>()
    const marks = ({ market_data, public_notice }: Members) => JSON.stringify([market_data, public_notice])
    await until(async () => marks(await read()) === marks(expected))
    const told = await read()
    row(
      '2, Market data: source, id, symbol, name, hashing_algorithm, categories[], public_notice, links, image, sentiment, rank and score fields, market_data, public_interest_stats, status_updates[], last_updated',
      () => assert.deepEqual(told, expected),
    )
  }
})

test('the development ledger has one representative, with its version, and it is online (contract 4.1, Units, prices, market, representatives: reps, rep_info; 4.1, rule 27; 9, Synonyms: representative)', async (t) => {
  const about = { alias: 'Genesis', location: 'here', website: 'https://rep.example', donation_address: GENESIS }
  const details = JSON.stringify({ [GENESIS]: about })
  const names = JSON.stringify({ Bank: GENESIS })
  const gateway = await openGateway(t, { KNOWN_REPS: details, KNOWN_NAMES: names })
  const reps = (await gateway.call('reps')).json<Members[]>()
  const all = { weight_nano: 340_282_366.9209385, weight_raw: '340282366920938463463374607431768211455' }
  const stands = { weight: 100, ...all, uptime: '100.00%', synced: 100, score: 80 }
  const machine = { version: '27.1.0', protocol: 21, database: '' }
  row('2, Representative: donation_address, website, location, alias, username', () =>
    assert.deepEqual(reps, [
      { rep_address: GENESIS, account: GENESIS, ...about, username: 'Bank', ...stands, ...machine },
    ]),
  )
  const named = (await gateway.call('rep_info', { account: '@bank' })).json<Members>()
  assert.deepEqual(named, { ...reps[0], address: GENESIS })
  assert.deepEqual((await gateway.call('rep_info', { account: GENESIS })).json(), reps[0])
  const file = await ask(`${gateway.url}/reps.json`, { method: 'GET' })
  assert.deepEqual([file.json(), file.headers['access-control-allow-origin']], [reps, '*'])
})

const [ann, ben, cal] = [new Signer(8).address, new Signer(9).address, new Signer(10).address]
const weightOf = (nano: number) => `${nano}${'0'.repeat(30)}`

/** A node with three representatives; the test says which are online. */
async function openVoters(t: TestContext, online: () => string[]): Promise<string> {
  const machine = { major_version: '28', minor_version: '0', patch_version: '2', protocol_version: '22' }
  const weights = { [ann]: weightOf(300), [ben]: weightOf(1_000), [cal]: weightOf(50) }
  const { url } = await openRecordingNode(t, ({ action, raw }) => {
    if (action === 'representatives') return { representatives: weights }
    if (action === 'representatives_online') {
      return { representatives: Object.fromEntries(online().map((one) => [one, { weight: weights[one]! }])) }
    }
    if (action === 'telemetry' && raw !== undefined) {
      const at = (address: string, cemented_count: string) => ({ ...machine, address, port: '7075', cemented_count })
      return {
        metrics: [at('::ffff:192.0.2.1', '999'), at('::ffff:192.0.2.2', '1000'), at('::ffff:192.0.2.3', '1000')],
      }
    }
    const peers = [ann, ben, cal].map((account, at) => ({ account, ip: `[::ffff:192.0.2.${at + 1}]:7075` }))
    if (action === 'confirmation_quorum') return { online_stake_total: weightOf(10_000), peers }
    return { error: 'Not here' }
  })
  return url
}

test('most representatives have no known details, and the score compares them', async (t) => {
  const url = await openVoters(t, () => [ann, ben])
  const gateway = await openGateway(t, { NODE_URLS: url }, new TestClock())
  const unknown = { donation_address: null, website: null, location: null, alias: '', username: '', database: '' }
  const machine = { ...unknown, version: '28.0.2', protocol: 22 }
  const votes = (account: string, weight: number, weight_nano: number) => {
    const weight_raw = weightOf(weight_nano)
    return { rep_address: account, account, weight, weight_nano, weight_raw }
  }
  const reps = (await gateway.call('reps')).json<Members[]>()
  row(
    '2, Representative: rep_address, account, donation_address, weight, weight_nano, weight_raw, uptime, synced, website, location, alias, username, score, version, protocol, database',
    () =>
      assert.deepEqual(reps, [
        // More than 5 % of the weight: at most 80. Within 0.1 % of the others and always online: 70 + 30. Offline: at most 20.
        { ...machine, ...votes(ben, 10, 1_000), uptime: '100.00%', synced: 100, score: 80 },
        { ...machine, ...votes(ann, 3, 300), uptime: '100.00%', synced: 99.9, score: 100 },
        { ...machine, ...votes(cal, 0.5, 50), uptime: '0.00%', synced: 100, score: 20 },
      ]),
  )
})

// One sample shows who votes now; a recommendation needs many.
test('uptime is measured over time: three looks of four are 75 percent', async (t) => {
  let votes = true
  const url = await openVoters(t, () => (votes ? [ann] : []))
  const clock = new TestClock()
  const gateway = await openGateway(t, { NODE_URLS: url }, clock)
  const { db } = gateway.app.store
  const looks = async () => {
    const rows = await db.selectFrom('rep_days').select('online').where('account', '=', '*').execute()
    return rows.reduce((sum, { online }) => sum + online, 0)
  }
  const look = async (at: number) => {
    votes = at !== 2
    await until(async () => {
      if ((await looks()) >= at) return true
      clock.advance(1_000)
      return false
    })
  }
  const told = async () => {
    const { uptime, score } = (await gateway.call('rep_info', { account: ann })).json<Members>()
    return [uptime, score]
  }
  for (const at of [1, 2, 3, 4]) await look(at)
  const month = await told()
  clock.leap(32 * 86_400_000)
  await look(5)
  const later = await told()
  row('2, Representative: uptime, score', () => {
    // 0.7 for uptime and 0.3 for being in sync; samples older than 30 days are dropped.
    assert.deepEqual(month, ['75.00%', 82])
    assert.deepEqual(later, ['100.00%', 100])
  })
})

test('known names and aliases have their members in their types (contract 4.1, Names: known, aliases)', async (t) => {
  const gateway = await openGateway(t, { KNOWN_NAMES: JSON.stringify({ Library: ann }) })
  // The operator's own names have no start and no end.
  const began = { created: 'January 1, 1970', created_unix: 0 }
  const ends = { expires: 'December 31, 9999', expires_unix: 253_402_300_799 }
  // The development ledger adds two names of its own.
  const play = new Set<unknown>(['bank', 'faucet'])
  const known = (await gateway.call('known')).json<Members[]>().filter(({ name }) => !play.has(name))
  row('2, Known name: name, address, created, expires, created_unix, expires_unix', () =>
    assert.deepEqual(known, [{ name: 'Library', address: ann, ...began, ...ends }]),
  )
  const aliases = (await gateway.call('aliases')).json<Members[]>()
  const burn = 'nano_1111111111111111111111111111111111111111111111111111hifc8npp'
  row('2, Alias: account, alias', () => {
    for (const entry of aliases) {
      assert.deepEqual(kindsOf(entry), { account: 'string', alias: 'string' })
      assert.ok(fromAddress(String(entry.account)), JSON.stringify(entry))
    }
    assert.deepEqual(
      aliases.find(({ account }) => account === burn),
      { account: burn, alias: 'Burn' },
    )
  })
})
