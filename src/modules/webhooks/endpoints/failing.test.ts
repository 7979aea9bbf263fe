import { OPERATOR } from '../../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSecretBox } from '../../../infra/secrets/secret-key.ts'
import { forEachEngine } from '../../../../test/support/engines.ts'
import {
  ACCOUNT,
  type Receiver,
  type Webhooks,
  answerWith,
  openReceiver,
  openWebhooks,
} from '../../../../test/support/webhook-steps.ts'
import { listDisabled } from '../deliveries-store.ts'
import { deliver, openBatches } from '../domain/deliver.ts'
import { ping } from '../domain/ping.ts'
import { redeliver } from '../domain/redeliver.ts'
import { createAccount } from '../../accounts/index.ts'
import { insertMember } from '../../accounts/people/members-store.ts'
import { changeEndpoint, makeEndpoint } from './change.ts'
import { endpoint as declared, endpoints } from './endpoint.ts'
import { readNew } from '../../../kernel/resource/read.ts'

/* What counts against an endpoint, and who is notified. */

const DAY = 86_400_000

async function listen(world: Webhooks, { url }: Receiver, accountId = ACCOUNT) {
  const { endpoint } = await makeEndpoint(
    world.ctx,
    { accountId, actor: OPERATOR },
    readNew(declared, world.ctx, { url }),
  )
  const own = { id: endpoint.id, accountId, actor: OPERATOR }
  return { own, standing: async () => (await endpoints.find(world.ctx.db, own.id))! }
}

forEachEngine((engine) => {
  test('endpoints were disabled for five days in which we could not read our own secrets and sent nothing', async (t) => {
    const world = await openWebhooks(t, engine)
    const { ctx, clock } = world
    const receiver = await openReceiver(t)
    const { standing } = await listen(world, receiver)
    await world.runner.stop()
    const secrets = openSecretBox(Buffer.alloc(32, 7), ctx.random)
    const batches = openBatches({ ...ctx, secrets })
    for (let days = 0; days < 7; days++) {
      const id = await world.record({})
      const delivery = ctx.db.selectFrom('deliveries').select('id').where('event_id', '=', id)
      await deliver(batches, { deliveryId: (await delivery.executeTakeFirstOrThrow()).id })
      clock.advance(DAY)
    }
    assert.deepEqual([...new Set(world.attempts.map(({ code }) => code))], ['secret_unreadable'])
    assert.deepEqual([(await standing()).isEnabled, (await standing()).failingSince], [true, null])
  })

  test('deliveries that were queued when an endpoint was paused counted as failures of its receiver', async (t) => {
    const world = await openWebhooks(t, engine)
    const { own, standing } = await listen(world, await openReceiver(t))
    await world.runner.stop()
    await world.record({})
    await changeEndpoint(world.ctx, own, () => ({ isEnabled: false }))
    const [delivery] = (await world.about())[0]!.deliveries
    await world.ctx.attempt(delivery!.id)
    const [{ code, outcome }, ...others] = world.attempts as [(typeof world.attempts)[number]]
    assert.deepEqual([code, outcome, others], ['endpoint_disabled', 'stopped', []])
    assert.equal((await standing()).failingSince, null)
  })

  test('the developers of an account were not notified that their endpoint was disabled', async (t) => {
    const world = await openWebhooks(t, engine)
    const { ctx } = world
    const account = await createAccount(ctx, { email: 'owner@example.com', role: 'user', actor: OPERATOR })
    const { own } = await listen(world, await openReceiver(t, answerWith(410)), account.id)
    const told = async () => {
      await ctx.db.deleteFrom('jobs').where('kind', '=', 'mail.send').execute()
      await changeEndpoint(ctx, own, () => ({ isEnabled: true }))
      await world.tell({ accountId: account.id })
      const mails = await ctx.db.selectFrom('jobs').select('payload').where('kind', '=', 'mail.send').execute()
      return mails.map(({ payload }) => (JSON.parse(payload) as { recipient: string }).recipient).sort()
    }
    const base = { accountId: account.id, invitedBy: null, invitedAt: 1, expiresAt: null }
    const owner = { email: 'second@example.com', role: 'owner', joinedAt: 1 } as const
    await insertMember(ctx.db, { ...base, id: ctx.ids.next('mbr'), ...owner })
    assert.deepEqual(await told(), ['owner@example.com', 'second@example.com'], 'without developers the owners')
    for (const [email, role, joinedAt] of [
      ['dev1@example.com', 'developer', 1],
      ['dev2@example.com', 'developer', 1],
      ['invited@example.com', 'developer', null],
      ['reader@example.com', 'reader', 1],
    ] as const) {
      await insertMember(ctx.db, { ...base, id: ctx.ids.next('mbr'), email, role, joinedAt })
    }
    assert.deepEqual(await told(), ['dev1@example.com', 'dev2@example.com'])
    await ctx.db.deleteFrom('members').execute()
    assert.deepEqual(await told(), ['owner@example.com'], 'without people the address of the account')
  })

  test('a test that was sent again disabled its endpoint and called the operator; one that was answered 410 stopped real events', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t, answerWith(410))
    const { own, standing } = await listen(world, receiver, 'acc_bob')
    const { id } = await ping(world.ctx, { accountId: 'acc_bob', to: { endpointId: own.id } })
    await redeliver(world.ctx, { accountId: 'acc_bob', eventIds: [id], idempotency: undefined })
    await world.settle()
    assert.equal(receiver.requests.length, 2)
    assert.deepEqual([(await standing()).isEnabled, (await standing()).failingSince], [true, null])
    await ping(world.ctx, { accountId: ACCOUNT, to: { url: receiver.url } })
    assert.deepEqual(await listDisabled(world.ctx.db, ACCOUNT, 10), [])
    receiver.answer = answerWith(200)
    await world.tell({ url: receiver.url })
    assert.equal(receiver.requests.length, 4)
    const outcomes = world.attempts.map(({ outcome }) => outcome)
    assert.deepEqual(outcomes, ['test_failed', 'test_failed', 'test_failed', 'delivered'])
  })
})
