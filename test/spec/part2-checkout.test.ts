import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearer, type Made, merchant, nano, openShop, show, stranger } from '../support/checkout-steps.ts'
import { row } from './row.ts'

/* Contract 2: every field of a checkout request. */

const { address } = merchant

test('modes, plans and templates by every name they have (contract 9, Synonyms: mode of checkout, checkout plans)', async (t) => {
  const { shop, key } = await openShop(t)
  const own = await shop.open({ address: merchant.address, amount: '1', mode: 'unique_address' })
  const refused = await shop.call('checkout', { address, amount: '1', mode: 'generated_wallet' }, bearer(key))
  const wrong = await shop.call('checkout', { address, amount: '1', mode: 'any' })
  row('2, Checkout request fields: mode', () => {
    assert.deepEqual([own.mode, own.amount], ['unique_address', '1'])
    assert.deepEqual([refused.status, refused.json().code], [403, 'feature_disabled'])
    assert.deepEqual([wrong.status, wrong.json().field], [400, 'mode'])
  })
  const plans = [
    { title: 'Small', value: '1' },
    { name: 'Large', price: '5', discount: 10 },
  ]
  const offer = await shop.open({ address, plans }, bearer(key))
  const again = await shop.open({ template: offer.id, title: 'Again' }, bearer(key))
  row('2, Checkout request fields: plans, template', () => {
    for (const { plans: offered } of [offer, again]) {
      const { title, discount } = offered[1] as { title: string; discount?: number }
      assert.deepEqual([offered.length, offered[0]!.title, title, discount], [2, 'Small', 'Large', 10])
      const [small, large] = offered.map(({ value_raw: raw }) => BigInt(raw))
      assert.ok(small! > nano('1') && small! < nano('1.005') && large! > nano('5') && large! < nano('5.025'))
    }
    assert.equal(new Set([...offer.plans, ...again.plans].map(({ value_raw: raw }) => raw)).size, 4)
  })
  const { accountId, key: publicKey } = await shop.join({ kind: 'public', origins: ['https://shop.example'] })
  const headers = { origin: 'https://shop.example' }
  const fromBrowser = await shop.open({ address, amount: '1', public_key: publicKey }, headers)
  const owners = shop.app.store.db.selectFrom('checkouts').select('owner').where('id', '=', fromBrowser.id)
  const { owner } = await owners.executeTakeFirstOrThrow()
  row('2, Checkout request fields: public_key', () => assert.equal(owner, accountId))
})

test('a template brings its configuration; an order may change price, texts and metadata, and nothing else', async (t) => {
  const { world, shop } = await openShop(t)
  const headers = bearer(world.key())
  const saved = {
    address,
    amount: '5',
    title: 'Book',
    notify: 'shop@example.com',
    webhook_url: 'https://shop.example/hook',
    webhook_secret: 'a secret of mine',
    metadata: { from: 'template' },
  }
  const template = await shop.open(saved, headers)
  const view = async ({ id }: Made) => (await show(shop, id, world.key())).checkout
  const look = async (made: Made) => {
    const { title, description, notify, webhook_url: url, webhook_secret_set: set, metadata } = await view(made)
    return [title, description, notify, url, set, metadata]
  }
  const written = `pay_${template.id.toUpperCase()}`
  const order = await shop.open({ template: written, amount: '7', metadata: { order: 1 } }, headers)
  const told = await shop.open({ template: template.id, title: 'Map', description: 'Folded' }, headers)
  const seen = [await look(order), await look(told)]
  const asksFor = ({ amount_raw: raw }: Made, price: string) => {
    const most = nano(price) + nano(price) / 200n
    assert.ok(BigInt(raw) > nano(price) && BigInt(raw) <= most, `${price}: ${raw}`)
  }
  row('2, rule 18', () => {
    assert.notEqual(order.id, template.id)
    const kept = [saved.notify, saved.webhook_url, true]
    assert.deepEqual(seen, [
      [saved.title, null, ...kept, { order: 1 }],
      ['Map', 'Folded', ...kept, saved.metadata],
    ])
    asksFor(order, '7')
    asksFor(told, '5')
  })
  const line_items = [{ price: '2', quantity: 4 }]
  const itemised = await shop.open({ template: template.id, line_items, shipping: '0.5' }, headers)
  const none = await shop.open({ template: template.id, line_items: [] }, headers)
  const invoice = { lines: [{ title: 'Book', price: '5' }] }
  const brief = await shop.open({ template: template.id, expire: '1 hour', note: 'for Ann', invoice }, headers)
  const { note } = await view(brief)
  row('2, rule 19', () => {
    asksFor(itemised, '8.5')
    asksFor(none, '5')
    assert.deepEqual([brief.expires_unix, note], [world.clock.now() / 1000 + 3_600, 'for Ann'])
    assert.deepEqual(['invoice_url' in brief, 'invoice_url' in none], [true, false])
  })

  const refuse = async (fields: object, as = headers) => {
    const reply = await shop.call('checkout', { template: template.id, ...fields }, as)
    const { code, field } = reply.json()
    return [reply.status, code, field]
  }
  for (const [field, value] of Object.entries({
    address: stranger.address,
    image: 'https://a.example/b.png',
    currency: 'EUR',
    notify: 'other@example.com',
    webhook_url: 'https://other.example/hook',
    webhook_secret: 'another secret',
    success_url: 'https://other.example/',
    cancel_url: 'https://other.example/',
    random: false,
    mode: 'unique_address',
    webhook_events: ['payment.late'],
    plans: [{ title: 'A', value: '1' }],
  })) {
    const refused = await refuse({ [field]: value })
    row('2, rule 19', () => assert.deepEqual(refused, [400, 'invalid_request', field]))
  }
  const { amount: _, ...same } = { ...saved, currency: 'nano', mode: 'unique_amount', random: true }
  assert.deepEqual(await refuse(same), [200, undefined, undefined], 'what is the same changes nothing')
  const { id } = await shop.open({ address, plans: [{ title: 'A', value: '1' }] }, headers)
  for (const [field, price] of Object.entries({ amount: '1', line_items })) {
    const refused = await refuse({ template: id, [field]: price })
    row('2, rule 19', () => assert.deepEqual(refused, [400, 'invalid_request', field]))
  }
  const other = await shop.join()
  const foreign = [await refuse({}, bearer(other.key)), await refuse({}, { authorization: '' })]
  row('2, rule 18', () =>
    assert.deepEqual(foreign, [
      [400, 'invalid_request', 'template'],
      [401, 'key_required', 'template'],
    ]),
  )
})
