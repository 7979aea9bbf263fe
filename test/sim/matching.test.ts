import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Monitor } from '../../src/modules/checkout/index.ts'
import { openBulk } from '../support/bulk.ts'
import { forEachEngine } from '../support/engines.ts'
import { type OpenOne, fillOpen, openOwn, openShared } from '../support/many-checkouts.ts'
import { SyntheticNetwork } from '../support/synthetic-network.ts'
import { toCheckoutCtx } from '../support/till.ts'
import { until } from '../support/until.ts'

/*
 * The small sister of `npm run bench -- matching`: two instances hear the confirmations of a whole network, among them
 * payments for some of ten thousand open checkouts. Payments are told of twice, late, not at all, or before they are
 * final. Nothing is missed and nothing counts twice.
 */

const WATCHED = 10_000
const PAYMENTS = 120
const STRANGERS_EACH = 15

forEachEngine((engine, openFresh) => {
  test('of ten thousand watched addresses every payment counts once, whoever hears of it and however often', async (t) => {
    const { url, store, clock, ctx: storeCtx, openAnother } = await openFresh(t)
    const bulk = await openBulk(url)
    await fillOpen(bulk, { watched: WATCHED, now: clock.now(), sharedEach: 1 })
    await bulk.close()
    const network = new SyntheticNetwork()
    const failures: unknown[] = []
    const start = async (ctx: typeof storeCtx) => {
      const monitor = new Monitor({
        ctx: toCheckoutCtx(ctx, engine),
        node: network,
        bus: network,
        clock,
        onError: (error) => failures.push(error),
      })
      t.after(() => monitor.stop())
      await monitor.start()
      return monitor
    }
    const monitors = [await start(storeCtx), await start((await openAnother()).ctx)]
    for (const { watched } of monitors) assert.equal(watched, WATCHED + 1_000)

    const paid: OpenOne[] = []
    for (let at = 0; at < PAYMENTS; at++) {
      const checkout = at % 2 === 0 ? openOwn(at * 83) : openShared(at)
      paid.push(checkout)
      const unsureFor = at % 7 === 0 ? 2 : 0
      const hash = network.pay({ to: checkout.address, amountRaw: checkout.amountRaw, at: clock.now(), unsureFor })
      for (let stranger = 0; stranger < STRANGERS_EACH; stranger++) network.tellStrange()
      // Every tenth is told of by nobody: the poller must find it. Others come twice, or only when they are received.
      if (at % 10 === 0) continue
      if (at % 10 !== 1) network.tellSend(hash)
      if (at % 10 < 4) network.tellReceive(hash)
      if (at % 10 === 5) network.tellSend(hash)
    }
    const countComplete = async () => {
      const rows = await store.db.selectFrom('checkouts').select('id').where('status', '=', 'complete').execute()
      return rows.length
    }
    // The poller's turns come with time; each step waits for what the last one has led to.
    let turnedAt = performance.now()
    await until(async () => {
      if ((await countComplete()) === PAYMENTS) return true
      if (performance.now() - turnedAt > 20 && clock.waiting > 0) {
        clock.advance(500)
        turnedAt = performance.now()
      }
      return false
    })
    await Promise.all(monitors.map((monitor) => monitor.stop()))

    assert.deepEqual(failures, [])
    const complete = await store.db
      .selectFrom('checkouts')
      .select(['id', 'paid_raw'])
      .where('status', '=', 'complete')
      .execute()
    const expected = paid.map(({ id, amountRaw }) => `${id} ${amountRaw}`)
    assert.deepEqual(complete.map(({ id, paid_raw: raw }) => `${id} ${raw}`).sort(), expected.sort())
    const payments = await store.db.selectFrom('checkout_payments').select(['checkout_id', 'kind']).execute()
    assert.deepEqual(payments.map((row) => row.checkout_id).sort(), paid.map(({ id }) => id).sort())
    assert.ok(payments.every(({ kind }) => kind === 'counted'))
    const events = await store.db.selectFrom('events').select('subject').execute()
    assert.deepEqual(events.map(({ subject }) => subject).sort(), paid.map(({ id }) => id).sort())
  })
})
