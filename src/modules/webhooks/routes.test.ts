import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openOutbound } from '../../infra/http/outbound.ts'
import { openSecretBox } from '../../infra/secrets/secret-key.ts'
import type { StoreEngine } from '../../kernel/dialect.ts'
import { type StoreCtx, inTx } from '../../kernel/in-tx.ts'
import type { SecretBox } from '../../kernel/ports.ts'
import { recordEvent } from './index.ts'
import { type NewEvent } from './domain/record-event.ts'
import { deliver, openBatches } from './domain/deliver.ts'
import { HostConcurrency } from './domain/host-concurrency.ts'
import type { WebhookContext } from './context.ts'
import { webhookRoutes } from './routes/api.ts'
import { type MountedRoutes, openRoutes } from '../../../test/support/mounted-routes.ts'
import { dumpStore, listAudit } from '../../../test/support/dump-store.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { testRandom } from '../../../test/support/random.ts'

/* Events and secrets over REST beyond what the contract says, which `test/spec/part6-routes.test.ts` covers. */

const URL_WITH_QUERY = 'https://shop.example/hook?token=hidden'

interface Shown {
  id: string
  payload: { id: string } | null
}

interface Page {
  events: Shown[]
  cursor: string
  has_more: boolean
}

/** A context whose outgoing requests reach no private network. */
function openContext(ctx: StoreCtx, secrets: SecretBox): WebhookContext {
  const outbound = openOutbound({ ...ctx, allowPrivate: false, resolve: () => Promise.resolve([]) })
  const batches = openBatches({ ...ctx, secrets, outbound, slots: new HostConcurrency(), onAttempt: () => undefined })
  return {
    ...ctx,
    secrets,
    outbound,
    kinds: ['payment.completed'],
    attempt: (deliveryId) => deliver(batches, { deliveryId }),
  }
}

async function open(t: TestContext, engine: StoreEngine = 'sqlite') {
  const secrets = openSecretBox(testRandom.bytes(32), testRandom)
  const world = await openRoutes(t, { engine, routes: (ctx) => webhookRoutes(openContext(ctx, secrets)) })
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
  // Otherwise somebody who polls would miss the event of the slower transaction for ever.
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
    const newest = await record(accountId)
    await record((await world.join('b@example.com')).accountId)
    const after = (await get(`/events?limit=100&since=${seen[9]}`)).json<Page>()
    const ids = after.events.map(({ id }) => id)
    assert.deepEqual(ids, [...seen.slice(10), newest])
  })
})

test('404 for another account’s event exactly as for one that does not exist, at every endpoint', async (t) => {
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
      const [shown, sent] = [await get(`/events/${eventId}`), await post(`/events/${eventId}/redeliver`)]
      return [shown, sent, await get(`/events?since=${eventId}`)].map(({ statusCode, body }) => `${statusCode} ${body}`)
    }
    const missing = await answersFor('evt_missing')
    for (const answer of missing) assert.match(answer, /^404 /)
    assert.deepEqual(await answersFor(id), missing)
    assert.deepEqual(await answersFor(keyless), missing)
    assert.deepEqual((await get('/events')).json<Page>().events, [])
  }
  const { idempotency: _, ...after } = await dumpStore(world.store.db)
  const { idempotency: __, ...untouched } = before
  assert.deepEqual(after, untouched)
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

test('a changed secret, also by a repeated request, is encrypted in the store, and the change is in the audit', async (t) => {
  const { world, ctx } = await open(t)
  const { accountId, key } = await world.join('a@example.com')
  const rotate = async (headers = {}) =>
    (await callerOf(world, key).post('/webhooks/secret/rotate', {}, headers)).json<{ webhook_secret: string }>()
  const once = { 'idempotency-key': 'rotate' }
  const secrets = [await rotate(), await rotate(once), await rotate(once)].map((reply) => reply.webhook_secret)
  const stored = Object.values(await dumpStore(world.store.db)).join()
  for (const secret of secrets) assert.ok(!stored.includes(secret), 'also answers of repeated requests are sealed')
  const told = (await listAudit(ctx.db, accountId)).filter((what) => what.startsWith('webhook'))
  assert.deepEqual(told, ['webhook-secret.rotated', 'webhook-secret.rotated'])
})
