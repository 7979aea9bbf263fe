import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { verifyWebhook } from '../../src/client/webhook.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { Signer, frontierOf, nano, openAccount, publish } from '../support/blocks.ts'
import { turnUntil } from '../support/checkout-steps.ts'
import { forEachEngine } from '../support/engines.ts'
import { openReceiver, readerOf } from '../support/webhook-steps.ts'
import { openWorld } from '../support/world.ts'
import { row } from './row.ts'

/* Contract 6, Watched addresses: an endpoint is notified of ledger events at these addresses. */

const PATH = '/watches'
const customer = new Signer(41)
const payer = new Signer(42)
const stranger = new Signer(43)

type Told = Record<string, unknown> & { sequence: number }
type Page = { watches: { address: string; events: number }[]; total: number; next_cursor: string | null }

async function open(t: TestContext, engine: StoreEngine, env: Record<string, string> = {}) {
  const world = await openWorld(t, engine)
  const started = { WEBHOOK_ALLOW_PRIVATE: 'true', ...env }
  const gateway = await world.start(started)
  const { key } = await gateway.join()
  const reader = readerOf(gateway, key)
  const receiver = await openReceiver(t)
  const make = async (body: object = {}) =>
    (await reader.post('/webhook-endpoints', { url: receiver.url, ...body })).json<{ id: string; secret: string }>()
  const { node } = world.ledger
  const pay = async (from: Signer, to: Signer, amount: bigint) =>
    publish(node, from.send(frontierOf(node, from.key), to.key, amount))
  const feed = async (since: string, endpoint: string) =>
    (await reader.get(`/events?since=${since}&endpoint=${endpoint}&limit=100`)).json<{ events: { payload: Told }[] }>()
  /** Waits until that many hashes were reported to an endpoint. */
  const untilReported = async (endpoint: string, count: number) => {
    await turnUntil(world, 1_000, async () => (await feed('pos_0', endpoint)).events.length >= count)
    return (await feed('pos_0', endpoint)).events.map(({ payload }) => payload)
  }
  return { world, gateway, key, started, receiver, node, make, pay, feed, untilReported, ...reader }
}

forEachEngine((engine) => {
  test('what is received at and sent from a watched address is reported once, signed, in order, and can be pulled (contract 6, rule 25)', async (t) => {
    const { world, gateway, key, receiver, node, make, pay, post, get, feed, untilReported } = await open(t, engine)
    await openAccount(node, payer, nano(10))
    await openAccount(node, customer, nano(1))
    const before = await pay(payer, customer, nano(1))
    const { id: endpoint, secret } = await make({ events: ['address.received', 'address.sent'] })
    const added = await post(PATH, { endpoint, addresses: [customer.address, customer.address] })
    const { cursor, ...counted } = added.json<{ cursor: string }>()
    row('6, Watched addresses: POST /api/watches', () => {
      assert.equal(added.status, 201)
      assert.deepEqual(counted, { endpoint, added: 1, watched: 1, total: 1 })
    })
    const again = await gateway.call('watch', { endpoint, addresses: [customer.address] }, { key })
    row('4.1, Payments, wallets, faucet, swap: watch', () =>
      assert.partialDeepStrictEqual(again.json(), { endpoint, added: 0, watched: 1, total: 1 }),
    )
    const received = await pay(payer, customer, nano(2))
    await publish(node, customer.receive(frontierOf(node, customer.key), before, nano(1)))
    await publish(node, customer.receive(frontierOf(node, customer.key), received, nano(2)))
    const sent = await pay(customer, stranger, nano(3))
    await pay(payer, stranger, nano(1))
    const told = await untilReported(endpoint, 2)
    const [first, second] = told
    const kinds = told.map(({ hash, type, sequence }) => ({ hash, type, sequence }))
    const expected = [
      { hash: received, type: 'address.received', sequence: 1 },
      { hash: sent, type: 'address.sent', sequence: 2 },
    ]
    assert.deepEqual(kinds, expected, 'what lay there before is not told')
    row('6, Event kinds: address.received', () =>
      assert.partialDeepStrictEqual(first, {
        account: customer.address,
        source: payer.address,
        destination: customer.address,
        amount: '2',
        amount_raw: nano(2).toString(),
        confirmed: 'true',
        endpoint,
      }),
    )
    row('6, Event kinds: address.sent', () =>
      assert.deepEqual([second!.source, second!.destination], [customer.address, stranger.address]),
    )
    await turnUntil(world, 250, async () => receiver.requests.length >= 2)
    const { body, headers } = receiver.requests[0]!
    verifyWebhook(body, headers, secret, { nowSeconds: Number(headers['webhook-timestamp']) })
    const pushed = receiver.requests.map((request) => JSON.parse(request.body) as Told)
    const inOrder = pushed.toSorted((one, other) => one.sequence - other.sequence).map(({ hash }) => hash)
    assert.deepEqual(inOrder, [received, sent])
    const pulled = (await feed(cursor, endpoint)).events.map(({ payload }) => payload.hash)
    assert.deepEqual(pulled, [received, sent])
    const { watches, total } = (await get(PATH)).json<Page>()
    const watched = watches.map(({ address, events }) => ({ address, events }))
    row('6, Watched addresses: GET /api/watches', () =>
      assert.deepEqual([total, watched], [1, [{ address: customer.address, events: 2 }]]),
    )
  })

  test('what is confirmed while no gateway listens is reported after a restart, in the order of its chain (contract 6, rule 26)', async (t) => {
    const { world, gateway, started, node, make, pay, post } = await open(t, engine)
    await openAccount(node, payer, nano(10))
    const { id: endpoint } = await make()
    await post(PATH, { endpoint, addresses: [payer.address, customer.address] })
    await gateway.app.close()
    const hashes: string[] = []
    for (let at = 1; at <= 3; at++) hashes.push(await pay(payer, customer, nano(at)))
    await publish(node, customer.receive(frontierOf(node, customer.key), hashes[0]!, nano(1)))
    const again = await world.start(started)
    const told = async () =>
      await again.app.store.db
        .selectFrom('events')
        .select(['subject', 'type', 'dedupe_key', 'body'])
        .where('endpoint_id', '=', endpoint)
        .orderBy('position')
        .execute()
    await turnUntil(world, 1_000, async () => (await told()).length >= 6)
    world.clock.advance(600_000)
    const events = await told()
    for (const [address, type] of [
      [payer.address, 'address.sent'],
      [customer.address, 'address.received'],
    ] as const) {
      const own = events.filter(({ subject }) => subject === address)
      assert.deepEqual(
        own.map((event) => [event.type, event.dedupe_key.split(':')[1], (JSON.parse(event.body!) as Told).sequence]),
        hashes.map((hash, at) => [type, hash, at + 1]),
      )
    }
  })

  test('watches belong to their account, are counted against its limit, and end with their endpoint (contract 6, rule 27)', async (t) => {
    const { gateway, world, key, make, post, get, pay, node, untilReported } = await open(t, engine, {
      WATCH_ADDRESSES_MAX: '3',
    })
    assert.equal(loadConfig({}).watchAddressesMax, 100_000, 'where nobody says otherwise')
    const signers = [51, 52, 53, 54].map((index) => new Signer(index))
    const addresses = signers.map(({ address }) => address)
    const { id: endpoint } = await make({ filter: { metadata: { shop: '1' } } })
    for (const [field, wrong] of [
      ['addresses', {}],
      ['addresses', { addresses: 'nano_1' }],
      ['addresses', { addresses: [] }],
      ['addresses', { addresses: [addresses[0], 'nano_1'] }],
      ['addresses', { addresses: Array.from({ length: 1_001 }, () => addresses[0]) }],
      ['endpoint', { addresses, endpoint: 7 }],
      ['endpoint', { addresses, endpoint: null }],
    ] as const) {
      const reply = await post(PATH, { endpoint, ...wrong })
      assert.deepEqual([reply.status, reply.json().field], [400, field], JSON.stringify(wrong).slice(0, 80))
    }
    const deaf = await make({ events: ['payment.completed'] })
    assert.equal((await post(PATH, { endpoint: deaf.id, addresses })).status, 409)
    for (const endpoint of [deaf.id, 'whe_none']) {
      const refused = await gateway.call('watch', { endpoint, addresses }, { key })
      assert.deepEqual([refused.status, refused.json().field], [400, 'endpoint'], refused.text)
    }
    const tooMany = await post(PATH, { endpoint, addresses })
    assert.deepEqual([tooMany.status, tooMany.json().code], [403, 'limit_reached'])
    const racing = await Promise.all([
      post(PATH, { endpoint, addresses: addresses.slice(0, 2) }),
      post(PATH, { endpoint, addresses: addresses.slice(2) }),
    ])
    assert.deepEqual(racing.map(({ status }) => status).sort(), [201, 403], 'two that come at once count each other')
    const page = async (query = '') => (await get(`${PATH}?limit=1${query}`)).json<Page>()
    const { watches, next_cursor: cursor } = await page()
    const next = await page(`&cursor=${cursor}`)
    assert.equal(next.next_cursor, null)
    assert.notEqual(next.watches[0]!.address, watches[0]!.address)

    const { key: foreign } = await gateway.join()
    const foreigner = readerOf(gateway, foreign)
    assert.deepEqual((await foreigner.get(PATH)).json(), { watches: [], total: 0, troubled: 0, next_cursor: null })
    const asked = async (endpoint: string) => (await foreigner.post(PATH, { endpoint, addresses: [addresses[3]] })).text
    assert.equal(await asked(endpoint), await asked('we_no'))

    const gone = await gateway.rest('DELETE', `/api${PATH}`, key, { endpoint, addresses: [watches[0]!.address] })
    row('6, Watched addresses: DELETE /api/watches', () =>
      assert.deepEqual(gone.json(), { success: true, removed: 1, watched: 1 }),
    )
    const [left, kept] = [watches, next.watches].map(([watch]) =>
      signers.find(({ address }) => address === watch!.address),
    )
    await openAccount(node, payer, nano(10))
    await pay(payer, left!, nano(1))
    const hash = await pay(payer, kept!, nano(1))
    const heard = (await untilReported(endpoint, 1)).map((told) => told.hash)
    assert.deepEqual(heard, [hash], 'a filter by metadata does not hide what is meant for the endpoint')
    await gateway.rest('DELETE', `/api/webhook-endpoints/${endpoint}`, key)
    const { db } = gateway.app.store
    const listWatches = () => db.selectFrom('address_watches').select('address').execute()
    await turnUntil(world, 1_000, async () => (await listWatches()).length === 0)
  })
})
