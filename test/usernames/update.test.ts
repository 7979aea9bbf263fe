import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { ask } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { nano, type Shop } from '../checkout/world.ts'
import {
  type Market,
  assertAccounted,
  lease,
  offer,
  openMarket,
  untilOrder,
  untilQuiet,
  untilRefunded,
} from './world.ts'

/* What owners change about their names, and who may not. */

interface Change {
  id: string
  address: string
  browser: string
  check: string
  json: string
  update_name: string
  amount: string
  amount_raw: string
  link: string
  expires_unix: number
}

async function askChange(shop: Shop, fields: object): Promise<Change> {
  const reply = await shop.call('update_name', fields)
  assert.equal(reply.status, 200, reply.text)
  return reply.json<Change>()
}

async function change(market: Market, shop: Shop, who: Signer, fields: object): Promise<void> {
  const asked = await askChange(shop, fields)
  await market.send(who, asked.address, asked.amount_raw)
  await untilOrder(shop, asked.id, 'applied')
}

test('update_name asks for a small amount, and what the owner pays for is carried out (contract 4.1, Names: update_name; 4.1, rule 18; 3, rule 10)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const [alice, savings] = [await market.person(), new Signer(900)]
  await lease(market, shop, alice, 'Alice')
  const texts = { title: 'Alice\u202e’s Shop ', website: 'https://alice.example', github: 'alice', twitter: '@alice' }
  const more = { mastodon: '@alice@a.example', location: 'Zürich', image: 'https://alice.example/a.png' }
  const asked = await askChange(shop, { name: '@ALICE', ...texts, ...more, metadata: { shop: 7 } })
  assert.deepEqual(Object.keys(asked).sort(), [
    ...['address', 'amount', 'amount_raw', 'browser', 'check', 'expires_unix', 'id', 'json', 'link', 'update_name'],
  ])
  assert.equal(asked.update_name, '@Alice')
  assert.equal(nano(asked.amount), BigInt(asked.amount_raw))
  assert.ok(nano(asked.amount) > nano('0.001') && nano(asked.amount) < nano('0.001006'), asked.amount)
  assert.equal(asked.link, `nano:${asked.address}?amount=${asked.amount_raw}`)
  const known = async () => (await shop.call('known')).json<Record<string, unknown>[]>()[0]!
  await until(async () => (await known()) !== undefined)
  assert.equal((await known()).title, undefined, 'nothing changes before it is paid')
  await market.send(alice, asked.address, asked.amount_raw)
  await untilOrder(shop, asked.id, 'applied')
  await until(async () => (await known()).title !== undefined)
  const { title, website, github, twitter, mastodon, location, image, metadata } = await known()
  assert.deepEqual(
    { title, website, github, twitter, mastodon, location, image, metadata },
    { ...texts, title: 'Alice’s Shop', ...more, metadata: { shop: 7 } },
    'without characters that turn the text around',
  )

  // The name leads elsewhere, also where an answer was remembered, and its owner stays.
  const balance = async () => (await shop.call('account_balance', { account: '@alice' })).json()
  assert.equal((await balance()).address, alice.address)
  assert.equal((await balance()).address, alice.address)
  await change(market, shop, alice, { name: 'alice', address: savings.address, title: '' })
  await until(async () => (await balance()).address === savings.address)
  const { lease: current } = await offer(shop, 'alice')
  assert.deepEqual(
    [current!.owner, current!.address, current!.title, current!.github],
    [alice.address, savings.address, undefined, 'alice'],
  )
  // Whoever has not said it of itself is not called by it: a name must not be put on a stranger.
  const wellKnown = `${shop.url}/.well-known/nano-currency.json?names=${savings.address}`
  assert.deepEqual((await ask(wellKnown, { method: 'GET' })).json<unknown>(), { names: [] })
  await assertAccounted(market, shop)
})

test('a change that somebody else pays for, or that comes too late, is not carried out and paid back (contract 4.1, rule 18; 3, rule 10)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const [alice, mallory] = [await market.person(), await market.person()]
  await lease(market, shop, alice, 'alice', '2 Days')
  const asked = await askChange(shop, { name: 'alice', address: mallory.address })
  // An owner who is sent this link sees where the name would lead.
  const record = (await ask(asked.json, { method: 'GET' })).json()
  assert.ok(record.description!.startsWith(`@alice will stand for ${mallory.address}. Counts only`), record.description)
  await market.send(mallory, asked.address, asked.amount_raw)
  const { order } = await untilRefunded(market, shop, asked.id)
  assert.deepEqual([order.status, order.reason], ['refunded', 'not_the_owner'])
  assert.equal(market.fundsOf(mallory.address), nano('100'))
  assert.equal((await offer(shop, 'alice')).lease!.address, alice.address)
  const late = await askChange(shop, { name: 'alice', title: 'Too late' })
  await untilQuiet(market, shop)
  market.clock.leap(2 * 86_400_000)
  const before = market.fundsOf(alice.address)
  await market.send(alice, late.address, late.amount_raw)
  const { order: second } = await untilRefunded(market, shop, late.id)
  assert.deepEqual([second.status, second.reason], ['refunded', 'name_not_leased'])
  assert.equal(market.fundsOf(alice.address), before)
  await assertAccounted(market, shop)
})

test('wrong input is named, and nothing is offered for it (contract 2, rule 4; 4.1, rule 18; 8, Usernames: characters)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start()
  const alice = await market.person()
  await lease(market, shop, alice, 'alice')
  const { db } = shop.app.store
  const orders = async () => (await db.selectFrom('service_orders').select('checkout_id').execute()).length
  const before = await orders()
  const refusals: [action: string, fields: object, code: string, field: string][] = [
    ['get_name', {}, 'invalid_request', 'name'],
    ['get_name', { name: '' }, 'invalid_username', 'name'],
    ['get_name', { name: '@' }, 'invalid_username', 'name'],
    ['get_name', { name: '@@alice' }, 'invalid_username', 'name'],
    ['get_name', { name: 7 }, 'invalid_username', 'name'],
    ['get_name', { name: null }, 'invalid_request', 'name'],
    ['get_name', { name: ['alice'] }, 'invalid_username', 'name'],
    ['get_name', { name: 'a'.repeat(31) }, 'invalid_username', 'name'],
    ['get_name', { name: 'two words' }, 'invalid_username', 'name'],
    ['get_name', { name: 'alice\n' }, 'invalid_username', 'name'],
    ['get_name', { name: 'al-ice' }, 'invalid_username', 'name'],
    // Cyrillic а, the Kelvin sign, a full-width letter, a zero-width space, a digit of another script.
    ['get_name', { name: '\u0430lice' }, 'invalid_username', 'name'],
    ['get_name', { name: '\u212aelvin' }, 'invalid_username', 'name'],
    ['get_name', { name: '\uff41lice' }, 'invalid_username', 'name'],
    ['get_name', { name: 'ali\u200bce' }, 'invalid_username', 'name'],
    ['get_name', { name: 'alice\u0661' }, 'invalid_username', 'name'],
    ['get_name', { name: 'one', username: 'two' }, 'invalid_request', 'username'],
    ['update_name', { title: 'x' }, 'invalid_request', 'name'],
    ['update_name', { name: 'alice' }, 'invalid_request', 'name'],
    ['update_name', { name: 'nobody', title: 'x' }, 'username_not_found', 'name'],
    ['update_name', { name: 'admin', title: 'x' }, 'username_not_found', 'name'],
    ['update_name', { name: 'alice', title: 'x'.repeat(100) }, 'invalid_request', 'title'],
    ['update_name', { name: 'alice', location: 7 }, 'invalid_request', 'location'],
    ['update_name', { name: 'alice', website: 'javascript://alice.example/%0aalert(1)' }, 'invalid_url', 'website'],
    ['update_name', { name: 'alice', website: 'https://user@alice.example' }, 'invalid_url', 'website'],
    ['update_name', { name: 'alice', website: 'alice.example' }, 'invalid_url', 'website'],
    ['update_name', { name: 'alice', image: 'data:image/svg+xml,x' }, 'invalid_url', 'image'],
    ['update_name', { name: 'alice', address: 'nano_1abc' }, 'invalid_account', 'address'],
    ['update_name', { name: 'alice', address: '@nobody' }, 'username_not_found', 'address'],
    ['update_name', { name: 'alice', metadata: 'text' }, 'invalid_metadata', 'metadata'],
    ['update_name', { name: 'alice', metadata: { text: 'x'.repeat(500) } }, 'invalid_metadata', 'metadata'],
  ]
  for (const [action, fields, code, field] of refusals) {
    const reply = await shop.call(action, fields)
    const answer = reply.json()
    assert.deepEqual([reply.status, answer.code, answer.field], [400, code, field], JSON.stringify(fields))
    assert.equal(answer.error, answer.message)
  }
  assert.equal(await orders(), before)
})

test('reserved words are nobody’s, however they are written (contract 2, Username registration offer: status; 2, rule 5; 3, Username: reserved)', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start({ KNOWN_NAMES: JSON.stringify({ Library: new Signer(901).address }) })
  for (const name of [
    'admin',
    'ADMIN',
    '@Nano',
    'xno',
    'null',
    'api',
    'adm1n',
    'Nan0',
    'b1nance',
    'paypaI',
    'library',
    'L1brary',
  ]) {
    const { message, ...answer } = (await shop.call('get_name', { name })).json<Record<string, unknown>>()
    const given = name.replace('@', '')
    assert.deepEqual(answer, { name: given, available: false, status: 'reserved', lease: null, plans: [] }, name)
    assert.match(String(message), /reserved/)
  }
  assert.equal((await offer(shop, 'administratively')).status, 'available', 'a word may be part of a name')
  // The names of the operator stand for something, in any case, and only they themselves do.
  const balance = await shop.call('account_balance', { account: '@LIBRARY' })
  assert.equal(balance.json().address, new Signer(901).address)
  const lookalike = await shop.call('account_balance', { account: '@\u212aibrary' })
  assert.deepEqual([lookalike.status, lookalike.json().code], [400, 'username_not_found'])
})

test('one caller gets so many offers a day and no more', async (t) => {
  const market = await openMarket(t)
  const shop = await market.start({ OFFERS_PER_DAY_MAX: '2' })
  await offer(shop, 'one')
  await shop.call('get_name', { name: 'admin' })
  await shop.call('buy_rpc', { email: 'alice@example.com' })
  const refused = await shop.call('get_name', { name: 'three' })
  assert.deepEqual([refused.status, refused.json().code], [429, 'too_many_requests'])
  assert.ok(Number(refused.headers['retry-after']) > 80_000)
  const { key } = await market.join(shop)
  assert.equal((await shop.call('get_name', { name: 'three' }, { authorization: `Bearer ${key}` })).status, 200)
  market.clock.leap(86_400_000)
  await offer(shop, 'four')
})
