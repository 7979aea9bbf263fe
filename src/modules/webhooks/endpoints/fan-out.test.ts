import { OPERATOR } from '../../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../../../test/support/engines.ts'
import { ACCOUNT, openReceiver, openWebhooks } from '../../../../test/support/webhook-steps.ts'
import { changeEndpoint, makeEndpoint } from './change.ts'
import { endpoint as declared } from './endpoint.ts'
import { readNew } from '../../../kernel/resource/read.ts'
import { isAskedFor } from './fan-out.ts'
import { markDisabled } from './store.ts'

/* Metadata written by others, and disabled endpoints, must not affect events. */

forEachEngine((engine) => {
  test('metadata that cannot be turned into text kept a payment from being recorded where an endpoint filters by it', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t)
    const terms = readNew(declared, world.ctx, { url: receiver.url, filter: { metadata: { shop: 'a' } } })
    await makeEndpoint(world.ctx, { accountId: ACCOUNT, actor: OPERATOR }, terms)
    for (const shop of [{ toString: 1 }, { toString: 1, valueOf: 1 }, [{ toString: 1 }], ['a'], null]) {
      await world.record({ metadata: { shop } })
    }
    const id = await world.tell({ metadata: { shop: 'a' } })
    const received = receiver.requests.map(({ headers }) => headers['webhook-id'])
    assert.deepEqual(received, [id])
    assert.equal((await world.about()).length, 6)
  })

  test('events that only one endpoint wants were not recorded while it was off, so no replay could find them', async (t) => {
    const world = await openWebhooks(t, engine)
    const { url } = await openReceiver(t)
    const terms = readNew(declared, world.ctx, { url, events: ['payment.late'] })
    const { endpoint } = await makeEndpoint(world.ctx, { accountId: ACCOUNT, actor: OPERATOR }, terms)
    const asked = () => isAskedFor(world.ctx.db, ACCOUNT, 'payment.late')
    assert.equal(await asked(), true)
    const own = { id: endpoint.id, accountId: ACCOUNT, actor: OPERATOR }
    await changeEndpoint(world.ctx, own, () => ({ isEnabled: false }))
    assert.equal(await asked(), true, 'paused')
    await world.record({ type: 'payment.late' })
    assert.deepEqual((await world.about())[0]!.deliveries, [], 'and nothing is sent to it')
    await changeEndpoint(world.ctx, own, () => ({ isEnabled: true }))
    await markDisabled(world.ctx.db, { id: endpoint.id, reason: 'gone' })
    assert.equal(await asked(), true, 'disabled by us')
    assert.equal(await isAskedFor(world.ctx.db, ACCOUNT, 'refund.sent'), false)
    assert.equal(await isAskedFor(world.ctx.db, 'acc_bob', 'payment.late'), false)
  })
})
