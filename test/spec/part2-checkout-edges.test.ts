import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { type Reply, ask } from '../support/gateway.ts'
import {
  bearer,
  listEvents,
  type Made,
  merchant,
  nano,
  openShop,
  openWorld,
  type Shop,
  show,
  turnUntil,
  untilStatus,
} from '../support/checkout-steps.ts'
import { row } from './row.ts'
import { serve } from '../support/serve.ts'

const address = merchant.address

/** A price provider that can be switched off. */
async function openPrices(t: TestContext): Promise<{ url: string; rate: number | undefined }> {
  const prices: { url: string; rate: number | undefined } = { url: '', rate: undefined }
  prices.url = await serve(t, (_request, response) => {
    if (prices.rate === undefined) response.statusCode = 500
    response.end(JSON.stringify({ nano: { usd: prices.rate, eur: prices.rate } }))
  })
  return prices
}

const pageOf = async (shop: Shop, path: string, headers: Record<string, string> = {}) =>
  ask(`${shop.url}${path}`, { method: 'GET', headers: { accept: 'text/html', ...headers } })

test('a payer of three for two sees price, payment and difference, and so does the merchant', async (t) => {
  const { world, shop } = await openShop(t)
  const own = new Signer(71).address
  const { id } = await shop.open({ address: own, amount: '2', mode: 'unique_address' }, bearer(world.key()))
  await world.pay(own, nano('3.25'))
  const check = await untilStatus(shop, id, 'complete')
  const expected = { amount: '2', amount_paid: '3.25', amount_excess: '1.25', amount_excess_raw: `${nano('1.25')}` }
  const pick = (from: object) =>
    Object.fromEntries(Object.keys(expected).map((name) => [name, Reflect.get(from, name)]))
  const record = (await shop.rest('GET', `/checkout/${id}`)).json<object>()
  const { checkout } = await show(shop, id, world.key())
  const entered = await ask(`${shop.url}/dashboard/sign-in/key`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: shop.url },
    body: new URLSearchParams({ key: world.key() }).toString(),
  })
  const cookie = entered.headers['set-cookie']![0]!.split(';')[0]!
  const dashboard = (await pageOf(shop, `/dashboard/checkouts/${id}`, { cookie })).text
  const facts = [...dashboard.matchAll(/<dt>([^<]*)<\/dt><dd><span class="nano">([0-9.]+) /g)]
  const shown = facts.map(([, label, amount]) => `${label} ${amount}`)
  assert.deepEqual(shown, ['Overpaid 1.25'])
  assert.match(
    dashboard,
    new RegExp(`<dt>Asked for</dt><dd>${nano('2')} raw.*<dt>Received</dt><dd>${nano('3.25')} raw`),
  )
  for (const path of [`/pay/${id}`, `/pay/${id}/receipt`]) {
    const { text } = await pageOf(shop, path)
    for (const [label, amount] of Object.entries({ Price: '2', Paid: '3.25', Overpaid: '1.25' })) {
      assert.match(text, new RegExp(`<dt>${label}</dt>\\s*<dd>[^<]*${amount.replace('.', '\\.')}`), `${path} ${label}`)
    }
  }
  const exact = await shop.open({ address: own, amount: '1' }, bearer(world.key()))
  await world.pay(own, exact.amount_raw)
  const fitting = await untilStatus(shop, exact.id, 'complete')
  row('2, Checkout status: amount_excess, amount_excess_raw', () => {
    for (const told of [check, record, checkout]) assert.deepEqual(pick(told), expected)
    assert.deepEqual(['amount_excess' in fitting, 'amount_excess_raw' in fitting], [false, false])
  })
})

test('a fiat checkout is made while no price source answers, shows no amount nobody knows, gets one when its page is opened, and its event says what it was converted by (contract 2, rule 14; 6, Body: currency, fiat_amount, rate, rate_source)', async (t) => {
  const prices = await openPrices(t)
  const world = await openWorld(t)
  const shop = await world.start({ PRICE_PROVIDERS: 'coingecko', COINGECKO_URL: prices.url })
  const own = new Signer(72).address
  const made = await shop.open({ address, amount: '10', currency: 'USD' }, bearer(world.key()))
  const summed = await shop.open({ address: own, amount: '10', currency: 'USD', mode: 'unique_address' })
  for (const one of [made, summed]) {
    assert.deepEqual([one.currency, one.fiat_amount, 'amount' in one, 'link' in one], ['USD', '10', false, false])
  }
  assert.equal((await pageOf(shop, `/pay/${made.id}`)).status, 503)
  // Without a price the value of ten dollars is unknown: a payment is recorded but completes nothing.
  await world.pay(own, nano('0.001'))
  await turnUntil(world, 1_000, async () => (await shop.check(summed.id)).status !== 'pending')
  assert.deepEqual([(await shop.check(summed.id)).status, (await shop.check(summed.id)).success], ['partial', false])
  prices.rate = 2
  await turnUntil(world, 5_000, async () => (await pageOf(shop, `/pay/${made.id}`)).status === 200)
  const record = (await shop.rest('GET', `/checkout/${made.id}`)).json<Made>()
  assert.ok(BigInt(record.amount_raw) > nano('5') && BigInt(record.amount_raw) < nano('5.03'))
  // The recipient can verify the event alone; a price in nano was not converted.
  const known = await shop.open({ address, amount: '10', currency: 'USD' }, bearer(world.key()))
  const inNano = await shop.open({ address, amount: '1' }, bearer(world.key()))
  const converted = { currency: 'USD', fiat_amount: '10', rate: '2', rate_source: 'coingecko' }
  for (const [{ id, amount_raw: raw }, expected] of [
    [{ ...made, amount_raw: record.amount_raw }, converted],
    [known, converted],
    [inNano, {}],
  ] as const) {
    await world.pay(address, raw)
    await untilStatus(shop, id, 'complete')
    const body = Object.entries(JSON.parse((await listEvents(shop, id))[0]!.body) as object)
    assert.deepEqual(Object.fromEntries(body.filter(([name]) => name in converted)), expected)
  }
})

test('items and shipping are summed where no amount is given (contract 2, Checkout request fields: line_items, shipping)', async (t) => {
  const { shop } = await openShop(t)
  const own = (at: number) => new Signer(at).address
  const order = { mode: 'unique_address', line_items: [{ name: 'Lamp', price: '2.5', quantity: 2 }, { price: 0.1 }] }
  const made = await shop.open({ address: own(73), ...order, shipping: '0.4' })
  assert.equal(made.amount, '5.5')
  assert.equal((await shop.open({ address: own(74), ...order, shipping: { price: 1 } })).amount, '6.1')
  assert.equal((await shop.open({ address: own(76), ...order, amount: '1', shipping: '9' })).amount, '1')
  const fiat = await shop.open({ address: own(77), ...order, currency: 'USD' })
  assert.equal(fiat.fiat_amount, '5.10')
  for (const [fields, field] of [
    [{ line_items: [{ name: 'Lamp' }] }, 'line_items[0].price'],
    [{ line_items: [{ price: '1', quantity: 1.5 }] }, 'line_items[0].quantity'],
    [{ line_items: 'Lamp' }, 'line_items'],
    [{ line_items: [{ price: '1' }], shipping: 'soon' }, 'shipping'],
    [{ line_items: [{ price: '1', cost: '2' }] }, 'line_items[0].cost'],
    [{ line_items: [true] }, 'line_items[0]'],
    [{ line_items: [['1']] }, 'line_items[0]'],
    [{ shipping: true }, 'shipping'],
    [{ shipping: ['5'] }, 'shipping'],
    [{ shipping: '-1' }, 'shipping'],
    [{ amount: '1', shipping: 'soon' }, 'shipping'],
    [{ amount: '1', line_items: [{ name: 'Lamp' }] }, 'line_items[0].price'],
    [{ shipping: {} }, 'shipping.price'],
    [{ shipping: { price: 'soon' } }, 'shipping.price'],
    [{ shipping: '5', plans: [{ title: 'A', value: '1' }] }, 'shipping'],
    [{ line_items: [{ price: '300000000', quantity: 2 }] }, 'line_items'],
  ] as const) {
    const reply = await shop.call('checkout', { address, ...fields })
    assert.deepEqual([reply.status, reply.json<{ field: string }>().field], [400, field], reply.text)
  }
})

test('an order of shipping alone, or with its price under another name, was made without a price (contract 2, rule 28)', async (t) => {
  const { world, shop } = await openShop(t)
  const key = bearer(world.key())
  const priceOf = async (fields: object) => (await shop.open({ address, random: false, ...fields }, key)).amount
  const named = ['price', 'value', 'amount', 'cost']
  for (const [at, name] of named.entries()) {
    assert.equal(await priceOf({ shipping: { [name]: `${10 + at}` } }), `${10 + at}`)
    assert.equal(await priceOf({ line_items: [{ [name]: 20 + at, quantity: 2 }] }), `${40 + 2 * at}`)
  }
  assert.equal(await priceOf({ shipping: '5' }), '5')
  assert.equal(await priceOf({ shipping: 6 }), '6')
  assert.equal(await priceOf({ line_items: ['1', 2], shipping: { cost: { value: '0.5' } } }), '3.5')
  assert.equal(await priceOf({ amount: '7', shipping: '1' }), '7', 'amount is the total')
  assert.equal((await shop.open({ address, shipping: 0 })).amount, undefined, 'nothing costs nothing')

  const template = await shop.open({ address, amount: '100', random: false }, key)
  const order = async (fields: object) => (await shop.open({ template: template.id, ...fields }, key)).amount
  assert.equal(await order({ shipping: '5' }), '105')
  assert.equal(await order({ line_items: [{ price: '3' }], shipping: '1' }), '4')
  const refused = async (fields: object) => {
    const reply = await shop.call('checkout', fields, key)
    return [reply.status, reply.json<{ field: string }>().field]
  }
  const drawn = await shop.open({ address, amount: '1.0XXX' }, key)
  assert.deepEqual(await refused({ template: drawn.id, shipping: '5' }), [400, 'shipping'])
  const plans = await shop.open({ address, plans: [{ title: 'A', value: '1' }] }, key)
  assert.deepEqual(await refused({ template: plans.id, shipping: '5' }), [400, 'shipping'])
  const euros = await shop.open({ address, amount: '10', currency: 'EUR' }, key)
  assert.equal((await shop.open({ template: euros.id, shipping: '2.50' }, key)).fiat_amount, '12.50')
})

test('random: false is the bare price, expire is taken from five minutes to thirty days, and a note is for the merchant alone (contract 8, Checkout: lifetime)', async (t) => {
  const { world, shop } = await openShop(t)
  const key = bearer(world.key())
  const fields = { address, amount: '1', random: false, expire: '10 minutes', note: 'for Ann' }
  const made = await shop.open(fields, key)
  row('2, Checkout request fields: random, expire', () => {
    assert.deepEqual([made.mode, made.amount], ['unique_amount', '1'])
    assert.equal(made.expires_unix, Math.floor((world.clock.now() + 600_000) / 1000))
  })
  const { note } = (await show(shop, made.id, world.key())).checkout
  const record = (await shop.rest('GET', `/checkout/${made.id}`)).text
  const page = (await pageOf(shop, `/pay/${made.id}`)).text
  row('2, Checkout request fields: note', () => {
    assert.equal(note, 'for Ann')
    assert.doesNotMatch(record + page + JSON.stringify(made), /for Ann/)
  })
  const changed = await shop.rest('PUT', `/api/checkouts/${made.id}`, world.key(), { note: 'for Bob' })
  assert.equal(changed.json<{ checkout: { note: string } }>().checkout.note, 'for Bob')
  for (const expire of ['4 minutes', '31 days', 'soon']) {
    const reply = await shop.call('checkout', { address, amount: '1', expire })
    assert.deepEqual([reply.status, reply.json<{ field: string }>().field], [400, 'expire'], expire)
  }
  const refusals = [
    await shop.call('checkout', { address, amount: '1', random: 'maybe' }),
    await shop.call('checkout', { address, amount: '1', random: 2 }),
    await shop.call('checkout', { template: made.id, random: 'maybe' }, key),
    await shop.rest('PUT', `/api/checkouts/${made.id}`, world.key(), { random: 'maybe' }),
  ]
  for (const { status, json, text } of refusals) {
    assert.deepEqual([status, json<{ field: string }>().field], [400, 'random'], text)
  }
  world.clock.advance(60_000)
  await turnUntil(world, 60_000, async () => (await shop.check(made.id)).status === 'expired')
})

test('400 two open checkouts cannot sum the same funds, and a template must be one’s own; over REST 409 and 404 (contract 7, Texts and codes: checkout: unknown template, address in use)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const fields = { address, amount: '1', mode: 'unique_address' }
  const { id: foreign } = await shop.open(fields, bearer(world.key()))
  await shop.open(fields, bearer(key))
  const told = ({ status, json }: Reply) => [status, json().code, json().field]
  for (const [given, field, rest] of [
    [fields, 'address', [409, 'conflict']],
    [{ template: foreign }, 'template', [404, 'not_found']],
    [{ template: '0123456789abcdef' }, 'template', [404, 'not_found']],
  ] as const) {
    assert.deepEqual(told(await shop.call('checkout', given, bearer(key))), [400, 'invalid_request', field])
    assert.deepEqual(told(await shop.rest('POST', '/api/checkouts', key, given)), [...rest, field])
  }
})
