import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { suspendAccount } from '../../src/modules/accounts/index.ts'
import { type Reply, ask } from '../support/gateway.ts'
import { type Shop, bearer, merchant, nano, openWorld, untilStatus } from '../support/checkout-steps.ts'
import { assertNamed, wrongIn } from '../support/wrong-fields.ts'

/* Contract 4.9, rules 12 to 17: tills for cashiers. */

const { address } = merchant
const COUNTER = { address, title: 'Counter', items: [{ title: 'Espresso', price: '2' }], tips: [10] }
const KEY = 'tap-0123456789abcdef'

interface Pos {
  id: string
  link: string
  [name: string]: unknown
}

type Sale = Record<'id' | 'status' | 'total' | 'tip' | 'amount' | 'link', string> & { qr: { path: string } }

async function open(t: Parameters<typeof openWorld>[0]) {
  const world = await openWorld(t)
  const shop = await world.start({ TRUSTED_PROXIES: 'loopback' })
  const { key, accountId } = await shop.join()
  return { world, shop, key, accountId }
}

async function make(shop: Shop, key: string, fields: object = {}) {
  const reply = await shop.rest('POST', '/api/pos', key, { ...COUNTER, ...fields })
  assert.equal(reply.status, 201, reply.text)
  const pos = reply.json<Pos>()
  const token = pos.link.split('#')[1]!
  /** Sends a request as the till's page does, from the given network address. */
  const at = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    ask(`${shop.url}/pos/${pos.id}${path}`, {
      method,
      headers: { 'pos-token': token, 'x-forwarded-for': '203.0.113.1', accept: 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
  return { pos, token, at }
}

const seen = ({ status, json }: Reply) => [status, json().code ?? null]

test('a point of sale is made, read, changed and deleted by its owner; invalid fields are named (contract 4.9, rule 12)', async (t) => {
  const { shop, key } = await open(t)
  const other = (await shop.join()).key
  const item = { title: 'a', price: '1' }
  const tooMany = Array.from({ length: 61 }, () => item)
  await assertNamed(
    (fields) => shop.rest('POST', '/api/pos', key, { ...COUNTER, ...fields }),
    [
      wrongIn('title', ' ', 'x'.repeat(81)),
      wrongIn('address', 'nano_1'),
      wrongIn('currency', 'DUCATS'),
      wrongIn('items', tooMany),
      ['items[0].title', { items: [{ ...item, title: '' }] }],
      ['items[0].price', { items: [{ ...item, price: '1.X' }] }],
      ['items[0].image', { items: [{ ...item, image: 'https://example.org/a.png' }] }],
      wrongIn('tips', [101], [1.5]),
      wrongIn('time_zone', 'Mars/Base'),
      ['pin', { pin: '123' }, { pin: 'abcd' }, { pin_required: true }, { pin_required: 'TRUE' }],
      ['pin_required', { pin: '4711', pin_required: 'maybe' }],
      wrongIn('paused', 'maybe'),
    ],
  )
  const { pos, token } = await make(shop, key, { pin: '4711', pin_required: 'TRUE', currency: 'EUR' })
  assert.match(pos.link, new RegExp(`^${shop.url}/pos/${pos.id}#\\w{40}$`))
  assert.ok(!JSON.stringify(pos).includes('4711'), 'the PIN is shown nowhere')
  const path = `/api/pos/${pos.id}`
  const listed = await shop.rest('GET', '/api/pos', key)
  assert.ok(!listed.text.includes(token), 'a list has no links')
  assert.equal(listed.json<{ points_of_sale: Pos[] }>().points_of_sale[0]!.id, pos.id)
  for (const access of [`GET ${path}`, `PUT ${path}`, `POST ${path}/rotate`, `GET ${path}/day`, `DELETE ${path}`]) {
    const [method, at] = access.split(' ') as [string, string]
    const body = method === 'PUT' ? { title: 'Mine' } : undefined
    assert.equal((await shop.rest(method, at, other, body)).status, 404, access)
  }
  const fixed = await shop.rest('PUT', path, key, { currency: 'USD' })
  assert.deepEqual([fixed.status, fixed.json().field], [400, 'currency'])
  for (const suppressed of [null, '']) {
    const still = (await shop.rest('PUT', path, key, { pin_required: suppressed })).json<Pos>()
    assert.equal(still.pin_required, true, 'the PIN is still asked for')
  }
  const changed = (await shop.rest('PUT', path, key, { tips: [5, 15], pin_required: false })).json<Pos>()
  assert.deepEqual([changed.title, changed.tips, changed.pin_required], ['Counter', [5, 15], false])
  assert.ok(!(await shop.rest('GET', path, key)).text.includes(token), 'who may only look shall not sell')
  assert.notEqual((await shop.rest('POST', `${path}/rotate`, key)).json<Pos>().link, pos.link)
  assert.equal((await shop.rest('DELETE', path, key)).status, 200)
  assert.equal((await shop.rest('GET', path, key)).status, 404)
  const headers = { ...bearer(key), 'idempotency-key': 'the same' }
  const once = () => ask(`${shop.url}/api/pos`, { headers, body: JSON.stringify(COUNTER) })
  const twice = await Promise.all([once(), once()])
  const links = twice.filter(({ status }) => status === 201).map((reply) => reply.json<Pos>().link)
  assert.equal(new Set(links).size, 1)
  const stored = shop.ctx.db.selectFrom('idempotency').selectAll().where('action', '=', 'pos.create')
  const remembered = JSON.stringify(await stored.executeTakeFirstOrThrow())
  assert.ok(!remembered.includes(links[0]!.split('#')[1]!), 'no secret is remembered')
})

test('the link of a till opens its till, and nothing else: no other till, no key’s endpoint, no dashboard (contract 4.9, rule 13)', async (t) => {
  const { shop, key, accountId } = await open(t)
  const till = await make(shop, key)
  const other = await make(shop, key, { title: 'Garden' })
  const { token } = till
  const shown = await till.at('GET', '/till')
  assert.equal(shown.status, 200)
  for (const secret of [accountId, key, address, token]) assert.ok(!shown.text.includes(secret), secret)
  const sold = (await other.at('POST', '/sales', { key: KEY, amount: '1', total: '1' })).json<Sale>()
  assert.equal((await till.at('GET', `/sales/${sold.id}`)).status, 404, 'a sale of another till')
  const own = await shop.open({ address, amount: '1' }, bearer(key))
  assert.equal((await till.at('GET', `/sales/${own.id}`)).status, 404, 'a checkout of the merchant')
  for (const wrong of ['', 'x'.repeat(40), other.token, token.slice(0, 39), key]) {
    for (const access of ['GET /till', 'GET /day', 'POST /sales', 'POST /sign-in', `GET /sales/${sold.id}`]) {
      const [method, path] = access.split(' ') as [string, string]
      const body = method === 'POST' ? { key: KEY, pin: '1' } : undefined
      assert.equal((await till.at(method, path, body, { 'pos-token': wrong })).status, 404, access)
    }
  }
  const [sale, place] = [`/api/checkouts/${sold.id}`, `/api/pos/${till.pos.id}`]
  const endpoints = [
    ...['GET /api/account', 'GET /api/checkouts', 'GET /api/checkouts/export.csv', 'GET /api/keys'],
    ...[`GET ${sale}`, `DELETE ${sale}`, `POST ${sale}/mark`, `POST ${sale}/refunds`],
    ...[`GET ${place}`, `POST ${place}/rotate`],
  ]
  const ways = [{ 'pos-token': token }, bearer(token), { key: token }, { cookie: `session=${token}` }]
  for (const access of endpoints) {
    const [method, path] = access.split(' ') as [string, string]
    for (const way of ways) {
      const sent = { method, headers: { accept: 'application/json', ...way } as Record<string, string> }
      const reply = await ask(`${shop.url}${path}`, method === 'GET' ? sent : { ...sent, body: '{}' })
      assert.equal(reply.status, 401, `${access} ${Object.keys(way).join()}`)
    }
  }
  await shop.rest('POST', `/api/pos/${till.pos.id}/rotate`, key)
  assert.equal((await till.at('GET', '/till')).status, 404, 'an old link')
})

test('a tap makes one sale of the amount and items, with its tip, and a payment on the ledger completes it (contract 4.9, rule 14)', async (t) => {
  const { shop, key, world } = await open(t)
  const till = await make(shop, key)
  const sell = (fields: object) => till.at('POST', '/sales', { key: KEY, ...fields })
  const chosen = (item: number, quantity: number) => ({ items: [{ item, quantity }], total: '2' })
  await assertNamed(sell, [
    ['key', { key: 'short', amount: '1', total: '1' }],
    ['amount', { total: '0' }, { amount: '-1', total: '1' }, { amount: 'X', total: '1' }],
    ['amount', { amount: '999999999', total: '999999999', items: [] }],
    ['items[0]', chosen(1, 1)],
    ['items[0].quantity', chosen(0, 0), chosen(0, 1.5)],
    ['tip', { amount: '1', tip: 11, total: '1.11' }],
  ])
  const whole = { amount: '0.5', items: [{ item: 0, quantity: 2 }], tip: 10, total: '4.95' }
  const other = await sell({ ...whole, total: '4.94' })
  assert.deepEqual([other.status, other.json().total], [409, '4.95'])
  const made = await sell(whole)
  assert.equal(made.status, 201, made.text)
  const sale = made.json<Sale>()
  assert.deepEqual([sale.status, sale.total, sale.tip], ['pending', '4.95', '0.45'])
  assert.match(sale.link, new RegExp(`^nano:${address}\\?amount=\\d+$`))
  assert.match(sale.qr.path, /^[MmHhVvZz0-9 .,-]+$/)
  assert.equal((await sell(whole)).json<Sale>().id, sale.id)
  assert.equal((await sell({ amount: '1', total: '1' })).status, 409)
  const own = (await shop.rest('GET', `/api/checkouts/${sale.id}`, key)).json<{ checkout: Record<string, unknown> }>()
  assert.deepEqual(own.checkout.metadata, {
    point_of_sale: { id: till.pos.id, tip: '0.45', items: [{ title: 'Espresso', price: '2', quantity: 2 }] },
  })
  assert.equal(own.checkout.description, '2 × Espresso')
  await world.pay(address, nano(sale.amount))
  await untilStatus(shop, sale.id, 'complete')
  assert.equal((await till.at('GET', `/sales/${sale.id}`)).json<Sale>().status, 'complete')
  assert.equal((await sell(whole)).json<Sale>().status, 'complete', 'a tap that is sent again finds its sale, paid')
  await shop.rest('PUT', `/api/pos/${till.pos.id}`, key, { paused: true })
  const paused = await till.at('POST', '/sales', { key: `${KEY}-2`, amount: '1', total: '1' })
  assert.deepEqual(seen(paused), [409, 'conflict'])
})

test('wrong PINs are delayed, and others use up only their own attempts; the right one opens a session of twelve hours (contract 4.9, rule 15; 4.9, rule 13; 7, Texts and codes: point of sale without its PIN, or with a wrong one)', async (t) => {
  const { shop, key, world, accountId } = await open(t)
  const till = await make(shop, key, { pin: '4711' })
  const signIn = (pin: string, from: string, device = '') =>
    till.at('POST', '/sign-in', { pin }, { 'x-forwarded-for': from, 'pos-device': device })
  const HOME = '203.0.113.1'
  const STREET = '198.51.100.7'
  assert.deepEqual(seen(await till.at('GET', '/till')), [401, 'pin_required'])
  assert.deepEqual(seen(await till.at('GET', '/day')), [401, 'pin_required'])
  assert.deepEqual(seen(await till.at('POST', '/sales', { key: KEY, amount: '1', total: '1' })), [401, 'pin_required'])
  const { session, device } = (await signIn('4711', HOME)).json<{ session: string; device: string }>()
  const asCashier = { 'pos-session': session }
  assert.equal((await till.at('GET', '/till', undefined, asCashier)).status, 200)
  for (const left of [4, 3, 2, 1, 0]) {
    const refused = await signIn('0000', STREET)
    assert.deepEqual([refused.status, refused.json().tries_left], [401, left])
  }
  const paused = await signIn('4711', STREET)
  assert.deepEqual([paused.status, paused.headers['retry-after']], [429, '300'])
  assert.equal((await signIn('4711', HOME)).status, 200, 'from another address')
  assert.equal((await signIn('4711', STREET, device)).status, 200, 'a device that is known, from the same address')
  const shown = await shop.rest('GET', `/api/pos/${till.pos.id}`, key)
  assert.equal(shown.json<Pos>().wrong_pins, 5)
  world.clock.advance(12 * 3_600_000)
  assert.deepEqual(seen(await till.at('GET', '/till', undefined, asCashier)), [401, 'pin_required'])
  const again = (await signIn('4711', HOME, device)).json<{ session: string }>()
  await shop.rest('PUT', `/api/pos/${till.pos.id}`, key, { pin: '123456' })
  assert.equal((await till.at('GET', '/till', undefined, { 'pos-session': again.session })).status, 401, 'another PIN')
  await suspendAccount(shop.ctx, { accountId, actor: OPERATOR, reason: 'Abuse.' })
  assert.deepEqual(seen(await till.at('GET', '/till')), [403, 'account_suspended'])
})

test('a day has the sums of its sales, by the clock of the place, and counts nothing of the merchant’s other checkouts (contract 4.9, rule 16)', async (t) => {
  const { shop, key, world } = await open(t)
  const till = await make(shop, key, { time_zone: 'Pacific/Kiritimati', currency: 'USD', items: [] })
  const sold = (await till.at('POST', '/sales', { key: KEY, amount: '2.35', tip: 10, total: '2.59' })).json<Sale>()
  await till.at('POST', '/sales', { key: `${KEY}-2`, amount: '7', total: '7' })
  await shop.open({ address, amount: '1' }, bearer(key))
  await world.pay(address, nano(sold.amount))
  await untilStatus(shop, sold.id, 'complete')
  const day = (await till.at('GET', '/day')).json<Record<string, unknown>>()
  const date = new Date(world.clock.now() + 14 * 3_600_000).toISOString().slice(0, 10)
  const { count, total, tips, nano: paid, refunded, sales } = day
  assert.deepEqual([day.date, count, total, tips, paid, refunded], [date, 1, '2.59', '0.24', sold.amount, '0.00'])
  assert.equal((sales as unknown[]).length, 2)
  const own = await shop.rest('GET', `/api/pos/${till.pos.id}/day?date=${date}`, key)
  assert.deepEqual(own.json(), day)
  assert.equal((await shop.rest('GET', `/api/pos/${till.pos.id}/day?date=2027-02-29`, key)).status, 400)
  const before = await shop.rest('GET', `/api/pos/${till.pos.id}/day?date=2020-01-01`, key)
  assert.deepEqual([before.json().count, before.json().sales], [0, []])
  const { db } = shop.app.store
  await db.updateTable('checkouts').set({ refunded_raw: '1' }).where('id', '=', sold.id).execute()
  const said = (await till.at('GET', '/day')).json<{ sales: { additional_status: string }[] }>().sales
  assert.deepEqual(said.map((sale) => sale.additional_status).sort(), ['none', 'partly_refunded'])
  world.clock.advance(24 * 3_600_000)
  assert.equal((await till.at('GET', '/day')).json().count, 0, 'tomorrow begins with nothing')
})

test('the day of a Berlin shop’s till ended at midnight in Greenwich (contract 4.9, rule 12)', async (t) => {
  const { shop, key } = await open(t)
  await shop.rest('PUT', '/api/account/profile', key, { time_zone: 'Europe/Berlin' })
  const { pos } = await make(shop, key, { time_zone: undefined })
  assert.equal(pos.time_zone, 'Europe/Berlin')
  const kept = await shop.rest('PUT', `/api/pos/${pos.id}`, key, { time_zone: null, title: 'Counter' })
  assert.equal(kept.json<{ time_zone: string }>().time_zone, 'Europe/Berlin')
})

test('the page of a till can be installed and works without the network, and nothing about money is kept for that (contract 4.9, rule 17)', async (t) => {
  const { shop, key } = await open(t)
  const { pos, token, at } = await make(shop, key)
  assert.equal((await at('POST', '/sales', { key: KEY, amount: '2.75', total: '2.75' })).status, 201)
  const look = (path: string, accept = '*/*') => ask(`${shop.url}${path}`, { method: 'GET', headers: { accept } })
  const page = await look(`/pos/${pos.id}`, 'text/html')
  assert.equal(page.status, 200)
  assert.ok(page.text.includes(`<link rel="manifest" href="/pos/${pos.id}/app.webmanifest"`))
  for (const secret of [token, '2.75', 'Espresso', address]) assert.ok(!page.text.includes(secret), secret)
  const { name, start_url, scope, display } = (await look(`/pos/${pos.id}/app.webmanifest`)).json()
  const place = `/pos/${pos.id}`
  assert.deepEqual([name, start_url, scope, display], ['Counter', place, place, 'standalone'])

  // The requests that the service worker answers itself; all others go to the network.
  const listeners = new Map<string, (event: object) => void>()
  const caches = { open: () => Promise.resolve({ match: () => Promise.resolve(page) }) }
  const worker = { addEventListener: listeners.set.bind(listeners), location: { origin: shop.url }, URL, caches }
  runInNewContext((await look('/pos/worker.js')).text, worker)
  const answers = (method: string, path: string, mode = 'cors') => {
    let answered = false
    const respondWith = () => (answered = true)
    listeners.get('fetch')!({ request: { method, mode, url: shop.url + path }, respondWith })
    return answered
  }
  const style = /href="(\/assets\/[^"]+\.css[^"]*)"/.exec(page.text)![1]!
  assert.deepEqual([answers('GET', place, 'navigate'), answers('GET', style)], [true, true])
  for (const path of ['/till', '/day', '/sales', '/sales/x']) {
    for (const mode of ['cors', 'navigate']) assert.equal(answers('GET', place + path, mode), false, path)
    assert.equal(answers('POST', place + path), false, path)
  }
})
