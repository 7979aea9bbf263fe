import { OPERATOR } from '../../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../../../test/support/engines.ts'
import {
  ACCOUNT,
  type Webhooks,
  answerWith,
  openReceiver,
  openWebhooks,
} from '../../../../test/support/webhook-steps.ts'
import { createAccount } from '../../accounts/index.ts'
import { markDelivered } from '../deliveries-store.ts'
import type { DueDelivery } from '../due-store.ts'
import { reviveStuck } from '../jobs.ts'
import { markEventsDelivered } from '../store.ts'
import { changeEndpoint, makeEndpoint, removeEndpoint } from './change.ts'
import { endpoint as declared } from './endpoint.ts'
import { readNew } from '../../../kernel/resource/read.ts'
import { REPLAY, beginReplay, getReplay, replayStep } from './replay.ts'

/* Replays always end, whatever happens, and an event counts as delivered when every endpoint has it. */

const DAY = 86_400_000
const ASKED = { from: 0, to: undefined, events: undefined, missedOnly: false }

async function listen(world: Webhooks, { url }: { url: string }, accountId = ACCOUNT) {
  const { endpoint } = await makeEndpoint(
    world.ctx,
    { accountId, actor: OPERATOR },
    readNew(declared, world.ctx, { url }),
  )
  return { id: endpoint.id, accountId, actor: OPERATOR }
}

const countSteps = async ({ ctx }: Webhooks) =>
  (await ctx.db.selectFrom('jobs').select('id').where('kind', '=', REPLAY).where('status', '=', 'ready').execute())
    .length

forEachEngine((engine) => {
  test('a replay whose job was lost ran for ever, and its endpoint could have no other', async (t) => {
    const world = await openWebhooks(t, engine)
    const own = await listen(world, await openReceiver(t))
    await world.runner.stop()
    await world.record({})
    const replay = await beginReplay(world.ctx, own, ASKED)
    await reviveStuck(world.ctx)
    assert.equal(await countSteps(world), 1, 'one that has a job needs no other')
    await world.ctx.db.updateTable('jobs').set({ status: 'dead' }).where('kind', '=', REPLAY).execute()
    await reviveStuck(world.ctx)
    await reviveStuck(world.ctx)
    assert.equal(await countSteps(world), 1)
    await replayStep(world.ctx, replay.id)
    assert.equal((await getReplay(world.ctx, own, replay.id)).state, 'done')
    const again = await beginReplay(world.ctx, own, ASKED)
    await changeEndpoint(world.ctx, own, () => ({ isEnabled: false }))
    assert.equal((await getReplay(world.ctx, own, again.id)).state, 'stopped', 'pausing stops it')
    await changeEndpoint(world.ctx, own, () => ({ isEnabled: true }))
    await beginReplay(world.ctx, own, ASKED)
  })

  test('replay after replay let one account queue as much as it liked', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t)
    const { id: accountId } = await createAccount(world.ctx, { email: 'a@example.com', role: 'user', actor: OPERATOR })
    const [one, other] = [await listen(world, receiver, accountId), await listen(world, receiver, accountId)]
    await world.runner.stop()
    await world.record({ accountId })
    const first = await beginReplay(world.ctx, one, ASKED)
    const { db } = world.ctx
    const set = (values: { queued: number; state: 'done' }) =>
      db.updateTable('webhook_replays').set(values).where('id', '=', first.id).execute()
    await set({ queued: 10_000, state: 'done' })
    const row = await db.selectFrom('webhook_replays').selectAll().executeTakeFirstOrThrow()
    const more = [0, 1, 2, 3].map((count) => ({ ...row, id: `rpl_${count}` }))
    await db.insertInto('webhook_replays').values(more).execute()
    await assert.rejects(beginReplay(world.ctx, other, ASKED), { code: 'limit_reached' })
    // Replays of removed endpoints must count as well; otherwise the next endpoint could replay the whole day again.
    const short = await listen(world, receiver, accountId)
    await db.updateTable('webhook_replays').set({ endpoint_id: short.id }).execute()
    await removeEndpoint(world.ctx, short)
    const next = await listen(world, receiver, accountId)
    await assert.rejects(beginReplay(world.ctx, next, ASKED), { code: 'limit_reached' })
    await set({ queued: 9_999, state: 'done' })
    const both = await Promise.allSettled([one, other].map((own) => beginReplay(world.ctx, own, ASKED)))
    const outcomes = both.map(({ status }) => status).sort()
    assert.deepEqual(outcomes, ['fulfilled', 'rejected'], 'of two at once one is too many')
    world.clock.advance(DAY)
    await beginReplay(world.ctx, both[0]!.status === 'fulfilled' ? other : one, ASKED)
  })

  test('an event stayed undelivered for ever because an endpoint that missed it was deleted', async (t) => {
    const world = await openWebhooks(t, engine)
    const shop = await openReceiver(t)
    const own = await listen(world, await openReceiver(t, answerWith(500)))
    await world.record({ url: shop.url })
    await world.record({})
    await world.settle()
    await removeEndpoint(world.ctx, own)
    const [taken, untaken] = await world.about()
    assert.equal(taken!.deliveredAt, world.clock.now())
    assert.equal(untaken!.deliveredAt, null, 'nobody has it')
  })
})

test('an event whose two receivers took it in the same moment stayed undelivered for ever', async (t) => {
  const world = await openWebhooks(t, 'postgres')
  const shop = await openReceiver(t)
  await listen(world, await openReceiver(t))
  await world.runner.stop()
  const id = await world.record({ url: shop.url })
  const [first, second] = (await world.about())[0]!.deliveries
  const another = await world.openAnother()
  const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  type Turn = PromiseWithResolvers<void>
  const settle = (db: Webhooks['ctx']['db'], delivery: string, mine: Turn, theirs: Turn) =>
    db.transaction().execute(async (tx) => {
      const due = { id: delivery, attemptsMade: 0 } as DueDelivery
      assert.equal((await markDelivered(tx, [due], 5)).size, 1)
      mine.resolve()
      await theirs.promise
      await markEventsDelivered(tx, [id], 5)
    })
  const mine = settle(world.ctx.db, first!.id, one, other)
  await Promise.all([mine, settle(another.store.db, second!.id, other, one)])
  assert.equal((await world.about())[0]!.deliveredAt, 5)
})
