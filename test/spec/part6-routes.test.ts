import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { type Gateway, openGateway } from '../support/gateway.ts'
import { openRecordingNode } from '../support/recording-node.ts'
import { until } from '../support/until.ts'
import { merchant, openShop, turnUntil } from '../support/checkout-steps.ts'
import { type ShownDelivery, type ShownEvent, answerWith, openReceiver, readerOf } from '../support/webhook-steps.ts'
import { row } from './row.ts'

/* Contract 6: what an owner can see and do with events, and where events are never sent. */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const toTime = (milliseconds: number) => new Date(milliseconds).toISOString()

type Page = { events: ShownEvent[]; cursor: string; has_more: boolean }

test('a ping is an event, the feed lists events oldest first and page by page, and each account sees its own (contract 6, rules 11 and 18; 6, Event kinds: ping)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const { clock } = world
  const { get, post, untilTried } = readerOf(shop, key)
  const receiver = await openReceiver(t)
  assert.deepEqual((await get('/events')).json<Page>(), { events: [], cursor: 'pos_0', has_more: false })
  const url = `${receiver.url}?token=hidden`
  const pinged = async () => (await post('/webhooks/ping', { url })).json<{ event: ShownEvent }>().event
  const first = await pinged()
  const created_at = toTime(clock.now())
  const payload = { id: first.id, type: 'ping', created_unix: clock.now() / 1000 }
  const shown = { id: first.id, type: 'ping', subject: first.subject, created_at, url: receiver.url, payload }
  const [{ id: deliveryId }] = first.deliveries as [ShownDelivery]
  const sent = { id: deliveryId, endpoint: null, cause: 'test', created_at }
  const signed = first.deliveries[0]!.attempts[0]!.headers!
  assert.deepEqual([signed['webhook-id'], signed['User-Agent']], [first.id, 'nano-gateway-webhooks/1'])
  const attempt = { attempt: 1, at: created_at, status: 200, error: null, ms: 0, response: '', headers: signed }
  const ended = { ...sent, state: 'delivered', next_at: null, finished_at: created_at, attempts: [attempt] }
  assert.match(first.id, /^evt_\w+$/)
  const delivered = { ...shown, delivered: true, delivered_at: created_at }
  row('6, Events and deliveries: id, type, subject, created_at, delivered_at, delivered, url, deliveries, state', () =>
    assert.deepEqual(first, { ...delivered, deliveries: [ended] }),
  )
  await untilTried(first.id, 1)
  const { url: asked, body } = receiver.requests[0]!
  assert.deepEqual([asked, body], ['/hook?token=hidden', JSON.stringify(payload)])
  const one = (await get(`/events/${first.id}`)).json()
  row('6, Routes: GET /api/events/:id', () => assert.deepEqual(one, { event: { ...delivered, deliveries: [ended] } }))

  clock.advance(HOUR)
  receiver.answer = answerWith(500, {}, 'x'.repeat(3_000))
  const page = async (query: string) => (await get(`/events${query}`)).json<Page>()
  const nothingYet = await page(`?since=${clock.now() / 1000}`)
  assert.deepEqual(nothingYet.events, [])
  const ids = [first.id]
  for (let pings = 0; pings < 3; pings++) {
    const { id } = await pinged()
    ids.push(id)
    const { state, attempts } = await untilTried(id, 1)
    row('6, Routes: POST /api/webhooks/ping', () => assert.deepEqual([state, attempts.length], ['dead', 1]))
    const failed = { attempt: 1, at: toTime(clock.now()), status: 500, error: 'bad_status', ms: 0 }
    row('6, Events and deliveries: attempts', () =>
      assert.deepEqual(
        attempts.map(({ headers, ...attempt }) => [headers?.['webhook-id'], attempt]),
        [[id, { ...failed, response: 'x'.repeat(2_048) }]],
      ),
    )
  }
  const idsOf = async (query: string) => (await page(query)).events.map(({ id }) => id)
  const start = await page('?limit=3')
  row('6, Events and deliveries: deliveries', () => assert.deepEqual(start.events[0], delivered, 'not in the feed'))
  row('6, Routes: GET /api/events', () =>
    assert.deepEqual([start.events.map(({ id }) => id), start.has_more], [ids.slice(0, 3), true]),
  )
  const next = await page(`?since=${start.cursor}`)
  assert.deepEqual([next.events.map(({ id }) => id), next.has_more], [ids.slice(3), false])
  assert.deepEqual(await page(`?since=${next.cursor}`), { events: [], cursor: next.cursor, has_more: false })
  assert.deepEqual(await idsOf(''), ids)
  assert.deepEqual(await idsOf(`?since=${ids[1]}`), ids.slice(2), 'after an event')
  assert.deepEqual(await idsOf(`?since=${clock.now() / 1000}`), ids.slice(1), 'from a time')
  assert.deepEqual(await idsOf(`?since=${nothingYet.cursor}`), ids.slice(1), 'an empty page goes on from its time')
  for (const all of ['?since=0', '?delivered=']) assert.deepEqual(await idsOf(all), ids)
  assert.deepEqual(await idsOf('?delivered=true'), ids.slice(0, 1))
  assert.deepEqual(await idsOf('?delivered=false'), ids.slice(1))
  const wrong = { since: ['yesterday', '-1', 'pos_x', 'evt_'], delivered: ['maybe'], limit: ['0', '101', '1.5', 'x'] }
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) {
      const { status, json } = await get(`/events?${field}=${value}`)
      assert.deepEqual([status, json().code, json().field], [400, 'invalid_request', field], `${field}=${value}`)
    }
  }
  for (let more = ids.length; more < 27; more++) await pinged()
  assert.equal((await page('')).events.length, 25, 'unless another limit is given')
  assert.equal((await page('?limit=100')).events.length, 27)

  const stranger = readerOf(shop, (await shop.join()).key)
  assert.deepEqual((await stranger.get('/events')).json<Page>().events, [])
  assert.equal((await stranger.get(`/events/${first.id}`)).status, 404)
  assert.equal((await stranger.post(`/events/${first.id}/redeliver`)).status, 404)
})

test('send again, test an address, change the secret: each once for an Idempotency-Key, and the old secret signs along for a day (contract 6, Headers: webhook-signature; 6, rule 11)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const { clock } = world
  const { get, post, show, untilTried } = readerOf(shop, key)
  const receiver = await openReceiver(t)
  const secretShown = async () => (await get('/webhooks/secret')).json<{ secret: unknown }>()
  assert.deepEqual(await secretShown(), { secret: null })
  const rotated = await post('/webhooks/secret/rotate')
  const { webhook_secret: old } = rotated.json()
  assert.equal(rotated.status, 201)
  assert.match(old!, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const first = { last4: old!.slice(-4), created_at: toTime(clock.now()), previous_until: null }
  row('6, Routes: POST /api/webhooks/secret/rotate', () =>
    assert.deepEqual(rotated.json(), { webhook_secret: old, secret: first }),
  )
  const later = await secretShown()
  row('6, Routes: GET /api/webhooks/secret', () => assert.deepEqual(later, { secret: first }, 'and never again'))

  clock.advance(HOUR)
  const rotateOnce = () => post('/webhooks/secret/rotate', {}, { 'idempotency-key': 'rotate' })
  const [again, replayed] = [await rotateOnce(), await rotateOnce()]
  const { webhook_secret: fresh } = again.json()
  assert.deepEqual([replayed.text, replayed.headers['idempotent-replayed']], [again.text, 'true'])
  assert.notEqual(fresh, old)
  const until24 = toTime(clock.now() + 24 * HOUR)
  assert.deepEqual(await secretShown(), {
    secret: { last4: fresh!.slice(-4), created_at: toTime(clock.now()), previous_until: until24 },
  })

  /** Which of the two secrets signed the next ping, in order. */
  const signers = async () => {
    const { id } = (await post('/webhooks/ping', { url: receiver.url })).json<{ event: ShownEvent }>().event
    await untilTried(id, 1)
    const { headers, body } = receiver.requests.find(({ headers: { 'webhook-id': found } }) => found === id)!
    assert.equal(headers['nano-signature'], createHmac('sha256', fresh!).update(body).digest('hex'), 'the new one')
    const signed = `${id}.${headers['webhook-timestamp'] as string}.${body}`
    const valueOf = (secret: string) => {
      const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64')
      return `v1,${createHmac('sha256', bytes).update(signed).digest('base64')}`
    }
    const names = new Map([
      [valueOf(old!), 'old'],
      [valueOf(fresh!), 'fresh'],
    ])
    return (headers['webhook-signature'] as string).split(' ').map((value) => names.get(value))
  }
  assert.deepEqual(await signers(), ['fresh', 'old'])
  clock.leap(24 * HOUR - 1_000)
  assert.deepEqual(await signers(), ['fresh', 'old'])
  clock.leap(1_000)
  assert.deepEqual(await signers(), ['fresh'])

  const pingOnce = (url: string) => post('/webhooks/ping', { url }, { 'idempotency-key': 'ping' })
  const ping = await pingOnce(receiver.url)
  const { id } = ping.json<{ event: ShownEvent }>().event
  assert.equal(ping.status, 201)
  assert.equal((await pingOnce(receiver.url)).text, ping.text)
  assert.equal((await pingOnce(`${receiver.url}/other`)).status, 409)
  await untilTried(id, 1)
  clock.advance(1_000)
  const redeliverOnce = (event = id) => post(`/events/${event}/redeliver`, {}, { 'idempotency-key': 'again' })
  const [sent, sentBefore] = [await redeliverOnce(), await redeliverOnce()]
  const { success, delivery } = sent.json<{ success: boolean; delivery: ShownDelivery }>()
  row('6, Routes: POST /api/events/:id/redeliver', () =>
    assert.deepEqual([sent.status, success, delivery.cause, delivery.state], [201, true, 'redelivery', 'queued']),
  )
  assert.deepEqual([sentBefore.text, sentBefore.headers['idempotent-replayed']], [sent.text, 'true'])
  const other = (await post('/webhooks/ping', { url: receiver.url })).json<{ event: ShownEvent }>().event.id
  assert.equal((await redeliverOnce(other)).status, 409)
  assert.equal((await untilTried(id, 1)).id, delivery.id)
  assert.equal((await show(id)).deliveries.length, 2)
  for (const url of ['', 7, undefined]) {
    const refused = await post('/webhooks/ping', { url })
    assert.deepEqual([refused.status, refused.json().code, refused.json().field], [400, 'invalid_request', 'url'])
  }
})

test('a body is kept for thirty days and an event for ninety (contract 6, rule 19; 6, Events and deliveries: payload)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const { get, post, show, untilTried } = readerOf(shop, key)
  const receiver = await openReceiver(t)
  const { event } = (await post('/webhooks/ping', { url: receiver.url })).json<{ event: ShownEvent }>()
  await untilTried(event.id, 1)
  /** Jumps to that many days after the event was made and waits for the clean-up job. */
  const leapTo = (days: number, isSo: () => Promise<boolean>) => {
    world.clock.leap(Date.parse(event.created_at) + days * 24 * HOUR - world.clock.now())
    return turnUntil(world, 10 * MINUTE, isSo)
  }
  const isAtLeast = (days: number) => async () => world.clock.now() >= Date.parse(event.created_at) + days * 24 * HOUR
  await leapTo(29.8, isAtLeast(29.9))
  assert.deepEqual((await show(event.id)).payload, event.payload)
  await leapTo(30, async () => (await show(event.id)).payload === null)
  const refused = await post(`/events/${event.id}/redeliver`)
  assert.deepEqual([refused.status, refused.json().code], [409, 'conflict'])
  await leapTo(89.9, isAtLeast(89.9))
  assert.equal((await get(`/events/${event.id}`)).status, 200)
  await leapTo(90, async () => (await get(`/events/${event.id}`)).status === 404)
})

const pingTo = ({ app, rest }: Gateway, url: string) => rest('POST', '/api/webhooks/ping', app.createdKey, { url })

const pingStatus = async (t: TestContext, env: Record<string, string>, target: string) =>
  (await pingTo(await openGateway(t, env), target)).status

test('on a laptop with the development ledger alone, a webhook to the same machine works; with other nodes, or by a setting, private addresses are refused, unless set otherwise (contract 6, rule 10)', async (t) => {
  const { url, requests } = await openReceiver(t)
  assert.equal(await pingStatus(t, {}, url), 201)
  await until(() => requests.length === 1)
  const node = { NODE_URLS: (await openRecordingNode(t)).url }
  assert.equal(await pingStatus(t, node, url), 400)
  assert.equal(await pingStatus(t, { NODE_URLS: `devnet:,${node.NODE_URLS}` }, url), 400)
  assert.equal(await pingStatus(t, { ...node, WEBHOOK_ALLOW_PRIVATE: 'true' }, url), 201)
  const careful = await openGateway(t, { WEBHOOK_ALLOW_PRIVATE: 'false' })
  for (const [target, reason] of [
    [url, 'scheme_refused'],
    ['https://127.0.0.1/', 'address_refused'],
    ['https://10.0.0.7/hook', 'address_refused'],
    ['https://192.168.1.1/hook', 'address_refused'],
    ['https://169.254.169.254/latest/meta-data', 'address_refused'],
    ['https://[::1]/', 'address_refused'],
    ['https://[fe80::1]/', 'address_refused'],
  ] as const) {
    const ping = await pingTo(careful, target)
    const checkout = await careful.call('checkout', { address: merchant.address, amount: '1', webhook_url: target })
    for (const [reply, field] of [
      [ping, 'url'],
      [checkout, 'webhook_url'],
    ] as const) {
      const { code, field: named, reason: why } = reply.json()
      assert.deepEqual([reply.status, code, named, why], [400, 'invalid_url', field, reason], target)
    }
  }
  const withPassword = await pingTo(careful, 'https://user:password@shop.example/')
  assert.deepEqual([withPassword.status, withPassword.json().reason], [400, 'credentials_refused'])
  assert.ok(!withPassword.text.includes('password@'))
})
