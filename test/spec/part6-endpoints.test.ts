import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { verifyWebhook } from '../../src/client/webhook.ts'
import { merchant, openShop, turnUntil } from '../support/checkout-steps.ts'
import { until } from '../support/until.ts'
import { type ShownDelivery, type ShownEvent, answerWith, openReceiver, readerOf } from '../support/webhook-steps.ts'
import { row } from './row.ts'

/* Contract 6, Endpoints: webhook endpoints of an account, which get events whatever the checkouts' own URLs are. */

const PATH = '/webhook-endpoints'
const ADDRESS = merchant.address

type Shown = Record<string, unknown> & Record<'id' | 'url' | 'secret', string>
type Log = { deliveries: (ShownDelivery & { type: string })[]; next_cursor: string }

async function open(t: TestContext) {
  const { world, shop, key } = await openShop(t)
  const reader = readerOf(shop, key)
  const change = (method: 'PUT' | 'DELETE', id: string, body?: object) =>
    shop.rest(method, `/api${PATH}/${id}`, key, body)
  const receiver = await openReceiver(t)
  const make = async (body: object = {}) =>
    (await reader.post(PATH, { url: `${receiver.url}?token=hidden`, ...body })).json<Shown>()
  return { world, shop, key, receiver, make, change, ...reader }
}

test('an endpoint is made, listed, changed, paused and deleted, and never shows its secret again (contract 6, rule 21)', async (t) => {
  const { shop, receiver, get, post, change, make } = await open(t)
  const body = { url: receiver.url, events: ['refund.sent'], filter: { metadata: { shop: 7 } }, description: 'Till' }
  const once = { 'idempotency-key': 'make' }
  const created = await post(PATH, body, once)
  const { secret, ...shown } = created.json<Shown>()
  row('6, Endpoints: POST /api/webhook-endpoints', () => {
    assert.equal(created.status, 201)
    assert.match(secret, /^whsec_/)
    const { url, events, filter, enabled, status, secret_last4: last4 } = shown
    const told = { url, events, filter, description: 'Till', enabled, status, last4 }
    assert.deepEqual(told, { ...body, enabled: true, status: 'enabled', last4: secret.slice(-4) })
  })
  assert.equal((await post(PATH, body, once)).text, created.text, 'a repeated request finds the same one')
  const listed = (await get(PATH)).json<{ endpoints: Shown[] }>()
  row('6, Endpoints: GET /api/webhook-endpoints', () => assert.deepEqual(listed, { endpoints: [shown] }))
  const one = await get(`${PATH}/${shown.id}`)
  row('6, Endpoints: GET /api/webhook-endpoints/:id', () => assert.deepEqual(one.json(), shown))
  const paused = (await change('PUT', shown.id, { enabled: false, filter: null })).json<Shown>()
  row('6, Endpoints: PUT /api/webhook-endpoints/:id', () =>
    assert.deepEqual([paused.status, paused.filter, paused.events], ['paused', null, ['refund.sent']]),
  )
  const { key: foreign } = await shop.join()
  const stranger = readerOf(shop, foreign)
  assert.deepEqual((await stranger.get(PATH)).json(), { endpoints: [] })
  assert.equal((await stranger.get(`${PATH}/${shown.id}`)).text, (await stranger.get(`${PATH}/we_none`)).text)
  for (const [field, wrong] of [
    ['url', {}],
    ['url', { url: 7 }],
    ['url', { url: 'ftp://shop.example/' }],
    ['events', { events: 'all' }],
    ['events', { events: [] }],
    ['events', { events: ['payment.unknown'] }],
    ['filter', { filter: 'shop' }],
    ['filter', { filter: 7 }],
    ['filter', { filter: [] }],
    ['filter', { filter: { metadata: 7 } }],
    ['filter', { filter: { metadata: [] } }],
    ['filter', { filter: { amount: 1 } }],
    ['filter', { filter: { metadata: { shop: { id: 1 } } } }],
    ['description', { description: 'x'.repeat(201) }],
    ['enabled', { enabled: 'maybe' }],
  ] as const) {
    const reply = await post(PATH, field === 'url' ? wrong : { url: receiver.url, ...wrong })
    assert.deepEqual([reply.status, reply.json().field], [400, field], JSON.stringify(wrong))
  }
  const gone = (await change('DELETE', shown.id)).json()
  row('6, Endpoints: DELETE /api/webhook-endpoints/:id', () =>
    assert.deepEqual(gone, { success: true, deleted: true, id: shown.id }),
  )
  assert.equal((await change('DELETE', shown.id)).status, 404)
  assert.equal((await change('PUT', shown.id, { enabled: true })).status, 404)
  for (let count = 0; count < 20; count++) await make()
  const oneMore = await post(PATH, { url: receiver.url })
  assert.deepEqual([oneMore.status, oneMore.json().code], [403, 'limit_reached'])
})

test('a test shows its answer at once, secrets overlap for a day, and the log shows what was sent (contract 6, rule 24)', async (t) => {
  const { world, receiver, get, post, make } = await open(t)
  const { id, secret, url } = await make({ enabled: false })
  assert.equal(url, receiver.url, 'the query, which may hold a secret, is not shown')
  const test = async () => (await post(`${PATH}/${id}/test`)).json<{ event: ShownEvent }>().event.deliveries[0]!
  const taken = await test()
  const { state, endpoint, cause, attempts: tries } = taken
  row('6, Endpoints: POST /api/webhook-endpoints/:id/test', () =>
    assert.deepEqual([state, endpoint, cause, tries[0]!.status], ['delivered', id, 'test', 200]),
  )
  const rotated = (await post(`${PATH}/${id}/rotate`)).json<Shown>()
  row('6, Endpoints: POST /api/webhook-endpoints/:id/rotate', () => {
    assert.notEqual(rotated.secret, secret)
    assert.ok(rotated.previous_secret_until)
  })
  receiver.answer = answerWith(500)
  world.clock.advance(1_000)
  assert.equal((await test()).state, 'dead')
  const { body, headers } = receiver.requests.at(-1)!
  const nowSeconds = Number(headers['webhook-timestamp'])
  for (const each of [secret, rotated.secret]) verifyWebhook(body, headers, each, { nowSeconds })
  const log = (await get(`${PATH}/${id}/deliveries?limit=1`)).json<Log>()
  row('6, Endpoints: GET /api/webhook-endpoints/:id/deliveries', () => {
    const [{ type, attempts }] = log.deliveries as [Log['deliveries'][number]]
    assert.deepEqual([type, attempts[0]!.headers!['webhook-signature']], ['ping', headers['webhook-signature']])
  })
  const rest = (await get(`${PATH}/${id}/deliveries?cursor=${log.next_cursor}`)).json<Log>()
  assert.deepEqual([rest.deliveries.map(({ id }) => id), rest.next_cursor], [[taken.id], null])
  assert.equal((await get(`${PATH}/${id}`)).json<{ failing_since: null }>().failing_since, null)
})

test('events that only endpoints ask for are reported as well, missed ones can be sent again, and an endpoint that answers 410 is disabled (contract 6, rules 20, 22 and 23)', async (t) => {
  const { world, shop, key, receiver, get, post, change, make } = await open(t)
  const { id, secret } = await make({ events: ['checkout.expired'], filter: { metadata: { shop: 'a' } } })
  const order = (name: string) =>
    shop.call('checkout', { address: ADDRESS, amount: '1', metadata: { shop: name } }, { key })
  const mine = (await order('a')).json().id!
  await order('b')
  await shop.call('checkout', { address: ADDRESS, amount: '1', metadata: { shop: 'a' } })
  world.clock.leap(25 * 3_600_000)
  // The receiver takes up to a minute to answer. A delivery in progress must not be sent again.
  await turnUntil(world, 60_000, async () => {
    const { deliveries } = (await get(`${PATH}/${id}/deliveries`)).json<{ deliveries: ShownDelivery[] }>()
    return deliveries.length > 0 && deliveries.every(({ state }) => state === 'delivered')
  })
  const { body, headers } = receiver.requests[0]!
  const event = verifyWebhook(body, headers, secret, { nowSeconds: Number(headers['webhook-timestamp']) })
  assert.deepEqual([event.type, (event as { checkout_id?: string }).checkout_id], ['checkout.expired', mine])
  const events = (await get('/events')).json<{ events: ShownEvent[] }>().events
  assert.equal(events.filter(({ subject }) => subject === mine).length, 1)
  assert.ok(
    receiver.requests.every((one) => one.body === body),
    'filters hold, and strangers are no account',
  )

  const from = Math.floor(Date.parse(events[0]!.created_at) / 1000)
  const asked = { from_unix: from, events: ['checkout.expired'] }
  await change('PUT', id, { enabled: false })
  assert.equal((await post(`${PATH}/${id}/replay`, asked)).status, 409)
  await change('PUT', id, { enabled: true })
  for (const [field, wrong] of [
    ['from_unix', {}],
    ['from_unix', { from_unix: 'yesterday' }],
    ['from_unix', { from_unix: { toString: 1 } }],
    ['to_unix', { from_unix: from, to_unix: from - 1 }],
    ['events', { from_unix: from, events: ['nothing'] }],
    ['missed', { from_unix: from, missed: 'some' }],
  ] as const) {
    const reply = await post(`${PATH}/${id}/replay`, wrong)
    assert.deepEqual([reply.status, reply.json().field], [400, field], JSON.stringify(wrong))
  }
  const before = receiver.requests.length
  const begun = await post(`${PATH}/${id}/replay`, asked, { 'idempotency-key': 'again' })
  assert.equal((await post(`${PATH}/${id}/replay`, asked, { 'idempotency-key': 'again' })).text, begun.text)
  row('6, Endpoints: POST /api/webhook-endpoints/:id/replay', () => assert.equal(begun.status, 201))
  await until(async () => {
    shop.app.store.notices.publish('jobs', '')
    return receiver.requests.length > before
  })
  const { replays } = (await get(`${PATH}/${id}/replays`)).json<{ replays: { state: string; queued: number }[] }>()
  const ended = replays.map(({ state, queued }) => [state, queued])
  row('6, Endpoints: GET /api/webhook-endpoints/:id/replays', () => assert.deepEqual(ended, [['done', 1]]))
  assert.equal(receiver.requests.at(-1)!.body, body, 'the same bytes')

  receiver.answer = answerWith(410)
  await post(`${PATH}/${id}/replay`, asked)
  const standing = async () => (await get(`${PATH}/${id}`)).json<Shown>()
  await until(async () => {
    shop.app.store.notices.publish('jobs', '')
    return (await standing()).status !== 'enabled'
  })
  const { enabled, status } = await standing()
  assert.deepEqual([enabled, status], [false, 'disabled'], 'it is gone')
  await change('PUT', id, { enabled: true })
  assert.deepEqual((await standing()).failing_since, null)
})
