import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  type Shop,
  type World,
  bearer,
  merchant,
  openWorld,
  payFor,
  show,
  turnUntil,
} from '../support/checkout-steps.ts'
import { Signer } from '../support/blocks.ts'
import { idIn, sendForm } from '../support/form-steps.ts'
import { ask } from '../support/gateway.ts'
import { assertNamed, wrongIn } from '../support/wrong-fields.ts'
import { row } from './row.ts'

/* Contract 4.9, rules 6 to 11: links that make a checkout for each visitor. */

const { address } = merchant
const GIVER = '203.0.113.77'
const MUG = { address, amount: '1.5', title: 'Blue mug' }

interface Link {
  id: string
  slug: string
  [name: string]: unknown
}

async function open(t: TestContext) {
  const world = await openWorld(t)
  const shop = await world.start({ TRUSTED_PROXIES: 'loopback' })
  return { world, shop, key: (await shop.join()).key }
}

async function make(shop: Shop, key: string, fields: object): Promise<Link> {
  const reply = await shop.rest('POST', '/api/links', key, fields)
  assert.equal(reply.status, 201, reply.text)
  return reply.json<Link>()
}

const read = async (shop: Shop, key: string, { id }: Link) =>
  (await shop.rest('GET', `/api/links/${id}`, key)).json<Link>()

/** Sends the form of an offer as a visitor from the given address. */
const order = (
  { url }: Shop,
  { slug }: Link,
  fields: Record<string, string> = {},
  from = '203.0.113.1',
  headers: Record<string, string> = {},
) => sendForm(`${url}/buy/${slug}`, fields, { 'x-forwarded-for': from, ...headers })

const expire = (world: World, shop: Shop, id: string) => {
  world.clock.advance(15 * 60_000)
  return turnUntil(world, 5_000, async () => (await shop.check(id)).status === 'expired')
}

test('a link is made of the fields of a checkout; invalid ones are named (contract 4.9, rule 6; 4.1, Payments, wallets, faucet, swap: payment_link)', async (t) => {
  const { shop, key } = await open(t)
  const [free, max] = [{ amount: undefined }, { quantity: { max: 2 } }]
  await assertNamed(
    (fields) => shop.rest('POST', '/api/links', key, { ...MUG, ...fields }),
    [
      wrongIn('address', undefined),
      wrongIn('amount', '-1'),
      wrongIn('mode', 'unique_address'),
      wrongIn('quantity', { min: 5, max: 2 }, { max: 1001 }, 7),
      ['quantity', { ...free, ...max }, { amount: '1.XXX', ...max }],
      wrongIn('suggested', ['1']),
      ['suggested', { ...free, suggested: ['1', '2', '3', '4', '5', '6', '7'] }, { ...free, suggested: ['much'] }],
      wrongIn('sold_max', 0.5),
      wrongIn('ends_unix', 1_000),
      wrongIn('slug', 'a/b'),
      wrongIn('random', 'maybe'),
      wrongIn('paused', 'maybe'),
      ['template', { ...free, address: undefined, template: '0123456789abcdef' }],
      wrongIn('success_url', 'javascript:alert(1)'),
    ],
  )
  assert.equal((await shop.call('payment_link', MUG)).status, 401)
  const asked = await shop.call('payment_link', { ...MUG, slug: 'Blue-Mug' }, bearer(key))
  const made = asked.json<Link>()
  assert.deepEqual([made.slug, made.url, made.status], ['blue-mug', `${shop.url}/buy/blue-mug`, 'active'])
  const resting = await make(shop, key, { ...MUG, paused: 'True', invoice: 'TRUE' })
  assert.deepEqual([resting.status, resting.invoice === null], ['paused', false])
  const template = await shop.open({ ...MUG, title: 'From a template', metadata: { a: 1 } }, bearer(key))
  const copied = await make(shop, key, { template: template.id, amount: '2' })
  assert.deepEqual([copied.title, copied.amount, copied.metadata], ['From a template', '2', { a: 1 }])
  // A checkout with its own address cannot be repeated, so it cannot be a link.
  const once = await shop.open({ ...MUG, address: new Signer(79).address, mode: 'unique_address' }, bearer(key))
  assert.equal((await make(shop, key, { template: once.id })).mode, 'unique_amount')
})

test('a slug stays taken, also once its link is deleted (contract 4.9, rule 7)', async (t) => {
  const { shop, key } = await open(t)
  const other = (await shop.join()).key
  const link = await make(shop, key, { ...MUG, slug: 'one' })
  assert.equal((await shop.rest('POST', '/api/links', other, { ...MUG, slug: 'ONE' })).status, 409)
  const refused = await shop.call('payment_link', { ...MUG, slug: 'one' }, bearer(other))
  assert.deepEqual([refused.status, refused.json().field], [400, 'slug'])
  assert.equal((await shop.rest('DELETE', `/api/links/${link.id}`, key)).status, 200)
  assert.equal((await shop.rest('POST', '/api/links', other, { ...MUG, slug: 'one' })).status, 409)
  assert.match((await make(shop, key, MUG)).slug, /^[a-z0-9]{10}$/)
  await assertNamed(
    (slug) => shop.rest('POST', '/api/links', key, { ...MUG, ...slug }),
    [wrongIn('slug', 'ab', 'a'.repeat(41), '-ab', 'ab-', 'ä-b')],
  )
  const twice = await Promise.all([1, 2, 3].map(() => shop.rest('POST', '/api/links', key, { ...MUG, slug: 'raced' })))
  assert.deepEqual(twice.map(({ status }) => status).sort(), [201, 409, 409])
})

test('a link is seen, changed, paused and deleted by its account alone (contract 4.9, rule 8)', async (t) => {
  const { shop, key } = await open(t)
  const other = (await shop.join()).key
  const link = await make(shop, key, { ...MUG, currency: 'USD', sold_max: 3 })
  const at = `/api/links/${link.id}`
  for (const method of ['GET', 'PUT', 'DELETE'])
    assert.equal((await shop.rest(method, at, other, {})).status, 404, method)
  assert.deepEqual((await shop.rest('GET', '/api/links', other)).json(), { links: [], next_cursor: null })
  const listed = (await shop.rest('GET', '/api/links?limit=1', key)).json<{ links: Link[]; next_cursor: string }>()
  assert.equal(listed.links[0]!.id, link.id)
  const behind = `/api/links?cursor=${listed.next_cursor}`
  assert.deepEqual((await shop.rest('GET', behind, key)).json<{ links: Link[] }>().links, [])
  const paused = (await shop.rest('PUT', at, key, { paused: true, title: 'Red mug', sold_max: null })).json<Link>()
  assert.deepEqual([paused.status, paused.title, paused.left, paused.amount], ['paused', 'Red mug', null, '1.5'])
  assert.equal((await order(shop, link)).status, 409)
  for (const fixed of [{ slug: 'other' }, { currency: 'EUR' }]) {
    assert.equal((await shop.rest('PUT', at, key, fixed)).status, 400, JSON.stringify(fixed))
  }
  const again = (await shop.call('payment_link', { id: link.id }, bearer(key))).json<Link>()
  assert.deepEqual([again.status, again.revenue_fiat], ['paused', '0.00'])
  for (const [id, caller] of [
    [link.id, other],
    ['lnk_none', key],
    [7, key],
  ] as const) {
    const refused = await shop.call('payment_link', { ...MUG, id }, bearer(caller))
    assert.deepEqual([refused.status, refused.json().field], [400, 'id'], refused.text)
  }
  assert.equal((await shop.rest('DELETE', at, key)).status, 200)
  assert.equal((await shop.rest('GET', at, key)).status, 404)
  assert.equal((await ask(`${shop.url}/buy/${link.slug}`, { method: 'GET' })).status, 404)
})

test('a page makes one checkout of its choice, however often it is sent, and another for another choice (contract 4.9, rule 9)', async (t) => {
  const { world, shop, key } = await open(t)
  const plans = [
    { title: 'Small', value: '0.1' },
    { title: 'Large', value: '0.25' },
  ]
  const link = await make(shop, key, { address, title: 'Coffee', plans, quantity: { min: 1, max: 9 } })
  const page = await ask(`${shop.url}/buy/${link.slug}`, { method: 'GET', headers: { accept: 'text/html' } })
  assert.match(page.text, /Coffee/)
  const token = /name="token" value="(\w{22})"/.exec(page.text)![1]!
  const chosen = { token, plan: '1', quantity: '3' }
  const ids = (await Promise.all([1, 2, 3].map(() => order(shop, link, chosen)))).map(idIn)
  assert.equal(new Set(ids).size, 1)
  assert.equal(idIn(await order(shop, link, chosen)), ids[0])
  const another = idIn(await order(shop, link, { ...chosen, quantity: '1' }))
  assert.notEqual(another, ids[0])
  const { checkout } = await show(shop, ids[0]!, key)
  assert.deepEqual(checkout.metadata, { payment_link: { id: link.id, slug: link.slug, quantity: 3, plan: 'Large' } })
  const [plan] = checkout.plans as { title: string; value: string }[]
  assert.deepEqual([plan!.title, plan!.value], ['Large × 3', '0.75'])
  for (const wrong of [{ plan: '7' }, { plan: '0', quantity: '10' }, { plan: '0', quantity: '0' }, {}]) {
    assert.equal((await order(shop, link, wrong as Record<string, string>)).status, 400, JSON.stringify(wrong))
  }
  assert.equal((await read(shop, key, link)).held, 4)
  const { amount_raw: raw } = await shop.check(ids[0]!)
  await payFor(world, shop, ids[0]!)
  const { sold, held, orders, revenue_raw: revenue } = await read(shop, key, link)
  row('4.9, rule 8', () => assert.deepEqual([sold, held, orders, revenue], [3, 1, 1, raw]))

  const gift = await make(shop, key, { address, title: 'Thank you', suggested: ['1', '5'] })
  const given = idIn(await order(shop, gift, { amount: '5', own: '2,5' }, GIVER))
  assert.equal((await shop.check(given)).amount!.slice(0, 3), '2.5')
  for (const amount of ['', '-1', 'x', '1e40'])
    assert.equal((await order(shop, gift, { own: amount }, GIVER)).status, 400, amount)
})

test('of three pieces no more than three are held and sold, however many visitors come at once (contract 4.9, rule 10)', async (t) => {
  const { world, shop, key } = await open(t)
  const link = await make(shop, key, { ...MUG, sold_max: 3 })
  const visitors = Array.from({ length: 12 }, (_, at) => `203.0.113.${at + 1}`)
  const replies = await Promise.all(visitors.map((from) => order(shop, link, {}, from)))
  const won = replies.filter(({ status }) => status === 303).map(idIn)
  assert.deepEqual([won.length, replies.filter(({ status }) => status === 409).length], [3, 9])
  const full = await read(shop, key, link)
  assert.deepEqual([full.status, full.held, full.sold, full.left], ['sold_out', 3, 0, 0])
  const secondsLeft = async (id: string) =>
    ((await shop.check(id)) as never as { expires_unix: number }).expires_unix - Math.floor(world.clock.now() / 1000)
  assert.equal(await secondsLeft(won[0]!), 15 * 60)
  await payFor(world, shop, won[0]!)
  await shop.rest('DELETE', `/api/checkouts/${won[1]}`, key)
  await expire(world, shop, won[2]!)
  const back = await read(shop, key, link)
  assert.deepEqual([back.status, back.held, back.sold, back.left], ['active', 0, 1, 2])
  // Only the merchant can raise the number of pieces.
  await shop.rest('POST', `/api/checkouts/${won[1]}/mark`, key, {})
  await shop.rest('POST', `/api/checkouts/${won[2]}/mark`, key, {})
  assert.deepEqual([(await read(shop, key, link)).sold, (await order(shop, link)).status], [3, 409])
  const leisure = await make(shop, key, MUG)
  assert.equal(await secondsLeft(idIn(await order(shop, leisure))), 3_600)
})

test('an order that expired unpaid is started again by one button: the same choice, once, and only of its own link (contract 4.9, rule 9)', async (t) => {
  const { world, shop, key } = await open(t)
  const plans = [
    { title: 'Small', value: '1' },
    { title: 'Large', value: '2' },
  ]
  const link = await make(shop, key, { ...MUG, amount: undefined, plans, quantity: { max: 3 }, sold_max: 5 })
  const first = idIn(await order(shop, link, { plan: '1', quantity: '2' }))
  const page = async (id: string) =>
    (await ask(`${shop.url}/pay/${id}`, { method: 'GET', headers: { accept: 'text/html' } })).text
  const again = (id: string, of: Link = link, headers: Record<string, string> = {}) =>
    sendForm(`${shop.url}/buy/${of.slug}/again`, { order: id }, { 'x-forwarded-for': '203.0.113.1', ...headers })
  assert.doesNotMatch(await page(first), /\/again/)
  assert.equal(idIn(await again(first)), first, 'one that can be paid is shown')
  await expire(world, shop, first)
  assert.match(await page(first), new RegExp(`action="/buy/${link.slug}/again"[^]*value="${first}"`))
  assert.equal((await again(first, await make(shop, key, MUG))).status, 404, 'an order of another link')
  assert.match((await again(first, link, { 'sec-fetch-site': 'cross-site' })).headers.location!, /^\/buy\//)
  const second = idIn(await again(first))
  assert.notEqual(second, first)
  assert.equal(idIn(await again(first)), second, 'pressed twice, it is one order')
  const bought = (await shop.rest('GET', `/api/checkouts/${second}`, key)).json<{
    checkout: { metadata: { payment_link: object }; status: string }
  }>().checkout
  assert.deepEqual(bought.metadata.payment_link, { id: link.id, slug: link.slug, quantity: 2, plan: 'Large' })
  assert.equal((await read(shop, key, link)).held, 2, 'the pieces are held once')
  await payFor(world, shop, second)
  assert.equal((await read(shop, key, link)).sold, 2)
  // An expired offer is not shown again.
  const third = idIn(await order(shop, link, { plan: '0' }, '203.0.113.3'))
  await expire(world, shop, third)
  await shop.rest('PUT', `/api/links/${link.id}`, key, { paused: true })
  assert.doesNotMatch(await page(third), /\/again/)
  assert.equal((await again(third)).status, 409)
})

test('an address neither fills a link with orders nor keeps its pieces by never paying, and no page of another site makes visitors take them (contract 4.9, rules 9 and 11)', async (t) => {
  const { world, shop, key } = await open(t)
  const link = await make(shop, key, { ...MUG, sold_max: 10 })
  const ids = [idIn(await order(shop, link)), idIn(await order(shop, link))]
  assert.equal((await order(shop, link)).status, 429)
  assert.equal((await order(shop, link, {}, '203.0.113.2')).status, 303, 'others are not kept out')
  await expire(world, shop, ids[1]!)
  await expire(world, shop, idIn(await order(shop, link)))
  assert.equal((await order(shop, link)).status, 429, 'three were not paid today')
  world.clock.advance(24 * 3_600_000)
  assert.equal((await order(shop, link)).status, 303)
  const many = await make(shop, key, MUG)
  for (let at = 0; at < 5; at++) assert.equal((await order(shop, many)).status, 303)
  assert.equal((await order(shop, many)).status, 429)
  const ended = await make(shop, key, { ...MUG, ends_unix: Math.floor(world.clock.now() / 1000) + 60 })
  world.clock.advance(61_000)
  assert.equal((await read(shop, key, ended)).status, 'ended')
  assert.equal((await order(shop, ended, {}, '203.0.113.9')).status, 409)

  // A link from another site must not reserve pieces: visitors who follow it see the offer first.
  const one = await make(shop, key, { ...MUG, sold_max: 1 })
  const sent = await order(shop, one, {}, GIVER, { 'sec-fetch-site': 'cross-site' })
  assert.deepEqual([sent.status, sent.headers.location], [303, `/buy/${one.slug}`])
  assert.equal((await read(shop, key, one)).held, 0)
  idIn(await order(shop, one, {}, GIVER, { 'sec-fetch-site': 'same-origin' }))
  assert.equal((await read(shop, key, one)).held, 1)
})
