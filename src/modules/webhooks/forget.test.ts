import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgetEvents } from './jobs.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { until } from '../../../test/support/until.ts'
import { answerWith, openReceiver, openWebhooks } from '../../../test/support/webhook-steps.ts'

/* Bodies are kept for 30 days, everything else for 90. */

const DAY = 86_400_000

forEachEngine((engine) => {
  test('bodies and their secrets go after 30 days, everything else after 90, and nothing that is still on its way', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t)
    const kept = { keepEventBodies: 30 * DAY, keepEvents: 90 * DAY }
    const forget = () => forgetEvents(world.ctx, kept).run({}, new AbortController().signal)
    const rows = async () => {
      const { db } = world.store
      const [event] = await db.selectFrom('events').select(['body', 'sealed_secret']).execute()
      const attempts = await db.selectFrom('delivery_attempts').select('attempt').execute()
      return { event, attempts: attempts.length }
    }
    await world.tell({ url: receiver.url, secret: 'my shop secret 42' })
    world.clock.advance(30 * DAY)
    await forget()
    const { event } = await rows()
    assert.ok(event!.body !== null && event!.sealed_secret !== null)
    world.clock.advance(1)
    await forget()
    assert.deepEqual(await rows(), { event: { body: null, sealed_secret: null }, attempts: 1 })
    world.clock.advance(60 * DAY)
    await forget()
    assert.deepEqual(await rows(), { event: undefined, attempts: 0 })

    receiver.answer = answerWith(500)
    await world.record({ url: receiver.url })
    await until(() => world.attempts.length === 2)
    await world.runner.stop()
    world.clock.advance(100 * DAY)
    await forget()
    assert.notEqual((await world.about())[0]!.body, null)
  })
})
