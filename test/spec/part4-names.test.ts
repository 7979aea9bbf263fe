import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BURN_ADDRESS } from '../../src/kernel/nano/address.ts'
import { Signer } from '../support/blocks.ts'
import { ask } from '../support/gateway.ts'
import { readQr } from '../support/read-qr.ts'
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

/* Contract 4.1, names: bought through an offer, changed by their owners, and listed publicly. */

const DAY = 86_400_000

type Pictured = { plans: { link: string; qrcode?: string }[] }

test('get_name offers plans, each with an amount of its own, and a paid one makes the payer the owner (contract 2, rules 5 and 6; 1, Product areas: 5. Usernames; 4.1, Names: known, aliases, get_name; 4.1, rules 16 and 17; 8, Usernames: lease periods; 9, Synonyms: get_name)', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  const made = await offer(shop, 'Alice')
  await market.send(alice, made.address, priceOf(made, '1 Year'))
  const check = await untilOrder(shop, made.id, 'applied')
  assert.deepEqual([check.success, check.plan?.title], [true, '1 Year'])
  const what = '@Alice until November 15, 2027'
  assert.deepEqual(check.order, { kind: 'name', name: 'Alice', status: 'applied', what })

  const now = market.clock.now() / 1000
  const found = { created: 'November 15, 2026', expires: 'November 15, 2027', created_unix: now }
  const entry = { name: 'Alice', address: alice.address, ...found, expires_unix: now + (365 * DAY) / 1000 }
  assert.ok(made.expires_unix > now, 'good for a while')
  for (const qrcode of [true, 'true', 1]) {
    const { plans } = (await shop.call('get_name', { name: 'Alice', qrcode })).json<Pictured>()
    row('2, Username registration offer: qrcode', () => {
      for (const plan of plans) assert.equal(readQr(plan.qrcode!), plan.link)
      assert.deepEqual([plans.length, made.plans.some((plan) => 'qrcode' in plan)], [6, false])
    })
  }
  for (const fields of [{ name: 'alice' }, { name: '@ALICE' }, { username: 'aLICE' }]) {
    const taken = (await shop.call('get_name', fields)).json<Offer>()
    assert.deepEqual([taken.available, taken.status, taken.name], [false, 'leased', 'Alice'])
    const grace_until_unix = now + (375 * DAY) / 1000
    assert.deepEqual(taken.lease, { ...entry, owner: alice.address, grace_until_unix })
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
  const burnt = aliases.filter(({ account }) => account === BURN_ADDRESS)
  assert.deepEqual(burnt, [{ account: BURN_ADDRESS, alias: 'Burn' }])
  const wellKnown = '/.well-known/nano-currency.json'
  const { address } = alice
  assert.deepEqual(await file(`${wellKnown}?names=alice,nobody`), { names: [{ name: 'alice', address }] })
  assert.deepEqual(await file(`${wellKnown}?names=${address}`), { names: [{ name: 'Alice', address }] })
  assert.deepEqual(await file(wellKnown), { names: [entry] })
  const balance = (await shop.call('account_balance', { account: '@aLiCe' })).json()
  assert.equal(balance.address, alice.address)
  // The same address may lease a second name; the first one is shown.
  await lease(market, shop, alice, 'Bakery', '1 Month')
  const listed = async () => (await shop.call('known')).json<{ name: string; address: string }[]>()
  await until(async () => (await listed()).length === 2)
  const names = (await listed()).map((one) => `${one.name} ${one.address}`)
  assert.deepEqual(names, [`Alice ${address}`, `Bakery ${address}`])
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
  const changes = { ...more, metadata: { shop: 7 } }
  const signed = sign(alice, asked, { name: 'alice', ...clean, ...changes })
  const said = await askChange(shop, { ...signed, ...texts })
  assert.equal(said.authorized, true)
  await market.send(alice, asked.address, asked.amount_raw)
  await untilOrder(shop, asked.id, 'applied')
  // Without characters that change the direction of text.
  const { title, website, github, twitter, mastodon, location, image, metadata } = await known()
  const shown = { title, website, github, twitter, mastodon, location, image, metadata }
  assert.deepEqual(shown, { ...clean, ...changes })

  // The name resolves to another address, even where an answer was cached, and its owner stays.
  const balance = async () => (await shop.call('account_balance', { account: '@alice' })).json()
  assert.equal((await balance()).address, alice.address)
  assert.equal((await balance()).address, alice.address)
  await change(market, shop, alice, { name: 'alice', address: savings.address, remove: ['title'] })
  assert.equal((await balance()).address, savings.address)
  const { owner, address, title: removed, github: kept } = (await offer(shop, 'alice')).lease!
  assert.deepEqual([owner, address, removed, kept], [alice.address, savings.address, undefined, 'alice'])
  // An address is shown with a name only if its owner has confirmed it: others must not be able to name an address.
  const wellKnown = `${shop.url}/.well-known/nano-currency.json?names=${savings.address}`
  assert.deepEqual((await ask(wellKnown, { method: 'GET' })).json<unknown>(), { names: [] })
  await assertAccounted(market, shop)

  await untilQuiet(market, shop)
  market.clock.leap(365 * DAY)
  // The lease has ended, and only its owner may renew it.
  const over = await shop.call('update_name', { name: 'alice', title: 'x' })
  assert.deepEqual([over.status, over.json().code], [409, 'conflict'])
})

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
const NO_WEBSITES = ['javascript://alice.example/%0aalert(1)', 'https://user@alice.example', 'alice.example']

test('wrong input is named, and nothing is offered for it (contract 2, rule 4; 4.1, rule 18; 8, Usernames: characters)', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  await lease(market, shop, alice, 'alice')
  const { db } = shop.app.store
  const orders = async () => (await db.selectFrom('service_orders').select('checkout_id').execute()).length
  const before = await orders()
  const refusals: [action: string, code: string, field: string, values: unknown[], rest?: object][] = [
    ['get_name', 'invalid_request', 'name', [undefined, '', null]],
    ['get_name', 'invalid_username', 'name', NO_NAMES],
    ['get_name', 'invalid_request', 'username', ['two'], { name: 'one' }],
    ['update_name', 'invalid_request', 'name', [undefined], { title: 'x' }],
    ['update_name', 'username_not_found', 'name', ['nobody', 'admin'], { title: 'x' }],
    ['update_name', 'invalid_request', 'title', [' ', 'x'.repeat(100)], { name: 'alice' }],
    ['update_name', 'invalid_request', 'remove', [['owner']], { name: 'alice' }],
    ['update_name', 'invalid_request', 'location', [7], { name: 'alice' }],
    ['update_name', 'invalid_url', 'website', NO_WEBSITES, { name: 'alice' }],
    ['update_name', 'invalid_url', 'image', ['data:image/svg+xml,x'], { name: 'alice' }],
    ['update_name', 'invalid_account', 'address', ['nano_1abc'], { name: 'alice' }],
    ['update_name', 'username_not_found', 'address', ['@nobody'], { name: 'alice' }],
    ['update_name', 'invalid_metadata', 'metadata', ['text', { text: 'x'.repeat(500) }], { name: 'alice' }],
  ]
  for (const [action, code, field, values, rest] of refusals) {
    for (const value of values) {
      const reply = await shop.call(action, { ...rest, [field]: value })
      const answer = reply.json()
      assert.deepEqual([reply.status, answer.code, answer.field], [400, code, field], JSON.stringify(value))
      assert.equal(answer.error, answer.message)
      if (code === 'username_not_found') assert.equal(answer.error, 'Username not found.')
    }
  }
  assert.equal(await orders(), before)
})
