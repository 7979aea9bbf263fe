import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../support/gateway.ts'
import { bearer, merchant, openShop } from '../checkout/world.ts'

/* Contract 2: what every field of a checkout does. */

const { address } = merchant
type Members = Record<string, unknown>

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

test('modes, plans and templates by every name they have (contract 2, Checkout request fields: mode, random, plans, template, public_key; 9, Synonyms: mode of checkout, checkout plans)', async (t) => {
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
