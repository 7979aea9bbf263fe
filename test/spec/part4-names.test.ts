import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { ask } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { nano } from '../support/checkout-steps.ts'
import {
  type Offer,
  askChange,
  assertAccounted,
  change,
  lease,
  offer,
  openStall,
  priceOf,
  sign,
  untilOrder,
  untilQuiet,
} from '../support/username-steps.ts'
import { row } from './row.ts'

/* Contract 4.1, names: sold by an offer, changed by their owners, and listed for everybody. */

const DAY = 86_400_000

test('get_name offers plans, each with an amount of its own, and a paid one makes the payer the owner (contract 2, rules 5 and 6; 1, Product areas: 5. Usernames; 4.1, Names: known, aliases, get_name; 4.1, rules 16 and 17; 8, Usernames: lease periods; 9, Synonyms: get_name)', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  const made = await offer(shop, 'Alice')
  await market.send(alice, made.address, priceOf(made, '1 Year'))
  const check = await untilOrder(shop, made.id, 'applied')
  assert.deepEqual([check.success, check.plan?.title], [true, '1 Year'])
  assert.deepEqual(check.order, {
    kind: 'name',
    name: 'Alice',
    status: 'applied',
    what: '@Alice until November 15, 2027',
  })

  const now = market.clock.now() / 1000
  const found = { created: 'November 15, 2026', expires: 'November 15, 2027', created_unix: now }
  const entry = { name: 'Alice', address: alice.address, ...found, expires_unix: now + (365 * DAY) / 1000 }
  assert.ok(made.expires_unix > now, 'good for a while')
  for (const fields of [{ name: 'alice' }, { name: '@ALICE' }, { username: 'aLICE' }]) {
    const taken = (await shop.call('get_name', fields)).json<Offer>()
    assert.deepEqual([taken.available, taken.status, taken.name], [false, 'leased', 'Alice'])
    assert.deepEqual(taken.lease, {
      ...entry,
      owner: alice.address,
      grace_until_unix: now + (375 * DAY) / 1000,
    })
    assert.equal(taken.plans.length, 6, 'its owner can extend it')
  }
  await until(async () => (await shop.call('known')).json<unknown[]>().length > 0)
  const known = (await shop.call('known')).json<unknown>()
  row('2, Known name: name, address, created, expires, created_unix, expires_unix', () =>
    assert.deepEqual(known, [entry]),
  )
  const file = async (path: string) => (await ask(`${shop.url}${path}`, { method: 'GET' })).json<unknown>()
  assert.deepEqual(await file('/known.json'), [entry])
  const aliases = (await shop.call('aliases')).json<{ account: string; alias: string }[]>()
  assert.deepEqual(await file('/aliases.json'), aliases)
  const burn = 'nano_1111111111111111111111111111111111111111111111111111hifc8npp'
  assert.deepEqual(
    aliases.filter(({ account }) => account === burn),
    [{ account: burn, alias: 'Burn' }],
  )
  const wellKnown = '/.well-known/nano-currency.json'
  assert.deepEqual(await file(`${wellKnown}?names=alice,nobody`), {
    names: [{ name: 'alice', address: alice.address }],
  })
  const { address } = alice
  assert.deepEqual(await file(`${wellKnown}?names=${address}`), { names: [{ name: 'Alice', address }] })
  assert.deepEqual(await file(wellKnown), { names: [entry] })
  const balance = (await shop.call('account_balance', { account: '@aLiCe' })).json()
  assert.equal(balance.address, alice.address)
  // The same address may have another one; it is called by the first.
  await lease(market, shop, alice, 'Bakery', '1 Month')
  const names = async () => (await shop.call('known')).json<{ name: string; address: string }[]>()
  await until(async () => (await names()).length === 2)
  assert.deepEqual(
    (await names()).map(({ name, address }) => [name, address]),
    [
      ['Alice', address],
      ['Bakery', address],
    ],
  )
  assert.deepEqual(await file(`${wellKnown}?names=${address}`), { names: [{ name: 'Alice', address }] })
  await assertAccounted(market, shop)
})

test('update_name with a name alone asks for a small amount, and what the owner signs is carried out when it is paid (contract 4.1, Names: update_name; 4.1, rule 18; 3, rule 10)', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  const savings = new Signer(900)
  await lease(market, shop, alice, 'Alice')
  const texts = { title: 'Alice\u202e’s Shop ', website: 'https://alice.example', github: 'alice', twitter: '@alice' }
  const more = { mastodon: '@alice@a.example', location: 'Zürich', image: 'https://alice.example/a.png' }
  const asked = await askChange(shop, { name: '@ALICE' })
  assert.ok(nano(asked.amount) > nano('0.001') && nano(asked.amount) < nano('0.001006'), asked.amount)
  const known = async () => (await shop.call('known')).json<Record<string, unknown>[]>()[0]!
  await until(async () => (await known()) !== undefined)
  assert.equal((await known()).title, undefined, 'nothing changes before it is paid')
  const clean = { ...texts, title: 'Alice’s Shop' }
  const { signature } = sign(alice, asked, { name: 'alice', ...clean, ...more, metadata: { shop: 7 } })
  const said = await askChange(shop, {
    name: 'alice',
    id: asked.id,
    ...texts,
    ...more,
    metadata: { shop: 7 },
    signature,
  })
  assert.equal(said.authorized, true)
  await market.send(alice, asked.address, asked.amount_raw)
  await untilOrder(shop, asked.id, 'applied')
  const { title, website, github, twitter, mastodon, location, image, metadata } = await known()
  assert.deepEqual(
    { title, website, github, twitter, mastodon, location, image, metadata },
    { ...clean, ...more, metadata: { shop: 7 } },
    'without characters that turn the text around',
  )

  // The name leads elsewhere, also where an answer was remembered, and its owner stays.
  const balance = async () => (await shop.call('account_balance', { account: '@alice' })).json()
  assert.equal((await balance()).address, alice.address)
  assert.equal((await balance()).address, alice.address)
  await change(market, shop, alice, { name: 'alice', address: savings.address, remove: ['title'] })
  assert.equal((await balance()).address, savings.address)
  const { lease: current } = await offer(shop, 'alice')
  assert.deepEqual(
    [current!.owner, current!.address, current!.title, current!.github],
    [alice.address, savings.address, undefined, 'alice'],
  )
  // Whoever has not said it of itself is not called by it: a name must not be put on a stranger.
  const wellKnown = `${shop.url}/.well-known/nano-currency.json?names=${savings.address}`
  assert.deepEqual((await ask(wellKnown, { method: 'GET' })).json<unknown>(), { names: [] })
  await assertAccounted(market, shop)

  await untilQuiet(market, shop)
  market.clock.leap(365 * DAY)
  const over = await shop.call('update_name', { name: 'alice', title: 'x' })
  assert.deepEqual(
    [over.status, over.json().code],
    [409, 'conflict'],
    'its lease is over, and only its owner may renew it',
  )
  const nobody = await shop.call('update_name', { name: 'nobody', title: 'x' })
  assert.deepEqual([nobody.status, nobody.json().error], [400, 'Username not found.'])
})

type Refused = [action: string, fields: object, code: string, field: string]

const NO_NAMES = [
  ...[
    ' ',
    '@',
    '@@alice',
    7,
    ['alice'],
    'a'.repeat(31),
    'two words',
    'alice\n',
    'al-ice',
    'al_ice',
    'al.ice',
    'é',
    '名',
  ],
  // Cyrillic а, the Kelvin sign, a full-width letter, a zero-width space, a digit of another script.
  ...['\u0430lice', '\u212aelvin', '\uff41lice', 'ali\u200bce', 'alice\u0661'],
]

test('wrong input is named, and nothing is offered for it (contract 2, rule 4; 4.1, rule 18; 8, Usernames: characters)', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  await lease(market, shop, alice, 'alice')
  const { db } = shop.app.store
  const orders = async () => (await db.selectFrom('service_orders').select('checkout_id').execute()).length
  const before = await orders()
  const refusals: Refused[] = [
    ['get_name', {}, 'invalid_request', 'name'],
    ['get_name', { name: '' }, 'invalid_request', 'name'],
    ['get_name', { name: null }, 'invalid_request', 'name'],
    ...NO_NAMES.map((name): Refused => ['get_name', { name }, 'invalid_username', 'name']),
    ['get_name', { name: 'one', username: 'two' }, 'invalid_request', 'username'],
    ['update_name', { title: 'x' }, 'invalid_request', 'name'],
    ['update_name', { name: 'alice', title: ' ' }, 'invalid_request', 'title'],
    ['update_name', { name: 'alice', remove: ['owner'] }, 'invalid_request', 'remove'],
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
