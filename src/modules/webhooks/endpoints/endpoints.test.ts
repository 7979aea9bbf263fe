import { OPERATOR } from '../../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../kernel/shape.ts'
import { createAccount } from '../../accounts/index.ts'
import { ping } from '../domain/ping.ts'
import { redeliver } from '../domain/redeliver.ts'
import { deliverToEndpoint, replayEvents } from '../jobs.ts'
import { countUndelivered } from '../deliveries-store.ts'
import { verifyWebhook } from '../../../client/webhook.ts'
import { dumpStore, listAudit } from '../../../../test/support/dump-store.ts'
import { forEachEngine } from '../../../../test/support/engines.ts'
import { until } from '../../../../test/support/until.ts'
import {
  ACCOUNT,
  type Receiver,
  type Webhooks,
  answerWith,
  openReceiver,
  openRunner,
  openWebhooks,
} from '../../../../test/support/webhook-steps.ts'
import { changeEndpoint, makeEndpoint, removeEndpoint } from './change.ts'
import { endpoint as declared, endpoints } from './endpoint.ts'
import { readNew } from '../../../kernel/resource/read.ts'
import { beginReplay, getReplay } from './replay.ts'
import { rotateEndpointSecret } from './secret.ts'

/*
 * Endpoints of an account: each gets every event that it subscribes to, in addition to the address of the checkout
 * (contract 6).
 */

const DAY = 86_400_000

interface Asked {
  events?: string[]
  metadata?: JsonObject
  accountId?: string
}

const own = (id: string, accountId = ACCOUNT) => ({ id, accountId, actor: OPERATOR })

let hosts = 0

/** Each endpoint has its own host, because only few simultaneous requests go to one host. */
async function listen(world: Webhooks, receiver: Pick<Receiver, 'url'>, asked: Asked = {}) {
  const { events = ['*'], metadata, accountId = ACCOUNT } = asked
  const url = receiver.url.replace('127.0.0.1', `host-${++hosts}.example`)
  const terms = readNew(declared, world.ctx, { url, events, ...(metadata && { filter: { metadata } }) })
  return makeEndpoint(world.ctx, { accountId, actor: OPERATOR }, terms)
}

const receivedBy = ({ requests }: Receiver) => requests.map(({ headers }) => headers['webhook-id'] as string)

/** Advances the clock only while nothing is running, because requests and claims are timed by it. */
async function toTheEnd(world: Webhooks, endpointId: string, replayId: string): Promise<void> {
  const { db } = world.ctx
  const isIdle = async () => {
    world.runner.wake()
    const due = db.selectFrom('jobs').select('id').where('run_at', '<=', world.clock.now())
    return (await due.where('status', 'in', ['ready', 'running']).execute()).length === 0
  }
  for (;;) {
    await until(isIdle)
    const isDone = (await getReplay(world.ctx, own(endpointId), replayId)).state === 'done'
    if (isDone && (await world.countPutOff()) === 0) return
    world.clock.advance(1_000)
  }
}

forEachEngine((engine) => {
  test('an event goes to its own address and to each endpoint that asks for it, each signed with its own secret', async (t) => {
    const world = await openWebhooks(t, engine)
    const [shop, all, refunds, filtered, others] = await Promise.all(Array.from({ length: 5 }, () => openReceiver(t)))
    const { secret } = await listen(world, all!)
    await listen(world, refunds!, { events: ['refund.sent'] })
    await listen(world, filtered!, { metadata: { shop: 7 } })
    await listen(world, others!, { accountId: 'acc_bob' })
    const first = await world.record({ url: shop!.url, secret: 'shop secret' })
    const second = await world.record({ metadata: { shop: '7', order: 'x' } })
    const third = await world.record({ type: 'refund.sent', metadata: { shop: '8' } })
    await world.settle()
    assert.deepEqual(receivedBy(shop!), [first])
    assert.deepEqual(receivedBy(all!).sort(), [first, second, third].sort())
    assert.deepEqual(receivedBy(refunds!), [third])
    assert.deepEqual(receivedBy(filtered!), [second])
    assert.deepEqual(others!.requests, [], 'another account hears nothing')
    for (const { body, headers } of all!.requests) {
      const nowSeconds = Math.floor(world.clock.now() / 1000)
      assert.equal(verifyWebhook(body, headers, secret, { nowSeconds }).id, headers['webhook-id'])
    }
    const [event] = await world.about()
    assert.equal(event!.deliveries.length, 2)
    assert.equal(event!.deliveredAt, world.clock.now())
  })

  test('the twenty-first endpoint is refused, however many are made at once, and a deleted one no longer counts', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t)
    const made = await Promise.allSettled(Array.from({ length: 25 }, () => listen(world, receiver)))
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 20)
    const refused = made.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []))
    assert.deepEqual([refused.length, ...new Set(refused)], [5, 'limit_reached'])
    const [first] = await endpoints.listAll(world.ctx.db, ACCOUNT)
    const removed = await Promise.allSettled([1, 2, 3].map(() => removeEndpoint(world.ctx, own(first!.id))))
    assert.equal(removed.filter(({ status }) => status === 'fulfilled').length, 1)
    await listen(world, receiver)
    await assert.rejects(listen(world, receiver), { code: 'limit_reached' })
    await world.tell({})
    assert.equal(receiver.requests.length, 20, 'twenty endpoints are told of one event')
  })

  test('for 24 hours after a rotation both secrets verify, then the new one alone; none lies readable in the store', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t)
    const { endpoint, secret: old } = await listen(world, receiver)
    const { secret: fresh } = await rotateEndpointSecret(world.ctx, own(endpoint.id))
    const verifies = async (secret: string) => {
      await world.tell({})
      const { body, headers } = receiver.requests.at(-1)!
      try {
        verifyWebhook(body, headers, secret, { nowSeconds: Math.floor(world.clock.now() / 1000) })
        return true
      } catch {
        return false
      }
    }
    assert.deepEqual([await verifies(old), await verifies(fresh)], [true, true])
    world.clock.advance(DAY)
    assert.deepEqual([await verifies(old), await verifies(fresh)], [false, true])
    const dump = Object.values(await dumpStore(world.store.db)).join('\n')
    for (const secret of [old, fresh]) assert.ok(!dump.includes(secret))
    await assert.rejects(rotateEndpointSecret(world.ctx, own(endpoint.id, 'acc_bob')), { code: 'not_found' })
  })

  test('nothing that happens is lost while one endpoint is down: it is retried, and the others have it at once', async (t) => {
    const world = await openWebhooks(t, engine)
    const down = await openReceiver(t, answerWith(500))
    const up = await openReceiver(t)
    await listen(world, down)
    await listen(world, up)
    const id = await world.tell({})
    assert.deepEqual([receivedBy(up), receivedBy(down)], [[id], [id]])
    assert.equal((await world.about())[0]!.deliveredAt, null, 'one of its receivers has not taken it')
    down.answer = answerWith(204)
    await world.toNextAttempt()
    assert.deepEqual(receivedBy(down), [id, id])
    assert.equal(receivedBy(up).length, 1)
    assert.equal((await world.about())[0]!.deliveredAt, world.clock.now())
  })

  test('an endpoint that fails for five days is disabled once, with a mail and a line of activity', async (t) => {
    const world = await openWebhooks(t, engine)
    const account = await createAccount(world.ctx, { email: 'a@example.com', role: 'user', actor: OPERATOR })
    const receiver = await openReceiver(t, answerWith(500))
    const { endpoint } = await listen(world, { url: `${receiver.url}?token=hidden` }, { accountId: account.id })
    const standing = async () => (await endpoints.find(world.ctx.db, endpoint.id))!
    await world.tell({ accountId: account.id })
    world.clock.advance(5 * DAY - 1)
    await world.tell({ accountId: account.id })
    assert.equal((await standing()).isEnabled, true, 'not before five days are over')
    world.clock.advance(1)
    await Promise.all([1, 2, 3].map(() => world.record({ accountId: account.id })))
    await world.settle()
    assert.deepEqual([(await standing()).isEnabled, (await standing()).disabledReason], [false, 'failing'])
    const mails = await world.ctx.db.selectFrom('jobs').select('payload').where('kind', '=', 'mail.send').execute()
    assert.equal(mails.length, 1)
    assert.match(mails[0]!.payload, /a@example\.com/)
    assert.doesNotMatch(mails[0]!.payload, /hidden/)
    const lines = (await listAudit(world.ctx.db, account.id)).filter((what) => what === 'endpoint.disabled')
    assert.equal(lines.length, 1)
    const sent = receiver.requests.length
    await world.tell({ accountId: account.id })
    assert.equal(receiver.requests.length, sent, 'it gets nothing more')
    await changeEndpoint(world.ctx, own(endpoint.id, account.id), () => ({ isEnabled: true }))
    assert.deepEqual([(await standing()).failingSince, (await standing()).disabledReason], [null, null])
  })

  test('an endpoint that answers once in five days stays enabled, and one that is gone is disabled at once', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t, answerWith(500))
    const { endpoint } = await listen(world, receiver)
    await world.tell({})
    world.clock.advance(3 * DAY)
    receiver.answer = answerWith(200)
    await world.tell({})
    receiver.answer = answerWith(500)
    world.clock.advance(3 * DAY)
    await world.tell({})
    assert.equal((await endpoints.find(world.ctx.db, endpoint.id))!.isEnabled, true)
    receiver.answer = answerWith(410)
    await world.tell({})
    assert.equal((await endpoints.find(world.ctx.db, endpoint.id))!.disabledReason, 'gone')
  })

  test('what was missed while an endpoint was paused is replayed in order, once, also by two instances', async (t) => {
    const world = await openWebhooks(t, engine)
    const [receiver, other] = [await openReceiver(t), await openReceiver(t)]
    const { endpoint } = await listen(world, receiver, { metadata: { shop: 'a' } })
    const taken = await world.tell({ metadata: { shop: 'a' }, body: '{"metadata":{"shop":"a"}}' })
    await changeEndpoint(world.ctx, own(endpoint.id), () => ({ isEnabled: false }))
    const from = world.clock.now()
    const missed: string[] = []
    for (let count = 0; count < 110; count++) {
      const shop = count % 2 === 0 ? 'a' : 'b'
      // What was sent to another address is still missing here.
      const url = count === 0 ? other.url : null
      const id = await world.record({ body: JSON.stringify({ metadata: { shop } }), metadata: { shop }, url })
      if (shop === 'a') missed.push(id)
    }
    await world.settle()
    assert.deepEqual([receivedBy(receiver), receivedBy(other)], [[taken], missed.slice(0, 1)])
    const asked = { from, to: undefined, events: undefined, missedOnly: true }
    await assert.rejects(beginReplay(world.ctx, own(endpoint.id), asked), { code: 'conflict' })
    await changeEndpoint(world.ctx, own(endpoint.id), () => ({ isEnabled: true }))
    const another = await world.openAnother()
    const second = { ...world.ctx, ...another.ctx }
    await openRunner(t, another, deliverToEndpoint(second), replayEvents(second)).start()
    const replay = await beginReplay(world.ctx, own(endpoint.id), asked)
    await assert.rejects(beginReplay(world.ctx, own(endpoint.id), asked), { code: 'conflict' })
    await toTheEnd(world, endpoint.id, replay.id)
    assert.deepEqual(receivedBy(receiver).slice(1).sort(), missed.sort())
    assert.equal((await getReplay(world.ctx, own(endpoint.id), replay.id)).queued, 55)
    const again = await beginReplay(world.ctx, own(endpoint.id), asked)
    await toTheEnd(world, endpoint.id, again.id)
    assert.equal((await getReplay(world.ctx, own(endpoint.id), again.id)).queued, 0, 'nothing is missed any more')
  })

  test('pending deliveries to a deleted endpoint stop, and those to others do not', async (t) => {
    const world = await openWebhooks(t, engine)
    const [receiver, other, shop] = await Promise.all([1, 2, 3].map(() => openReceiver(t, answerWith(500))))
    const { endpoint } = await listen(world, receiver!)
    await listen(world, other!)
    await world.tell({ url: shop!.url })
    await assert.rejects(removeEndpoint(world.ctx, own(endpoint.id, 'acc_bob')), { code: 'not_found' })
    await removeEndpoint(world.ctx, own(endpoint.id))
    world.clock.advance(60_000)
    await world.settle()
    assert.deepEqual(
      [receiver, other, shop].map((each) => each!.requests.length),
      [1, 2, 2],
    )
    const { deliveries } = (await world.about())[0]!
    assert.deepEqual(deliveries.map(({ state }) => state).sort(), ['dead', 'retrying', 'retrying'])
  })
})

test('a test event shows its answer at once, goes to that endpoint alone, and raises no alarm', async (t) => {
  const world = await openWebhooks(t)
  const receiver = await openReceiver(t, answerWith(500, {}, 'no'))
  const other = await openReceiver(t)
  const { endpoint } = await listen(world, receiver)
  await listen(world, other)
  await changeEndpoint(world.ctx, own(endpoint.id), () => ({ isEnabled: false }))
  const event = await ping(world.ctx, { accountId: ACCOUNT, to: { endpointId: endpoint.id } })
  const { state, attempts } = event.deliveries[0]!
  assert.deepEqual([state, attempts[0]!.status, attempts[0]!.response], ['dead', 500, 'no'])
  assert.equal((JSON.parse(attempts[0]!.headers!) as JsonObject)['webhook-id'], event.id)
  assert.deepEqual(other.requests, [])
  assert.deepEqual(await countUndelivered(world.ctx.db), [])
  assert.deepEqual([world.attempts.length, world.attempts[0]!.outcome], [1, 'test_failed'])
  assert.equal((await endpoints.find(world.ctx.db, endpoint.id))!.failingSince, null)
  world.clock.advance(60_000)
  await world.settle()
  assert.equal(receiver.requests.length, 1, 'it is sent once')
  const byAnother = ping(world.ctx, { accountId: 'acc_bob', to: { endpointId: endpoint.id } })
  await assert.rejects(byAnother, { code: 'not_found' })
})

test('an event is sent again to all of its receivers, or to one endpoint', async (t) => {
  const world = await openWebhooks(t)
  const [shop, one, another] = await Promise.all([1, 2, 3].map(() => openReceiver(t)))
  const counts = () => [shop, one, another].map((each) => each!.requests.length)
  const { endpoint } = await listen(world, one!)
  const { endpoint: gone } = await listen(world, another!)
  const id = await world.tell({ url: shop!.url })
  await removeEndpoint(world.ctx, own(gone.id))
  await redeliver(world.ctx, { accountId: ACCOUNT, eventIds: [id], idempotency: undefined })
  await world.settle()
  assert.deepEqual(counts(), [2, 2, 1])
  const only = { accountId: ACCOUNT, eventIds: [id], endpointId: endpoint.id, idempotency: undefined }
  await redeliver(world.ctx, only)
  await world.settle()
  assert.deepEqual(counts(), [2, 3, 1])
  await assert.rejects(redeliver(world.ctx, { ...only, endpointId: gone.id }), { code: 'not_found' })
})

test('an account whose hosts are all slow delays no other', async (t) => {
  const world = await openWebhooks(t)
  const held: (() => void)[] = []
  const slow = await openReceiver(t, (response) => void held.push(() => response.writeHead(200).end()))
  const shop = await openReceiver(t)
  for (let count = 0; count < 10; count++) await listen(world, slow)
  for (let count = 0; count < 4; count++) await world.record({})
  await until(async () => held.length === 32 && (await world.countPutOff()) === 40 - 32)
  await listen(world, shop, { accountId: 'acc_bob' })
  const id = await world.record({ accountId: 'acc_bob' })
  await until(() => shop.requests.length === 1)
  assert.deepEqual([receivedBy(shop), held.length], [[id], 32])
  slow.answer = answerWith(200)
  for (const answer of held) answer()
  await until(() => world.attempts.length === 33)
  while (world.attempts.length < 41) await world.toNextAttempt()
})
