import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openOutbound } from '../../infra/http/outbound.ts'
import { systemRandom } from '../../infra/random.ts'
import { openSecretBox } from '../../infra/secrets/secret-box.ts'
import type { StoreEngine } from '../../kernel/dialect.ts'
import { type StoreCtx, inTx } from '../../kernel/in-tx.ts'
import type { SecretBox } from '../../kernel/ports.ts'
import { issueKey } from '../accounts/index.ts'
import { recordEvent } from './index.ts'
import { type NewEvent } from './domain/record-event.ts'
import { accountSecret } from './domain/account-secret.ts'
import { deliver, openBatches } from './domain/deliver.ts'
import { HostConcurrency } from './domain/host-concurrency.ts'
import type { WebhookRoom } from './room.ts'
import { webhookRoutes } from './routes/api.ts'
import { type MountedRoutes, openRoutes } from '../../../test/support/mounted-routes.ts'
import { dumpStore, listAudit } from '../../../test/support/dump-store.ts'
import { forEachEngine } from '../../../test/support/engines.ts'

/* Events, deliveries and secrets over REST: each account sees its own (contract 6). */

const HOUR = 3_600_000
const URL_WITH_QUERY = 'https://shop.example/hook?token=hidden'

interface Shown {
  id: string
  type: string
  subject: string
  delivered: boolean
  url: string | null
  payload: { id: string } | null
  deliveries?: ShownDelivery[]
}

interface ShownDelivery {
  id: string
  cause: string
  state: string
  attempts: unknown[]
}

interface Page {
  events: Shown[]
  cursor: string
  has_more: boolean
}

/** A room whose way out leads nowhere that is private. */
function openRoom(ctx: StoreCtx, secrets: SecretBox): WebhookRoom {
  const outbound = openOutbound({ ...ctx, allowPrivate: false, resolve: () => Promise.resolve([]) })
  const batches = openBatches({ ...ctx, secrets, outbound, slots: new HostConcurrency(), onAttempt: () => undefined })
  return { ...ctx, secrets, outbound, kinds: ['payment.completed'], attempt: (id) => deliver(batches, id) }
}

async function open(t: TestContext, engine: StoreEngine = 'sqlite') {
  const secrets = openSecretBox(systemRandom.bytes(32), systemRandom)
  const world = await openRoutes(t, {
    engine,
    routes: (ctx) => webhookRoutes(openRoom(ctx, secrets)),
  })
  const ctx = { ...world.ctx, secrets }
  const record = async (accountId: string, event: Partial<NewEvent> = {}) => {
    const id = event.id ?? ctx.ids.next('evt')
    const usual = { subject: 'aa', type: 'payment.completed', dedupeKey: id, url: URL_WITH_QUERY, secret: null }
    await inTx(ctx, (tx) => recordEvent(tx, { accountId, body: JSON.stringify({ id }), ...usual, ...event, id }))
    return id
  }
  return { world, ctx, record }
}

const callerOf = (world: MountedRoutes, key: string) => ({
  get: (path: string) => world.ask('GET', `/api${path}`, { headers: { key } }),
  post: (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    world.ask('POST', `/api${path}`, { headers: { key, ...headers }, body }),
})

forEachEngine((engine) => {
  test('200 the feed lists own events in order, page by page, and goes on where it stopped (contract 6, Routes: GET /api/events; 6, rule 11)', async (t) => {
    const { world, record } = await open(t, engine)
    const { accountId, key } = await world.join('a@example.com')
    const other = await world.join('b@example.com')
    const ids: string[] = []
    for (let count = 0; count < 5; count++) {
      ids.push(await record(accountId))
      await record(other.accountId)
    }
    const { get } = callerOf(world, key)
    const seen: string[] = []
    let since = ''
    for (let pages = 0; pages < 3; pages++) {
      const page = (await get(`/events?limit=2&since=${since}`)).json<Page>()
      seen.push(...page.events.map(({ id }) => id))
      assert.equal(page.has_more, pages < 2)
      since = page.cursor
    }
    assert.deepEqual(seen, ids)
    const nothing = (await get(`/events?since=${since}`)).json<Page>()
    assert.deepEqual(nothing, { events: [], cursor: since, has_more: false })
    const newest = await record(accountId)
    const next = (await get(`/events?since=${since}`)).json<Page>()
    assert.deepEqual(
      next.events.map(({ id }) => id),
      [newest],
    )
    const after = (await get(`/events?since=${ids[2]}`)).json<Page>()
    assert.deepEqual(
      after.events.map(({ id }) => id),
      [...ids.slice(3), newest],
    )
  })

  // Otherwise whoever polls would lose the event of the slower transaction for ever.
  test('the feed never overtakes an event that is still being written', async (t) => {
    const { world, ctx, record } = await open(t, engine)
    const { accountId, key } = await world.join('a@example.com')
    const seen: string[] = []
    let since = ''
    const written = new AbortController()
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let round = 0; round < 8; round++) {
        const id = `evt_w${writer}r${round}`
        await inTx(ctx, async (tx) => {
          const usual = { subject: 'aa', type: 't', dedupeKey: id, body: '{}', url: null, secret: null }
          await recordEvent(tx, { id, accountId, ...usual })
          if (engine === 'postgres')
            await tx.db.selectNoFrom(({ fn, val }) => fn('pg_sleep', [val(0.005 * writer)]).as('s')).execute()
        })
      }
    })
    const all = Promise.all(writers).finally(() => written.abort())
    const { get } = callerOf(world, key)
    const read = async () => {
      const page = (await get(`/events?limit=3&since=${since}`)).json<Page>()
      seen.push(...page.events.map(({ id }) => id))
      since = page.cursor
      return page.events.length
    }
    while (!written.signal.aborted) await read()
    await all
    while ((await read()) > 0);
    assert.equal(seen.length, 32)
    assert.equal(new Set(seen).size, 32)
    assert.ok(await record(accountId))
  })
})

test('200 since a time, and by whether it was delivered', async (t) => {
  const { world, ctx, record } = await open(t)
  const { accountId, key } = await world.join('a@example.com')
  const { get } = callerOf(world, key)
  const idsOf = async (query: string) => (await get(`/events?${query}`)).json<Page>().events.map(({ id }) => id)
  const old = await record(accountId)
  world.clock.advance(HOUR)
  const noon = Math.floor(world.clock.now() / 1000)
  const empty = (await get(`/events?since=${noon}`)).json<Page>()
  assert.deepEqual(empty.events, [])
  const fresh = await record(accountId)
  assert.deepEqual(await idsOf(`since=${noon}`), [fresh])
  assert.deepEqual(await idsOf(`since=${empty.cursor}`), [fresh], 'an empty page goes on from its time')
  assert.deepEqual(await idsOf('since=0'), [old, fresh])
  await ctx.db.updateTable('events').set({ delivered_at: 1 }).where('id', '=', old).execute()
  assert.deepEqual(await idsOf('delivered=false'), [fresh])
  assert.deepEqual(await idsOf('delivered=true'), [old])
  assert.deepEqual(await idsOf('delivered='), [old, fresh])
})

test('400 what cannot be read, by the name of its field', async (t) => {
  const { world } = await open(t)
  const { key } = await world.join('a@example.com')
  const { get } = callerOf(world, key)
  const wrong = { since: ['yesterday', '-1', 'pos_x', 'evt_'], delivered: ['maybe'], limit: ['0', '101', '1.5', 'x'] }
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) {
      const reply = await get(`/events?${field}=${value}`)
      const { code, field: named } = reply.json<Record<string, string>>()
      assert.deepEqual([reply.statusCode, code, named], [400, 'invalid_request', field], `${field}=${value}`)
    }
  }
})

test('200 one event with its deliveries, without secret and without the query of its address', async (t) => {
  const { world, record } = await open(t)
  const { accountId, key } = await world.join('a@example.com')
  const id = await record(accountId, { secret: 'my shop secret 42' })
  const reply = await callerOf(world, key).get(`/events/${id}`)
  const { event } = reply.json<{ event: Shown }>()
  assert.deepEqual([event.id, event.type, event.subject, event.delivered], [id, 'payment.completed', 'aa', false])
  assert.deepEqual([event.url, event.payload], ['https://shop.example/hook', { id }])
  assert.deepEqual([event.deliveries![0]!.state, event.deliveries![0]!.attempts], ['queued', []])
  for (const hidden of ['my shop secret', 'token=', 'hidden', 'sealed']) assert.ok(!reply.body.includes(hidden), hidden)
})

test('404 for another account’s event exactly as for one that does not exist, at every door', async (t) => {
  const { world, record } = await open(t)
  const { accountId } = await world.join('owner@example.com')
  const stranger = await world.join('stranger@example.com')
  const administrator = await world.join('boss@example.com', 'admin')
  const id = await record(accountId)
  const keyless = await record('', { accountId: null, secret: 'my shop secret 42' })
  const before = await dumpStore(world.store.db)
  for (const { key } of [stranger, administrator]) {
    const { get, post } = callerOf(world, key)
    const answersFor = async (eventId: string) => {
      const replies = [
        await get(`/events/${eventId}`),
        await post(`/events/${eventId}/redeliver`),
        await get(`/events?since=${eventId}`),
      ]
      return replies.map(({ statusCode, body }) => `${statusCode} ${body}`)
    }
    const missing = await answersFor('evt_missing')
    assert.ok(
      missing.every((answer) => answer.startsWith('404 ')),
      missing.join('\n'),
    )
    assert.deepEqual(await answersFor(id), missing)
    assert.deepEqual(await answersFor(keyless), missing)
    assert.deepEqual((await get('/events')).json<Page>().events, [])
  }
  const { idempotency: _, ...after } = await dumpStore(world.store.db)
  const { idempotency: __, ...untouched } = before
  assert.deepEqual(after, untouched)
})

test('401 without a credential, 403 with a public key, at every door', async (t) => {
  const { world, ctx } = await open(t)
  const { accountId } = await world.join('a@example.com')
  const origins = ['https://shop.example']
  const issued = await issueKey(ctx, { accountId, kind: 'public', name: 'p', origins, actor: 'test' })
  const publicKey = { key: issued.text, origin: origins[0]! }
  const doors = [
    ['GET', '/events'],
    ['GET', '/events/evt_1'],
    ['POST', '/events/evt_1/redeliver'],
    ['GET', '/webhooks/secret'],
    ['POST', '/webhooks/secret/rotate'],
    ['POST', '/webhooks/ping'],
  ] as const
  for (const [method, path] of doors) {
    assert.equal((await world.ask(method, `/api${path}`)).statusCode, 401, path)
    assert.equal((await world.ask(method, `/api${path}`, { headers: publicKey })).statusCode, 403, path)
  }
})

test('201 a redelivery of what has ended is a new delivery; what still waits is tried now instead (contract 6, Routes: POST /api/events/:id/redeliver; 6, rule 11)', async (t) => {
  const { world, ctx, record } = await open(t)
  const { accountId, key } = await world.join('a@example.com')
  const { post, get } = callerOf(world, key)
  const id = await record(accountId)
  const deliveries = ctx.db.updateTable('deliveries')
  await deliveries.set({ state: 'retrying', next_at: world.clock.now() + 6 * HOUR, attempts: 7 }).execute()
  const hastened = await post(`/events/${id}/redeliver`)
  assert.equal(hastened.statusCode, 201)
  const { delivery } = hastened.json<{ delivery: ShownDelivery & { next_at: string } }>()
  assert.deepEqual([delivery.cause, delivery.next_at], ['event', new Date(world.clock.now()).toISOString()])
  await deliveries.set({ state: 'dead', next_at: null }).execute()
  const again = await post(`/events/${id}/redeliver`)
  assert.deepEqual([again.statusCode, again.json<{ delivery: ShownDelivery }>().delivery.cause], [201, 'redelivery'])
  const { event } = (await get(`/events/${id}`)).json<{ event: Shown }>()
  assert.deepEqual(event.deliveries!.map(({ state, cause }) => [state, cause]).sort(), [
    ['dead', 'event'],
    ['queued', 'redelivery'],
  ])
})

test('201 a redelivery with an idempotency key is made once', async (t) => {
  const { world, ctx, record } = await open(t)
  const { accountId, key } = await world.join('a@example.com')
  const { post } = callerOf(world, key)
  const id = await record(accountId)
  const other = await record(accountId)
  await ctx.db.updateTable('deliveries').set({ state: 'dead', next_at: null }).execute()
  const once = { 'idempotency-key': 'again' }
  const [first, second] = [
    await post(`/events/${id}/redeliver`, {}, once),
    await post(`/events/${id}/redeliver`, {}, once),
  ]
  assert.equal(first.body, second.body)
  assert.deepEqual([second.statusCode, second.headers['idempotent-replayed']], [201, 'true'])
  assert.equal((await post(`/events/${other}/redeliver`, {}, once)).statusCode, 409)
  const rows = await ctx.db.selectFrom('deliveries').selectAll().where('event_id', '=', id).execute()
  assert.equal(rows.length, 2)
})

test('409 an event without an address, and one whose body is no longer kept, cannot be sent', async (t) => {
  const { world, ctx, record } = await open(t)
  const { accountId, key } = await world.join('a@example.com')
  const { post, get } = callerOf(world, key)
  const pulled = await record(accountId, { url: null })
  assert.equal((await post(`/events/${pulled}/redeliver`)).statusCode, 409)
  const old = await record(accountId)
  await ctx.db.updateTable('events').set({ body: null }).execute()
  assert.equal((await post(`/events/${old}/redeliver`)).statusCode, 409)
  assert.equal((await get(`/events/${old}`)).json<{ event: Shown }>().event.payload, null)
})

test('a secret is shown when it is made and never again; the old one signs along for a day (contract 6, Routes: GET /api/webhooks/secret, POST /api/webhooks/secret/rotate)', async (t) => {
  const { world, ctx } = await open(t)
  const { accountId, key } = await world.join('a@example.com')
  const { get, post } = callerOf(world, key)
  assert.deepEqual((await get('/webhooks/secret')).json(), { secret: null })
  const first = await post('/webhooks/secret/rotate')
  const { webhook_secret: old } = first.json<{ webhook_secret: string }>()
  assert.equal(first.statusCode, 201)
  assert.match(old, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal((await accountSecret(ctx, accountId)).previous, undefined)
  world.clock.advance(HOUR)
  const once = { 'idempotency-key': 'rotate' }
  const second = await post('/webhooks/secret/rotate', {}, once)
  const { webhook_secret: fresh } = second.json<{ webhook_secret: string }>()
  const replayed = await post('/webhooks/secret/rotate', {}, once)
  assert.equal(replayed.body, second.body)
  const { current, previous } = await accountSecret(ctx, accountId)
  assert.deepEqual([current, previous], [fresh, old])
  const shown = await get('/webhooks/secret')
  assert.deepEqual(shown.json(), {
    secret: {
      last4: fresh.slice(-4),
      created_at: new Date(world.clock.now()).toISOString(),
      previous_until: new Date(world.clock.now() + 24 * HOUR).toISOString(),
    },
  })
  world.clock.advance(24 * HOUR)
  assert.equal((await accountSecret(ctx, accountId)).previous, undefined)
  const stored = Object.values(await dumpStore(world.store.db)).join()
  for (const secret of [old, fresh]) assert.ok(!stored.includes(secret), 'also answers of repeated requests are sealed')
  assert.deepEqual(
    (await listAudit(ctx.db, accountId)).filter((what) => what.startsWith('webhook')),
    ['webhook-secret.rotated', 'webhook-secret.rotated'],
  )
})

test('201 a ping is an event like any other; 400 to an address that may not be used (contract 6, Event kinds: ping)', async (t) => {
  const { world } = await open(t)
  const { key } = await world.join('a@example.com')
  const { post } = callerOf(world, key)
  const once = { 'idempotency-key': 'ping' }
  const reply = await post('/webhooks/ping', { url: URL_WITH_QUERY }, once)
  assert.equal(reply.statusCode, 201)
  const { event } = reply.json<{ event: Shown }>()
  assert.deepEqual([event.type, event.payload!.id], ['ping', event.id])
  const [delivery] = event.deliveries!
  assert.deepEqual([delivery!.cause, delivery!.state, delivery!.attempts.length], ['test', 'dead', 1])
  assert.equal((await post('/webhooks/ping', { url: URL_WITH_QUERY }, once)).body, reply.body)
  for (const [url, code, reason] of [
    ['http://127.0.0.1:8080/', 'invalid_url', 'scheme_refused'],
    ['https://169.254.169.254/latest/meta-data', 'invalid_url', 'address_refused'],
    ['https://user:password@shop.example/', 'invalid_url', 'credentials_refused'],
    ['', 'invalid_request', undefined],
    [7, 'invalid_request', undefined],
  ]) {
    const refused = await post('/webhooks/ping', { url })
    const body = refused.json<Record<string, string>>()
    assert.deepEqual([refused.statusCode, body.code, body.field, body.reason], [400, code, 'url', reason])
    assert.ok(!refused.body.includes('password@'))
  }
})
