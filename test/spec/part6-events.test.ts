import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { verifyWebhook } from '../../docs/examples/verify-webhook.ts'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import { inTx } from '../../src/kernel/in-tx.ts'
import { recordEvent } from '../../src/modules/webhooks/index.ts'
import { TestClock } from '../support/clock.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { testRandom } from '../support/random.ts'
import { until } from '../support/until.ts'
import {
  type EventBody,
  bearer,
  listEvents,
  merchant,
  nano,
  openShop,
  show,
  stranger,
  turnUntil,
  untilStatus,
} from '../support/checkout-steps.ts'
import { type Receiver, openReceiver, readerOf } from '../support/webhook-steps.ts'
import { row } from './row.ts'

/* Contract 6: contents and signatures of events, and what causes none. */

const { address } = merchant
const DAY = 86_400_000
const hexOf = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex')
const base64Of = (key: string | Buffer, signed: string) => createHmac('sha256', key).update(signed).digest('base64')

async function firstTo(receiver: Receiver, path?: string) {
  const found = () => receiver.requests.find(({ url }) => path === undefined || url === path)
  await until(() => found() !== undefined)
  const { headers, body } = found()!
  return { headers, body, event: JSON.parse(body) as EventBody }
}

test('a completion is reported once, in these very bytes, signed with the secret of the checkout (contract 6, rules 1, 2, 6 and 12; 6, Event kinds: payment.completed)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const receiver = await openReceiver(t)
  const webhook_secret = 'my shop secret 42'
  const metadata = { order: 'A-1', note: 'Zoë € 支払い' }
  const fields = { address, amount: '2', title: 'Tea', webhook: receiver.url, webhook_secret, metadata }
  const made = await shop.open(fields, bearer(key))
  const hash = await world.pay(address, made.amount_raw)
  await untilStatus(shop, made.id, 'complete')
  const { headers, body, event } = await firstTo(receiver)
  const amounts = { amount: made.amount, amount_raw: made.amount_raw }
  const { id } = event
  const { account } = event.block!
  row('6, Body: id', () => assert.match(id, /^evt_\w+$/))
  assert.match(account, /^nano_[13]/)
  const expected = {
    id,
    type: 'payment.completed',
    created_unix: world.clock.now() / 1000,
    checkout_id: made.id,
    checkout: `${shop.url}/checkout/${made.id}`,
    status: 'complete',
    address,
    payment: { address, ...amounts },
    block: { hash, account, ...amounts, confirmed: 'true' },
    plan: { title: 'Tea', value: made.amount, discount: false, value_raw: made.amount_raw },
    metadata,
  }
  row('6, Body: type, created_unix, checkout_id, checkout, status, address, payment, block, plan, metadata', () =>
    assert.equal(body, JSON.stringify(expected)),
  )

  const timestamp = String(world.clock.now() / 1000)
  const { 'content-type': type, 'user-agent': agent, 'nano-signature': hex, ...rest } = headers
  row('6, Headers: Content-Type', () => assert.equal(type, 'application/json; charset=utf-8'))
  row('6, Headers: User-Agent', () => assert.equal(agent, 'nano-gateway-webhooks/1'))
  row('2, Checkout request fields: webhook_secret, metadata; 6, Headers: Nano-Signature', () => {
    assert.equal(hex, hexOf(webhook_secret, body))
    assert.deepEqual(event.metadata, metadata)
  })
  row('6, Headers: webhook-id', () => assert.equal(rest['webhook-id'], id))
  row('6, Headers: webhook-timestamp', () => assert.equal(rest['webhook-timestamp'], timestamp))
  row('6, Headers: webhook-signature', () =>
    assert.equal(rest['webhook-signature'], `v1,${base64Of(webhook_secret, `${id}.${timestamp}.${body}`)}`),
  )
  assert.equal(JSON.stringify(headers).includes(webhook_secret), false)
  // Verified as receivers are told to, and compared with the public API.
  assert.deepEqual(verifyWebhook(body, headers, webhook_secret, Number(timestamp)), event)
  const record = (await ask(event.checkout, { method: 'GET' })).json<Record<string, unknown>>()
  assert.deepEqual([record.id, record.status], [made.id, 'complete'])
  const payloads = (await show(shop, made.id, key)).webhook_events.map(({ payload }) => payload)
  assert.deepEqual(payloads, [event])
})

test('other event types are sent only to those who requested them (contract 6, Event kinds: payment.detected, payment.partial, payment.late, checkout.expired; 6, rules 12 and 17; 2, Checkout request fields: webhook_events)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const receiver = await openReceiver(t)
  const webhook_events = ['payment.detected', 'payment.partial', 'payment.late', 'checkout.expired']
  const fields = { address, amount: '3', mode: 'unique_address', metadata: { order: 7 } }
  const told = await shop.open({ ...fields, webhook_url: receiver.url, webhook_events }, bearer(key))
  const { key: other } = await shop.join()
  const silent = await shop.open({ ...fields, webhook_url: `${receiver.url}/silent` }, bearer(other))
  const { node } = world.ledger
  node.hold()
  const part = await world.pay(address, nano('1'))
  await turnUntil(world, 5_000, async () => (await shop.check(told.id)).status === 'detected')
  await node.release()
  await untilStatus(shop, told.id, 'partial')
  await untilStatus(shop, silent.id, 'partial')
  const byType = () => new Map(receiver.requests.map(({ body }) => [(JSON.parse(body) as EventBody).type, body]))
  await turnUntil(world, 1_000, async () => byType().size === 2)
  world.clock.leap(DAY)
  await turnUntil(world, 5_000, async () => (await shop.check(told.id)).status === 'expired')
  const rest = await world.pay(address, nano('2'))
  await turnUntil(world, 5_000, async () => (await shop.check(told.id)).additional_status === 'paid_late')
  await turnUntil(world, 1_000, async () => byType().size === 4)
  const shown = (await show(shop, told.id, key)).webhook_events
  for (const { type, payload } of shown) {
    assert.deepEqual(JSON.parse(byType().get(type)!), payload)
    const { checkout_id: id, address: to, plan, metadata } = payload
    assert.deepEqual([id, to, metadata], [told.id, address, { order: 7 }])
    assert.deepEqual(plan, { title: 'Default', value: '3', discount: false, value_raw: `${nano('3')}` })
  }
  const facts = shown.map(({ type, payload: { status, payment, block } }) => [
    ...[type, status, payment.amount],
    block && [block.hash, block.amount, block.confirmed],
  ])
  assert.deepEqual(facts, [
    ['payment.detected', 'detected', '0', [part, '1', 'false']],
    ['payment.partial', 'partial', '1', [part, '1', 'true']],
    ['checkout.expired', 'expired', '1', undefined],
    ['payment.late', 'expired', '3', [rest, '2', 'true']],
  ])
  assert.deepEqual((await show(shop, silent.id, other)).webhook_events, [])
})

test('plans: each has its own amount, and the event says which was bought and with what discount (contract 6, Body: plan; 2, rule 11; 2, Checkout status: plan)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const receiver = await openReceiver(t)
  const plans = [
    { title: 'Monthly', value: '1' },
    { title: 'The same', value: '1' },
    { name: 'Yearly', price: 10, discount: 15 },
  ]
  const made = await shop.open({ address, plans, title: 'Paper', webhook_url: receiver.url }, bearer(key))
  const yearly = made.plans[2]
  assert.equal(new Set(made.plans.map(({ value_raw: raw }) => raw)).size, 3)
  await world.pay(address, yearly!.value_raw)
  const check = await untilStatus(shop, made.id, 'complete')
  assert.deepEqual([check.plan?.title, check.plan?.value_raw], ['Yearly', yearly!.value_raw])
  const { event } = await firstTo(receiver)
  const { value, value_raw } = yearly!
  assert.deepEqual(event.plan, { title: 'Yearly', value, discount: 15, value_raw })
})

test('none of these is a payment: opening success_url, a message, an unconfirmed block, the amount elsewhere (contract 6, rule 5; 2, rule 16; 4.6, rule 3)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const site = await openReceiver(t)
  const success_url = 'https://shop.example/thanks'
  const made = await shop.open({ address, amount: '1', webhook_url: site.url, success_url }, bearer(key))
  const claims = { status: 'complete', success: true, block: { hash: 'A'.repeat(64) } }
  const paths = [`/pay/${made.id}?status=complete`, `/check/${made.id}`, `/confirm/${made.id}`]
  for (const path of paths) await ask(`${shop.url}${path}`, { body: JSON.stringify(claims) })
  await ask(`${shop.url}${paths[0]}`, { method: 'GET', headers: { referer: success_url, accept: 'text/html' } })
  await shop.rest('PUT', `/api/checkouts/${made.id}`, key, { ...claims, title: 'Paid, really' })
  await world.pay(stranger.address, made.amount_raw)
  world.ledger.node.hold()
  await world.pay(address, made.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).status === 'detected')
  const check = await shop.check(made.id)
  const { success, amount_paid_raw: paid } = check
  assert.deepEqual([success, paid, 'block' in check, 'message' in check], [false, '0', false, false])
  const shown = await show(shop, made.id, key)
  assert.deepEqual([shown.payments, shown.webhook_events, site.requests], [[], [], []])
  assert.deepEqual((await readerOf(shop, key).get('/events')).json<{ events: unknown[] }>().events, [])
})

test('nothing is sent unsigned: the default secret of the account signs, and who has none is given one (contract 6, rule 7; 2, Checkout response: webhook_secret)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const receiver = await openReceiver(t)
  const { post } = readerOf(shop, key)
  const { webhook_secret: ofAccount } = (await post('/webhooks/secret/rotate')).json()
  const own = await shop.open({ address, amount: '1', webhook_url: `${receiver.url}/own` }, bearer(key))
  const anonymous = await shop.open({ address, amount: '1', webhook_url: `${receiver.url}/anonymous` })
  assert.equal(own.webhook_secret, undefined)
  const plain = await shop.open({ address, amount: '1' })
  const chosen = await shop.open({ address, amount: '1', webhook_url: receiver.url, webhook_secret: 'my own, thanks' })
  assert.deepEqual([plain.webhook_secret, chosen.webhook_secret], [undefined, undefined])
  for (const [made, path, secret] of [
    [own, '/hook/own', ofAccount!],
    [anonymous, '/hook/anonymous', anonymous.webhook_secret!],
  ] as const) {
    await world.pay(address, made.amount_raw)
    const { headers, body, event } = await firstTo(receiver, path)
    row('2, Checkout request fields: webhook_url', () => assert.equal(event.checkout_id, made.id, path))
    assert.equal(headers['nano-signature'], hexOf(secret, body), 'keyed by the text')
    const keyBytes = Buffer.from(secret.slice('whsec_'.length), 'base64')
    assert.match(secret, /^whsec_[A-Za-z0-9+/]+=*$/)
    assert.ok(keyBytes.length >= 24 && keyBytes.length <= 64)
    const signed = `${event.id}.${headers['webhook-timestamp'] as string}.${body}`
    assert.equal(headers['webhook-signature'], `v1,${base64Of(keyBytes, signed)}`, 'keyed by the bytes')
  }
  // A checkout without a key and without a webhook causes no events.
  await world.pay(address, plain.amount_raw)
  await untilStatus(shop, plain.id, 'complete')
  assert.deepEqual(await listEvents(shop, plain.id), [])
})

test('the example for testing comes out of a gateway byte for byte (contract 6, rule 1)', async (t) => {
  const clock = new TestClock(1_760_000_005_000)
  const secretKey = Buffer.from(testRandom.bytes(32))
  const { ctx } = await openGateway(t, { SECRET_KEY: secretKey.toString('base64') }, clock)
  const receiver = await openReceiver(t)
  const body = '{"id":"evt_2","metadata":{"note":"Zoë € 支払い"}}'
  await inTx({ ...ctx, secrets: openSecretBox(secretKey, testRandom) }, (tx) =>
    recordEvent(tx, {
      id: 'evt_2',
      accountId: null,
      subject: 'example',
      type: 'payment.completed',
      dedupeKey: 'example',
      body,
      url: receiver.url,
      secret: 'my shop secret 42',
    }),
  )
  const { headers, body: received } = await firstTo(receiver)
  row('6, Example for testing: body of 55 bytes in UTF-8', () =>
    assert.deepEqual([received, Buffer.byteLength(received)], [body, 55]),
  )
  row('6, Example for testing: webhook-timestamp', () => assert.equal(headers['webhook-timestamp'], '1760000005'))
  row('6, Example for testing: secret, Nano-Signature', () =>
    assert.equal(headers['nano-signature'], '792eabcbcdef337e73c7758c86910dc8c0332e33d298796b956fc5bc7b180202'),
  )
  row('6, Example for testing: secret, webhook-signature', () =>
    assert.equal(headers['webhook-signature'], 'v1,R8/pXwwwG6A3HPyPniM/tL0+et9Pu9ZHrt4LRu1e+2c='),
  )
})
