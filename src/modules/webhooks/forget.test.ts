import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgetEvents } from './jobs.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { answerWith, openReceiver, openWebhooks } from '../../../test/support/webhook-steps.ts'

/* How long things are kept: bodies for 30 days, everything else for 90. */

const DAY = 86_400_000
const KEPT = { keepEventBodies: 30 * DAY, keepEvents: 90 * DAY }

forEachEngine((engine) => {
  test('bodies and their secrets go after 30 days, everything else after 90', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t)
    const forget = () => forgetEvents(world.ctx, KEPT).run({}, new AbortController().signal)
    const rows = async () => {
      const { db } = world.store
      const [event] = await db.selectFrom('events').select(['body', 'sealed_secret']).execute()
      const attempts = await db.selectFrom('delivery_attempts').select('attempt').execute()
      return { event, attempts: attempts.length }
    }
    await world.record({ url: receiver.url, secret: 'my shop secret 42' })
    await world.settle()
    world.clock.advance(30 * DAY)
    await forget()
    const kept = await rows()
    assert.ok(kept.event!.body !== null && kept.event!.sealed_secret !== null)
    world.clock.advance(1)
    await forget()
    assert.deepEqual(await rows(), { event: { body: null, sealed_secret: null }, attempts: 1 })
    world.clock.advance(60 * DAY)
    await forget()
    assert.deepEqual(await rows(), { event: undefined, attempts: 0 })
  })

  test('what is still on its way is not forgotten', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t, answerWith(500))
    await world.record({ url: receiver.url })
    await world.settle()
    await world.runner.stop()
    world.clock.advance(100 * DAY)
    await forgetEvents(world.ctx, KEPT).run({}, new AbortController().signal)
    assert.notEqual((await world.about())[0]!.body, null)
  })
})
