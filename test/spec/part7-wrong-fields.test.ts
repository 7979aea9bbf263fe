import assert from 'node:assert/strict'
import { test } from 'node:test'
import { merchant, openWorld } from '../support/checkout-steps.ts'

/* Declared fields are validated in one way: all errors are reported together, and a shown object may be sent back. */

const { address } = merchant
type Refusal = { field: string; error: string; errors: { field: string; message: string }[] }

async function open(t: Parameters<typeof openWorld>[0]) {
  const shop = await (await openWorld(t)).start({})
  const { key } = await shop.join()
  const refuse = async (method: string, path: string, body: object) => {
    const reply = await shop.rest(method, path, key, body)
    assert.equal(reply.status, 400, reply.text)
    return reply.json<Refusal>()
  }
  return { shop, key, refuse }
}

test('a merchant who got ten fields wrong had to send ten requests to learn of them (contract 7, Body: errors)', async (t) => {
  const { shop, key, refuse } = await open(t)
  const items = [
    { title: 'Tea', price: '2' },
    { title: '', price: 'x', image: 'https://example.org/a.png' },
  ]
  const wrong = { tips: [500], time_zone: 'Mars/Base', pin: '1', pin_required: 'x' }
  const { field, error, errors } = await refuse('POST', '/api/pos', {
    ...{ titel: 'Counter', address: 'nano_1', items, ...wrong },
  })
  assert.deepEqual([field, error], ['titel', 'The field titel is not used here. Did you mean title?'])
  const rows = ['items[1].title', 'items[1].price', 'items[1].image']
  assert.deepEqual(
    errors.map((one) => one.field),
    ['titel', 'title', 'address', ...rows, 'tips', 'time_zone', 'pin', 'pin_required'],
  )
  assert.equal(errors[1]!.message, 'The field title is required.')
  // A secret used as a field name is not repeated, and the list of errors is limited.
  const long = 'f'.repeat(64)
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`x${at}`, 1]))
  const refused = await shop.rest('POST', '/api/pos', key, { title: 'a', address, [long]: 1, ...many })
  assert.ok(!refused.text.includes('ffff'))
  assert.equal(refused.json<Refusal>().errors.length, 50)
  const listed = await shop.rest('GET', '/api/pos', key)
  assert.deepEqual(listed.json().points_of_sale, [], 'nothing was made')
})

test('what GET has answered was refused when it was sent back with one field changed (contract 1, rule 5)', async (t) => {
  const { shop, key, refuse } = await open(t)
  const made = await shop.rest('POST', '/api/pos', key, { title: 'Counter', address, currency: 'EUR', pin: '4711' })
  const path = `/api/pos/${made.json<{ id: string }>().id}`
  const shown = (await shop.rest('GET', path, key)).json<Record<string, unknown>>()
  const again = await shop.rest('PUT', path, key, { ...shown, title: 'Garden' })
  assert.deepEqual([again.status, again.json().title, again.json().pin_required], [200, 'Garden', true], again.text)
  const { errors } = await refuse('PUT', path, { ...shown, id: 'pos_other', currency: 'USD', wrong_pins: 3 })
  assert.deepEqual(
    errors.map(({ message }) => message),
    ['id cannot be set.', 'wrong_pins cannot be set.', 'currency cannot be changed.'],
  )
  // A price is in the currency of the existing object.
  const price = await refuse('PUT', path, { items: [{ title: 'Cake', price: '0.0000000001' }] })
  assert.equal(price.field, 'items[0].price')
  assert.equal((await shop.rest('GET', path, key)).json().title, 'Garden')
})

test('an endpoint lost the token in its address when it was sent back as it was shown (contract 1, rule 5; 7, Body: errors)', async (t) => {
  const { shop, key, refuse } = await open(t)
  const PATH = '/api/webhook-endpoints'
  const { errors } = await refuse('POST', PATH, { events: ['nothing'], filter: { made_with: 'x' }, enabled: 'maybe' })
  assert.deepEqual(
    errors.map(({ field }) => field),
    ['url', 'events', 'filter', 'enabled'],
  )
  const url = 'https://shop.example/hooks?token=secret'
  const made = await shop.rest('POST', PATH, key, { url, filter: { metadata: { shop: 'berlin' } } })
  assert.equal(made.status, 201, made.text)
  const path = `${PATH}/${made.json<{ id: string }>().id}`
  const shown = (await shop.rest('GET', path, key)).json<Record<string, unknown>>()
  assert.equal(shown.url, 'https://shop.example/hooks')
  const again = await shop.rest('PUT', path, key, { ...shown, events: null, enabled: '', description: 'Berlin' })
  assert.equal(again.status, 200, again.text)
  const { updated_at: _changed, ...rest } = again.json<Record<string, unknown>>()
  const { updated_at: _before, ...before } = shown
  assert.deepEqual(rest, { ...before, description: 'Berlin' })
  const stored = await shop.ctx.db.selectFrom('webhook_endpoints').select('url').executeTakeFirstOrThrow()
  assert.equal(stored.url, url)
  const taken = await shop.rest('PUT', path, key, { filter: null, description: '' })
  assert.deepEqual([taken.json().filter, taken.json().description], [null, null])

  const watched = await refuse('POST', '/api/watches', { addresses: ['nano_1'], address: 1 })
  assert.deepEqual(
    watched.errors.map(({ field }) => field),
    ['address', 'addresses', 'endpoint'],
  )
})

test('a merchant learned of one wrong field of a payment link at a time, and could not send a link back (contract 1, rule 5; 7, Body: errors)', async (t) => {
  const { shop, key, refuse } = await open(t)
  const plans = [{ title: 'Small' }, { title: '', value: '1' }]
  const { errors } = await refuse('POST', '/api/links', {
    ...{ adress: 'x', plans, currency: 'EUR', quantity: 7, success_url: 'http://', notify: 'x', random: 'x' },
  })
  assert.deepEqual(
    errors.map(({ field }) => field),
    ['adress', 'plans[0].value', 'plans[1].title', 'quantity', 'success_url', 'notify', 'random'],
  )
  // One field of the price is wrong: fields that depend on a price must not be reported as missing one.
  const price = await refuse('POST', '/api/links', { address, amount: 'x', every: 'month' })
  assert.deepEqual(
    price.errors.map(({ field }) => field),
    ['amount'],
  )
  const secret = { webhook_url: 'https://shop.example/paid', webhook_secret: 'a secret of the shop' }
  const offer = { title: 'Mug', currency: 'EUR', amount: '9.60', quantity: { max: 5 }, ...secret }
  const invoice = { tax: [{ title: 'VAT', amount: '1.60' }] }
  const made = await shop.rest('POST', '/api/links', key, { address, ...offer, invoice, note: 'ours' })
  assert.equal(made.status, 201, made.text)
  const path = `/api/links/${made.json<{ id: string }>().id}`
  const shown = (await shop.rest('GET', path, key)).json<Record<string, unknown>>()
  assert.deepEqual([shown.description, shown.note, shown.webhook_secret_set], [undefined, 'ours', true])
  // Sums change while somebody edits other fields.
  const again = await shop.rest('PUT', path, key, { ...shown, sold: 7, title: 'Cup', note: null })
  assert.equal(again.status, 200, again.text)
  const { title: _old, note: _gone, ...rest } = shown
  assert.deepEqual(again.json(), { ...rest, title: 'Cup', updated_unix: again.json().updated_unix })
  const fixed = await refuse('PUT', path, { ...shown, id: 'x', slug: 'other', currency: 'USD', quantity: { max: 0 } })
  assert.deepEqual(
    fixed.errors.map(({ field }) => field),
    ['id', 'currency', 'slug', 'quantity'],
  )
})

test('a profile and an invitation named one wrong field at a time (contract 7, Body: errors)', async (t) => {
  const { shop, key, refuse } = await open(t)
  const PROFILE = '/api/account/profile'
  const { errors } = await refuse('PUT', PROFILE, { nam: 'x', website: 'ftp://a', support_email: 'b', accent: 'red' })
  assert.deepEqual(
    errors.map(({ field }) => field),
    ['nam', 'website', 'support_email', 'accent'],
  )
  await shop.rest('PUT', PROFILE, key, { name: 'Blue Mug', accent: '#fa0' })
  const { profile } = (await shop.rest('GET', PROFILE, key)).json<{ profile: Record<string, unknown> }>()
  const again = await shop.rest('PUT', PROFILE, key, { ...profile, name: 'Red Mug' })
  assert.equal(again.status, 200, again.text)
  const { name, accent } = again.json<{ profile: Record<string, unknown> }>().profile
  assert.deepEqual([name, accent], ['Red Mug', '#ffaa00'])

  const invited = await refuse('POST', '/api/members', { email: 'nobody', role: 'king', roll: 'reader' })
  assert.deepEqual(
    invited.errors.map(({ field }) => field),
    ['roll', 'email', 'role'],
  )
})
