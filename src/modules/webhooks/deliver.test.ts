import { OPERATOR } from '../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { claimJobs } from '../../infra/jobs/queue.ts'
import { inTx } from '../../kernel/in-tx.ts'
import { type Outbound } from '../../kernel/outbound.ts'
import { recordEvent } from './index.ts'
import { makeEndpoint } from './endpoints/change.ts'
import { endpoint as declared } from './endpoints/endpoint.ts'
import { readNew } from '../../kernel/resource/read.ts'
import { deliverWebhook, reviveDeliveries } from './jobs.ts'
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

/* Delivery of webhooks: at least once, always the same bytes, never unsigned (contract 6). */

forEachEngine((engine) => {
  /** A merchant's server that gets the events of each checkout, and one behind an endpoint of the account. */
  async function openBoth(t: TestContext) {
    const world = await openWebhooks(t, engine)
    const [receiver, listener] = [await openReceiver(t), await openReceiver(t)]
    await makeEndpoint(
      world.ctx,
      { accountId: ACCOUNT, actor: OPERATOR },
      readNew(declared, world.ctx, { url: listener.url }),
    )
    return { world, receiver, received: () => [receiver.requests.length, listener.requests.length] }
  }

  test('an event recorded twice, or by ten at once, is one event and one delivery, to its address and to an endpoint', async (t) => {
    const { world, receiver, received } = await openBoth(t)
    const same = { url: receiver.url, dedupeKey: 'block', secret: null }
    const event = { ...same, accountId: ACCOUNT, subject: SUBJECT, type: 'payment.completed', body: '{}' }
    const recorded = await Promise.all(
      Array.from({ length: 10 }, (_, at) => inTx(world.ctx, (tx) => recordEvent(tx, { ...event, id: `evt_${at}` }))),
    )
    assert.equal(recorded.filter(Boolean).length, 1)
    await world.settle()
    assert.deepEqual(received(), [1, 1])
    assert.equal((await world.about()).length, 1)
    // Another type, cause or subject is another event.
    await world.record({ ...same, type: 'payment.late' })
    await world.record({ ...same, dedupeKey: 'other block' })
    await world.record({ ...same, subject: 'other' })
    assert.equal((await world.about()).length, 3)
  })

  test('a transaction that is rolled back leaves no event, secret, delivery or job, and notifies no endpoint', async (t) => {
    const { world, receiver, received } = await openBoth(t)
    const before = await dumpStore(world.store.db)
    const recorded = inTx(world.ctx, async (tx) => {
      const usual = { subject: SUBJECT, type: 'payment.completed', dedupeKey: '1', body: '{}', secret: null }
      assert.ok(await recordEvent(tx, { id: 'evt_1', accountId: ACCOUNT, url: receiver.url, ...usual }))
      throw new Error('no payment after all')
    })
    await assert.rejects(recorded, /no payment after all/)
    assert.deepEqual(await dumpStore(world.store.db), before)
    await world.settle()
    assert.deepEqual(received(), [0, 0])
  })

  // A crash at the worst moment: the receiver has the event, and we do not know.
  test('a crash between sending and writing leads to the same attempt again, and counts once', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t)
    await world.runner.stop()
    await world.record({ url: receiver.url })
    const { db } = world.store
    const claim = { kind: 'webhooks.deliver', limit: 1, now: world.clock.now(), leaseMilliseconds: 60_000 }
    const [job] = await claimJobs(db, engine, claim)
    const { promise: dead, resolve: rise } = Promise.withResolvers<void>()
    let sent = false
    const post: Outbound['post'] = async (url, request) => {
      const reply = await world.ctx.outbound.post(url, request)
      sent = true
      await dead
      return reply
    }
    const dying = deliverWebhook({ ...world.ctx, outbound: { ...world.ctx.outbound, post } })
    const zombie = dying.run(job!.payload as { deliveryId: string }, new AbortController().signal)
    await until(() => sent)
    world.clock.advance(60_001)
    const next = openRunner(t, world, deliverWebhook(world.ctx))
    await next.start()
    await until(() => world.attempts.length === 1)
    const [one, other, ...others] = receiver.requests.map(({ headers, body }) => [headers['webhook-id'], body])
    assert.deepEqual([one, others], [other, []])
    rise()
    await zombie
    const { attempts } = (await world.about())[0]!.deliveries[0]!
    assert.deepEqual([attempts.length, attempts[0]!.attempt, world.attempts.length], [1, 1, 1])
  })

  test('a job that runs twice does not ask a receiver again before it is time', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t, answerWith(500))
    await world.tell({ url: receiver.url })
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

  // Without this the shop had to wait up to 25 minutes for the regular look for stuck deliveries.
  test('a shop gets its event although the clock is set back between the claim of the job and the look at the delivery', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t)
    await world.runner.stop()
    await world.record({ url: receiver.url })
    const { db } = world.store
    const claim = { kind: 'webhooks.deliver', limit: 1, now: world.clock.now(), leaseMilliseconds: 60_000 }
    const [job] = await claimJobs(db, engine, claim)
    world.clock.setBack(45_000)
    await deliverWebhook(world.ctx).run(job!.payload as { deliveryId: string }, new AbortController().signal)
    assert.equal(receiver.requests.length, 1)
    assert.equal((await world.about())[0]!.deliveries[0]!.state, 'delivered')
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
})
