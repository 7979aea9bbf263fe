import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimJobs } from '../../infra/jobs/queue.ts'
import { inTx } from '../../kernel/in-tx.ts'
import { recordEvent } from './index.ts'
import { deliverWebhook, reviveDeliveries } from './jobs.ts'
import { signBody } from './domain/sign-body.ts'
import { dumpStore } from '../../../test/support/dump-store.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { until } from '../../../test/support/until.ts'
import {
  ACCOUNT,
  SUBJECT,
  answerWith,
  openReceiver,
  openRunner,
  openWebhooks,
} from '../../../test/support/webhook-steps.ts'

/* Webhooks on their way: at least once, the same bytes every time, never unsigned (contract 6). */

const SECRET = 'my shop secret 42'

forEachEngine((engine) => {
  test('an event arrives signed, with its id, and is delivered by a 2xx (contract 6, rules 1 and 8)', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t, answerWith(204))
    const id = await world.record({ url: `${receiver.url}?token=a%20b`, secret: SECRET })
    await world.settle()
    const [received] = receiver.requests
    assert.equal(receiver.requests.length, 1)
    const { url, headers, body } = received!
    assert.equal(url, '/hook?token=a%20b')
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(headers['user-agent'], 'nano-gateway-webhooks/1')
    const timestamp = Math.floor(world.clock.now() / 1000)
    const expected = signBody({ id, timestamp, body, secrets: [SECRET] })
    for (const [name, value] of Object.entries(expected)) assert.equal(headers[name.toLowerCase()], value, name)
    const [event] = await world.about()
    assert.equal(body, event!.body)
    assert.equal(event!.deliveredAt, world.clock.now())
    assert.equal(event!.url, receiver.url, 'the query, which may hold a secret, is not shown')
    const [delivery] = event!.deliveries
    assert.deepEqual([delivery!.state, delivery!.cause, delivery!.nextAt], ['delivered', 'event', null])
    assert.deepEqual(
      delivery!.attempts.map(({ attempt, status, error }) => [attempt, status, error]),
      [[1, 204, null]],
    )
    assert.deepEqual(
      world.attempts.map(({ outcome }) => outcome),
      ['delivered'],
    )
  })

  test('an event recorded twice, or by ten at once, is one event and one delivery', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t)
    const same = { url: receiver.url, dedupeKey: 'block', secret: null }
    const event = { ...same, accountId: ACCOUNT, subject: SUBJECT, type: 'payment.completed', body: '{}' }
    const recorded = await Promise.all(
      Array.from({ length: 10 }, (_, at) => inTx(world.ctx, (tx) => recordEvent(tx, { ...event, id: `evt_${at}` }))),
    )
    assert.equal(recorded.filter(Boolean).length, 1)
    await world.settle()
    assert.equal(receiver.requests.length, 1)
    assert.equal((await world.about()).length, 1)
    // Another kind, another cause or another subject is another event.
    await world.record({ ...same, type: 'payment.late' })
    await world.record({ ...same, dedupeKey: 'other block' })
    await world.record({ ...same, subject: 'other' })
    assert.equal((await world.about()).length, 3)
  })

  test('a transaction that is rolled back leaves no event, no secret, no delivery and no job', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t)
    const before = await dumpStore(world.store.db)
    const recorded = inTx(world.ctx, async (tx) => {
      const usual = { subject: SUBJECT, type: 'payment.completed', dedupeKey: '1', body: '{}', secret: null }
      assert.ok(await recordEvent(tx, { id: 'evt_1', accountId: ACCOUNT, url: receiver.url, ...usual }))
      throw new Error('no payment after all')
    })
    await assert.rejects(recorded, /no payment after all/)
    assert.deepEqual(await dumpStore(world.store.db), before)
    await world.settle()
    assert.equal(receiver.requests.length, 0)
  })

  test('a receiver that fails and recovers gets the same id and bytes each time, freshly signed (contract 6, rules 3 and 6)', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t, answerWith(500, {}, 'out of order'))
    await world.record({ url: receiver.url })
    await world.settle()
    for (let failures = 1; failures < 4; failures++) await world.toNextAttempt()
    receiver.answer = answerWith(200)
    await world.toNextAttempt()
    assert.equal(receiver.requests.length, 5)
    const distinct = (values: unknown[]) => new Set(values).size
    assert.equal(distinct(receiver.requests.map(({ body }) => body)), 1)
    assert.equal(distinct(receiver.requests.map(({ headers }) => headers['webhook-id'])), 1)
    assert.equal(distinct(receiver.requests.map(({ headers }) => headers['nano-signature'])), 1)
    assert.equal(distinct(receiver.requests.map(({ headers }) => headers['webhook-timestamp'])), 5)
    assert.equal(distinct(receiver.requests.map(({ headers }) => headers['webhook-signature'])), 5)
    const [{ deliveries } = { deliveries: [] }] = await world.about()
    assert.deepEqual(
      deliveries[0]!.attempts.map(({ attempt, status, error, response }) => [attempt, status, error, response]),
      [1, 2, 3, 4]
        .map((attempt): unknown[] => [attempt, 500, 'bad_status', 'out of order'])
        .concat([[5, 200, null, '']]),
    )
    assert.equal(deliveries[0]!.state, 'delivered')
  })

  // A crash at the worst moment: the receiver has it, and we do not know.
  test('a crash between sending and writing leads to the same attempt again, and counts once', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t)
    await world.runner.stop()
    await world.record({ url: receiver.url })
    const { db } = world.store
    const [job] = await claimJobs(db, engine, {
      kind: 'webhooks.deliver',
      limit: 1,
      now: world.clock.now(),
      leaseMilliseconds: 60_000,
    })
    const { promise: dead, resolve: rise } = Promise.withResolvers<void>()
    let sent = false
    const dying = deliverWebhook({
      ...world.ctx,
      outbound: {
        ...world.ctx.outbound,
        async post(url, request) {
          const reply = await world.ctx.outbound.post(url, request)
          sent = true
          await dead
          return reply
        },
      },
    })
    const zombie = dying.run(job!.payload as { deliveryId: string }, new AbortController().signal)
    await until(() => sent)
    world.clock.advance(60_001)
    const next = openRunner(t, world, deliverWebhook(world.ctx))
    await next.start()
    await until(() => world.attempts.length === 1)
    assert.equal(receiver.requests.length, 2)
    assert.equal(receiver.requests[0]!.headers['webhook-id'], receiver.requests[1]!.headers['webhook-id'])
    assert.equal(receiver.requests[0]!.body, receiver.requests[1]!.body)
    rise()
    await zombie
    const [event] = await world.about()
    assert.deepEqual(
      event!.deliveries[0]!.attempts.map(({ attempt }) => attempt),
      [1],
    )
    assert.equal(world.attempts.length, 1)
  })

  test('a job that runs twice does not ask a receiver again before it is time', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t, answerWith(500))
    await world.record({ url: receiver.url })
    await world.settle()
    await world.runner.stop()
    const [event] = await world.about()
    const { id: deliveryId, nextAt } = event!.deliveries[0]!
    const again = () => deliverWebhook(world.ctx).run({ deliveryId }, new AbortController().signal)
    world.clock.leap(nextAt! - world.clock.now() - 1)
    await again()
    assert.equal(receiver.requests.length, 1)
    world.clock.leap(1)
    await again()
    assert.equal(receiver.requests.length, 2)
  })

  test('a delivery whose job was lost for good is woken', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t)
    await world.runner.stop()
    await world.record({ url: receiver.url })
    await world.store.db.updateTable('jobs').set({ status: 'dead' }).execute()
    const next = openRunner(t, world, deliverWebhook(world.ctx))
    await next.start()
    const revive = reviveDeliveries(world.ctx)
    await revive.run({}, new AbortController().signal)
    assert.equal((await world.about())[0]!.deliveries[0]!.state, 'queued')
    world.clock.advance(15 * 60_000 + 1)
    await next.stop()
    for (let rounds = 0; rounds < 3; rounds++) await revive.run({}, new AbortController().signal)
    const jobs = await world.store.db.selectFrom('jobs').select('id').where('status', '=', 'ready').execute()
    assert.equal(jobs.length, 1, 'waiting long is no reason for more jobs')
    await openRunner(t, world, deliverWebhook(world.ctx)).start()
    await until(() => world.attempts.length === 1)
    assert.equal(receiver.requests.length, 1)
  })

  test('two instances deliver thirty events once each', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t)
    const another = await world.openAnother()
    const second = openRunner(t, another, deliverWebhook({ ...world.ctx, ...another.ctx }))
    await second.start()
    const urls = Array.from({ length: 30 }, (_, at) => receiver.url.replace('127.0.0.1', `shop-${at}.example`))
    const ids = await Promise.all(urls.map((url) => world.record({ url })))
    await world.settle()
    const received = receiver.requests.map(({ headers }) => headers['webhook-id'] as string)
    assert.deepEqual(received.sort(), ids.sort())
    assert.equal(world.attempts.length, 30)
  })

  test('what signs lies sealed in the store', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t)
    await world.record({ url: receiver.url, secret: SECRET })
    await world.record({ url: receiver.url })
    await world.settle()
    const dump = Object.values(await dumpStore(world.store.db)).join('\n')
    assert.ok(!dump.includes(SECRET))
    assert.ok(!dump.includes('whsec_'))
  })
})
