import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromPaymentUri } from '../../src/kernel/nano/payment-uri.ts'
import { ask } from '../support/gateway.ts'
import { type Made, type Shop, bearer, merchant, nano, openWorld, stranger, untilStatus } from './world.ts'

/* What may be asked for, by whom, and what comes back. */

const address = merchant.address

async function refuse(shop: Shop, fields: object, headers: Record<string, string> = {}) {
  const reply = await shop.call('checkout', fields, headers)
  const { code, field } = reply.json<{ code: string; field?: string }>()
  return [reply.status, code, field]
}

test('200 amount, raw amount and link come from one integer, and every promised field is there (contract 2, rule 2; 2, Checkout response; 2, rule 8; 8, Checkout: lifetime, tail of a unique amount; 4.1, Payments, wallets, faucet, swap: checkout)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start({
    BASE_URL: 'https://gateway.example',
    CHECKOUT_URL: 'https://pay.example',
    API_URL: 'https://api.example',
  })
  const made = await shop.open({ address, amount: 0.1 })
  assert.match(made.id, /^[0-9a-f]{16}$/)
  assert.equal(made.browser, `https://pay.example/pay/${made.id}`)
  assert.equal(made.check, `https://api.example/check/${made.id}`)
  assert.equal(made.json, `https://api.example/checkout/${made.id}`)
  assert.deepEqual([made.mode, made.status, made.address], ['unique_amount', 'pending', address])
  assert.equal(made.expires_unix, world.clock.now() / 1000 + 24 * 3600)
  assert.match(made.qrcode, /^data:image\/png;base64,/)
  assert.equal(`${nano(made.amount)}`, made.amount_raw)
  assert.equal(`${fromPaymentUri(made.link)!.amount}`, made.amount_raw)
})

test('200 a checkout without a price lets the payer say how much (contract 2, Checkout modes: neither amount nor plans)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, currency: false, title: null })
  assert.equal('amount' in made, false)
  const choose = async (amount: string) =>
    ask(`${shop.url}/pay/${made.id}/amount`, { body: JSON.stringify({ amount }) })
  assert.equal((await choose('0.0000001')).status, 400)
  const chosen = (await choose('3')).json<Made>()
  assert.ok(BigInt(chosen.amount_raw) > nano('3'))
  await world.pay(address, chosen.amount_raw)
  await untilStatus(shop, made.id, 'complete')
})

test('200 digits written X are filled at random and reserved (contract 2, Checkout request fields: amount)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, amount: '1.0XXX', random: 'true' })
  assert.match(made.amount, /^1\.0\d\d[1-9]$/)
  await world.pay(address, made.amount_raw)
  await untilStatus(shop, made.id, 'complete')
})

test('200 a username is the address it had when the checkout was made (contract 2, Checkout request fields: address)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start({ KNOWN_NAMES: JSON.stringify({ alice: address }) })
  const made = await shop.open({ address: '@Alice', amount: '1' })
  assert.equal(made.address, address)
  await shop.close()
  const renamed = await world.start({ KNOWN_NAMES: JSON.stringify({ alice: stranger.address }) })
  assert.equal((await renamed.check(made.id)).address, address)
  assert.deepEqual(await refuse(renamed, { address: '@nobody', amount: '1' }), [400, 'username_not_found', 'address'])
})

test('200 a repeated request with its key makes one checkout (contract 4.1, rule 28)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const headers = { 'idempotency-key': 'order-1' }
  const [first, second] = [
    await shop.open({ address, amount: '1' }, headers),
    await shop.open({ address, amount: '1' }, headers),
  ]
  assert.deepEqual(first, second)
  assert.deepEqual(await refuse(shop, { address, amount: '2' }, headers), [409, 'idempotency_conflict', undefined])
})

test('400 the first wrong field is named (contract 2, rule 9; 8, Checkout: smallest price of unique_amount; 7, Texts and codes: malformed input)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const wrong: [object, string, string?][] = [
    [{ amount: '1' }, 'address', 'invalid_request'],
    [{ address: 'nano_1', amount: '1' }, 'address', 'invalid_account'],
    [{ address, amount: '0.0000009' }, 'amount', 'invalid_amount'],
    [{ address, amount: '0' }, 'amount', 'invalid_amount'],
    [{ address, amount: '-1' }, 'amount', 'invalid_amount'],
    [{ address, amount: 1e-7 }, 'amount', 'invalid_amount'],
    [{ address, amount: 0.1 + 0.2 }, 'amount', 'invalid_amount'],
    [{ address, amount: '400000000' }, 'amount', 'invalid_amount'],
    [{ address, amount: 'X', currency: 'EUR' }, 'amount', 'invalid_amount'],
    [{ address, amount: '1', currency: 'DOGE' }, 'currency', 'invalid_currency'],
    [{ address, amount: '1', mode: 'magic' }, 'mode'],
    [{ address, amount: '1', random: true, mode: 'unique_address' }, 'random'],
    [{ address, amount: '1', title: 'x'.repeat(121) }, 'title'],
    [{ address, amount: '1', description: {} }, 'description'],
    [{ address, amount: '1', image: 'data:image/svg+xml,<svg/>' }, 'image'],
    [{ address, amount: '1', success_url: 'javascript://shop.example/%0aalert(1)' }, 'success_url'],
    [{ address, amount: '1', cancel_url: 'https://user:pw@shop.example/' }, 'cancel_url'],
    [{ address, amount: '1', success_url: '//evil.example' }, 'success_url'],
    [{ address, amount: '1', success_url: 'https://a.example/\tb' }, 'success_url'],
    [{ address, amount: '1', webhook: 'not a url' }, 'webhook_url'],
    [{ address, amount: '1', webhook_secret: 'short' }, 'webhook_secret'],
    [{ address, amount: '1', webhook_events: ['payment.unknown'] }, 'webhook_events'],
    [{ address, amount: '1', notify: 'a@b.example, c@d.example' }, 'notify', 'invalid_email'],
    [{ address, amount: '1', metadata: [1] }, 'metadata'],
    [{ address, amount: '1', metadata: { a: { b: { c: { d: { e: 1 } } } } } }, 'metadata'],
    [{ address, amount: '1', metadata: { a: 'x'.repeat(5_000) } }, 'metadata'],
    [{ address, amount: '1', template: 'nonsense' }, 'template'],
    [{ address, plans: 'monthly' }, 'plans'],
    [{ address, plans: [{ value: '1' }] }, 'plans[0].title'],
    [{ address, plans: [{ title: 'A', value: '1' }, { title: 'B' }] }, 'plans[1].value', 'invalid_amount'],
    [{ address, plans: [{ title: 'A', value: '1', discount: 200 }] }, 'plans[0].discount'],
  ]
  for (const [fields, field, code = 'invalid_request'] of wrong) {
    assert.deepEqual(await refuse(shop, fields), [400, code, field], JSON.stringify(fields))
  }
  const polluted = `{"action":"checkout","address":"${address}","metadata":{"__proto__":{"a":1}}}`
  assert.equal((await ask(shop.url, { body: polluted })).status, 400)
  assert.equal((await shop.app.store.db.selectFrom('checkouts').select('id').execute()).length, 0)
})

test('401 and 403: notify, templates and generated wallets need a key, and secrets need a secret one (contract 5, rules 5, 6 and 16; 5, What needs a key: in checkout: notify; 2, rule 12; 7, Texts and codes: key needed, none given, account or feature not allowed)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const plain = { address, amount: '1' }
  const mine = await shop.open(plain, bearer(world.key()))
  assert.deepEqual(await refuse(shop, { ...plain, notify: 'a@b.example' }), [401, 'key_required', 'notify'])
  assert.deepEqual(await refuse(shop, { template: mine.id }), [401, 'key_required', 'template'])
  assert.deepEqual(await refuse(shop, { ...plain, mode: 'generated_wallet' }), [401, 'key_required', 'mode'])
  const generated = await refuse(shop, { ...plain, mode: 'generated_wallet' }, bearer(world.key()))
  assert.deepEqual(generated, [403, 'feature_disabled', 'mode'])

  const origin = 'https://shop.example'
  const { key: publicKey } = await world.join(shop, 'public', [origin])
  const asPage = (fields: object, from = origin) =>
    refuse(shop, { ...plain, public_key: publicKey, ...fields }, { origin: from })
  for (const [field, value] of Object.entries({
    notify: 'a@b.example',
    webhook_url: 'https://shop.example/hook',
    webhook_secret: 'a secret of mine',
    mode: 'generated_wallet',
  })) {
    assert.deepEqual(await asPage({ [field]: value }), [403, 'feature_disabled', field])
  }
  assert.deepEqual(await asPage({}, 'https://evil.example'), [403, 'origin_not_allowed', undefined])
  const made = await shop.open({ ...plain, public_key: publicKey }, { origin })
  assert.equal((await shop.check(made.id)).status, 'pending')
})

test('a template brings its configuration; an order may change price, texts and metadata, and nothing else (contract 2, rules 18 and 19)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
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
  const order = await shop.open(
    { template: `pay_${template.id.toUpperCase()}`, amount: '7', metadata: { order: 1 } },
    headers,
  )
  assert.notEqual(order.id, template.id)
  assert.ok(BigInt(order.amount_raw) > nano('7') && BigInt(order.amount_raw) < nano('7.04'))
  const { checkout } = (await shop.rest('GET', `/api/checkouts/${order.id}`, world.key())).json<{
    checkout: Record<string, unknown>
  }>()
  const { title, notify, webhook_url: url, webhook_secret_set: set, metadata } = checkout
  const kept = [saved.title, saved.notify, saved.webhook_url, true, { order: 1 }]
  assert.deepEqual([title, notify, url, set, metadata], kept)
  assert.deepEqual(await refuse(shop, { template: template.id, address: stranger.address }, headers), [
    ...[400, 'invalid_request', 'address'],
  ])
  assert.deepEqual(await refuse(shop, { template: template.id, image: 'https://a.example/b.png' }, headers), [
    ...[400, 'invalid_request', 'image'],
  ])
  const other = await world.join(shop)
  assert.deepEqual(await refuse(shop, { template: template.id }, bearer(other.key)), [404, 'not_found', 'template'])
})

test('a caller without an account gets a webhook secret once; one with an account has its own (contract 6, rule 7; 2, Checkout response: webhook_secret)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const hooked = { address, amount: '1', webhook: 'https://shop.example/hook?x=1' }
  assert.match((await shop.open(hooked)).webhook_secret ?? '', /^whsec_[A-Za-z0-9+/]{32}$/)
  assert.equal('webhook_secret' in (await shop.open({ ...hooked, webhook_secret: 'a secret of mine' })), false)
  assert.equal('webhook_secret' in (await shop.open(hooked, bearer(world.key()))), false)
})

test('429 strangers cannot use up a merchant’s amounts, and the merchant does not notice them (contract 2, rule 10; 8, Checkout: open reservations per address, without a key)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start({ CHECKOUT_OPEN_ANONYMOUS_MAX: '3' })
  for (let at = 0; at < 3; at++) await shop.open({ address, amount: '1' })
  assert.deepEqual(await refuse(shop, { address, amount: '1' }), [429, 'too_many_requests', 'address'])
  await shop.open({ address, amount: '1' }, bearer(world.key()))
  await shop.open({ address: stranger.address, amount: '1' })
})

test('409 two open checkouts cannot sum the same funds', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const fields = { address, amount: '1', mode: 'unique_address' }
  await shop.open(fields)
  assert.deepEqual(await refuse(shop, fields), [409, 'conflict', 'address'])
  await shop.open(fields, bearer(world.key()))
})
