import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { ask } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import {
  type Shop,
  type World,
  bearer,
  listEvents,
  merchant,
  openWorld,
  turnUntil,
  untilStatus,
} from '../checkout/world.ts'
import { openReceiver } from '../webhooks/world.ts'

/* Contract 2 and 6: what every field of a checkout does, and what its events say. */

const { address } = merchant
const HOUR = 3_600_000
type Members = Record<string, unknown>

async function openShop(t: Parameters<typeof openWorld>[0]): Promise<{ world: World; shop: Shop; key: string }> {
  const world = await openWorld(t)
  const shop = await world.start({ WEBHOOK_ALLOW_PRIVATE: 'true' })
  const { key } = await world.join(shop)
  return { world, shop, key }
}

test('what the page shows, the redirects and the price in another currency come back in the record (contract 2, Checkout request fields: action, currency, title, success_url, metadata, notify; 1, Product areas: 2. Checkout)', async (t) => {
  const { shop, key } = await openShop(t)
  const fields = {
    address,
    amount: '12.50',
    currency: 'EUR',
    title: 'Coffee',
    description: 'Two of them',
    image: 'https://shop.example/coffee.png',
    success_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/cart',
    metadata: { order: 'A-1' },
    notify: 'owner@shop.example',
  }
  const made = await shop.open(fields, bearer(key))
  assert.deepEqual([made.currency, made.fiat_amount], ['EUR', '12.50'])
  assert.match(String(made.note), /converted/i)
  const record = (await ask(`${shop.url}/checkout/${made.id}`, { method: 'GET' })).json<Members>()
  for (const name of ['title', 'description', 'image', 'success_url', 'cancel_url'] as const) {
    assert.equal(record[name], fields[name], name)
  }
  assert.equal('metadata' in record || 'notify' in record, false)
  const { checkout } = (await shop.rest('GET', `/api/checkouts/${made.id}`, key)).json<{ checkout: Members }>()
  assert.deepEqual([checkout.metadata, checkout.notify], [fields.metadata, fields.notify])
})

test('modes, plans and templates by every name they have (contract 2, Checkout request fields: mode, random, plans, template, public_key; 9, Synonyms: checkout, checkout plans)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const unique = await shop.open({ address, amount: '1', random: 'true' })
  assert.equal(unique.mode, 'unique_amount')
  const own = await shop.open({ address: merchant.address, amount: '1', mode: 'unique_address' })
  assert.deepEqual([own.mode, own.amount], ['unique_address', '1'])
  const plans = [
    { title: 'Small', value: '1' },
    { name: 'Large', price: '5', discount: 10 },
  ]
  const offer = await shop.open({ address, plans }, bearer(key))
  assert.deepEqual(
    offer.plans.map(({ title }) => title),
    ['Small', 'Large'],
  )
  assert.equal(new Set(offer.plans.map(({ value_raw: raw }) => raw)).size, 2)
  const again = await shop.open({ template: offer.id, title: 'Again' }, bearer(key))
  assert.deepEqual(
    again.plans.map(({ title }) => title),
    ['Small', 'Large'],
  )
  const { key: publicKey } = await world.join(shop, 'public', ['https://shop.example'])
  const headers = { origin: 'https://shop.example' }
  const fromBrowser = await shop.open({ address, amount: '1', public_key: publicKey }, headers)
  assert.equal(fromBrowser.status, 'pending')
})

test('a completion is told once, in these very bytes, signed with the secret of the checkout (contract 6, Body; 6, Headers; 6, rules 1, 2, 6 and 12; 6, Event kinds: payment.completed; 2, Checkout request fields: webhook_url, webhook_secret; 9, Synonyms: checkout)', async (t) => {
  const { world, shop } = await openShop(t)
  const receiver = await openReceiver(t)
  const webhook_secret = 'my shop secret 42'
  const metadata = { order: 'A-1', note: 'Zoë € 支払い' }
  const made = await shop.open({ address, amount: '2', title: 'Tea', webhook: receiver.url, webhook_secret, metadata })
  const hash = await world.pay(address, made.amount_raw)
  await untilStatus(shop, made.id, 'complete')
  await until(() => receiver.requests.length > 0)
  const { body, headers } = receiver.requests[0]!
  const event = JSON.parse(body) as Members & { block: Members }
  const { id, created_unix } = event
  assert.match(String(id), /^evt_/)
  assert.equal(typeof created_unix, 'number')
  const amounts = { amount: made.amount, amount_raw: made.amount_raw }
  assert.deepEqual(event, {
    ...event,
    type: 'payment.completed',
    checkout_id: made.id,
    checkout: made.json,
    status: 'complete',
    address,
    payment: { address, ...amounts },
    block: { hash, account: event.block.account, ...amounts, confirmed: 'true' },
    plan: { title: 'Tea', value: made.amount, discount: false, value_raw: made.amount_raw },
    metadata,
  })
  assert.match(String(event.block.account), /^nano_/)
  const hex = createHmac('sha256', webhook_secret).update(body).digest('hex')
  assert.equal(headers['nano-signature'], hex)
  assert.equal(headers['webhook-id'], id)
  const signed = `${String(id)}.${String(headers['webhook-timestamp'])}.${body}`
  assert.equal(
    headers['webhook-signature'],
    `v1,${createHmac('sha256', webhook_secret).update(signed).digest('base64')}`,
  )
  assert.equal((await listEvents(shop, made.id)).length, 1)
})

test('other kinds are told to whoever asked for them, and to nobody else (contract 6, Event kinds: payment.detected, payment.partial, payment.late, checkout.expired; 6, rule 12; 2, Checkout request fields: webhook_events; 3, Checkout: any open one)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const webhook_events = ['payment.detected', 'payment.partial', 'payment.late', 'checkout.expired']
  const told = await shop.open({ address, amount: '3', mode: 'unique_address', webhook_events }, bearer(key))
  const { key: other } = await world.join(shop)
  const silent = await shop.open({ address, amount: '3', mode: 'unique_address' }, bearer(other))
  const { node } = world.ledger
  node.hold()
  await world.pay(address, '1000000000000000000000000000000')
  await turnUntil(world, 5_000, async () => (await shop.check(told.id)).status === 'detected')
  await node.release()
  await untilStatus(shop, told.id, 'partial')
  await untilStatus(shop, silent.id, 'partial')
  await turnUntil(world, 2 * HOUR, async () => (await shop.check(told.id)).status === 'expired')
  await world.pay(address, '2000000000000000000000000000000')
  const kinds = async (id: string) => (await listEvents(shop, id)).map(({ type }) => type)
  await turnUntil(world, 5_000, async () => (await kinds(told.id)).includes('payment.late'))
  assert.deepEqual(await kinds(told.id), ['payment.detected', 'payment.partial', 'checkout.expired', 'payment.late'])
  assert.deepEqual(await kinds(silent.id), [])
  assert.equal((await shop.check(told.id)).additional_status, 'paid_late')
  // Whoever gives an open one up has cancelled it.
  const open = await shop.open({ address, amount: '4' }, bearer(key))
  await shop.rest('DELETE', `/api/checkouts/${open.id}`, key)
  assert.equal((await shop.check(open.id)).status, 'cancelled')
})
