import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { PaymentMonitor } from '../../src/modules/checkout/payment-monitor.ts'
import { openBulk } from '../support/bulk.ts'
import { forEachEngine } from '../support/engines.ts'
import { type OpenOne, fillOpen, openOwn, openShared } from '../support/many-checkouts.ts'
import { SyntheticNetwork } from '../support/synthetic-network.ts'
import { toCheckoutCtx } from '../support/checkout-context.ts'

/*
 * The small version of `npm run bench -- matching`: instances receive the confirmations of a whole network, with payments for some of three thousand open
 * checkouts. Payments are reported twice, late, not at all, or before they are final. None may be missed, and none may count twice.
 */

const WATCHED = 2_000
const PAYMENTS = 80
const STRANGERS_EACH = 15
const LOOK = 40
const STEPS_MAX = 5_000

forEachEngine((engine, openFresh) => {
  test('at three thousand watched addresses every payment counts once, however often and by whichever instance it is received', async (t) => {
    const { url, store, clock, ctx: storeCtx, openAnother } = await openFresh(t)
    const bulk = await openBulk(url)
    await fillOpen(bulk, { watched: WATCHED, now: clock.now(), sharedEach: 1 })
    await bulk.close()
    const network = new SyntheticNetwork()
    const failures: unknown[] = []
    const told = new Set<string>()
    const start = async (ctx: typeof storeCtx) => {
      const monitor = new PaymentMonitor({
        ctx: toCheckoutCtx(ctx, engine, { announce: (id) => told.add(id) }),
        node: network,
        bus: network,
        clock,
        turnOf: () => 0,
        onError: (error) => failures.push(error),
      })
      t.after(() => monitor.feed.stop())
      await monitor.feed.start()
      return monitor
    }
    const monitors = [await start(storeCtx)]
    // SQLite belongs to one process.
    if (engine === 'postgres') monitors.push(await start((await openAnother()).ctx))
    for (const { feed } of monitors) assert.equal(feed.size.addresses, WATCHED + 1_000)

    const paid: OpenOne[] = []
    for (let at = 0; at < PAYMENTS; at++) {
      const checkout = at % 2 === 0 ? openOwn(at * 23) : openShared(at)
      paid.push(checkout)
      const unsureFor = at % 10 !== 0 && at % 7 === 0 ? 2 : 0
      const hash = network.pay({ to: checkout.address, amountRaw: checkout.amountRaw, at: clock.now(), unsureFor })
      for (let stranger = 0; stranger < STRANGERS_EACH; stranger++) network.tellStrange()
      // Every tenth is not reported: the poller must find it. Others are reported twice, or only when they are received.
      if (at % 10 === 0) continue
      if (at % 10 !== 1) network.reportSend(hash)
      if (at % 10 < 4) network.tellReceive(hash)
      if (at % 10 === 5) network.reportSend(hash)
    }
    // Reported when it is seen, and again when it is final.
    const isOver = async () => {
      if (told.size < PAYMENTS) return false
      const rows = await store.db.selectFrom('checkouts').select('id').where('status', '=', 'complete').execute()
      return rows.length === PAYMENTS
    }
    // Time advances once the last step has sent a request, or done nothing for a moment.
    for (let steps = 0; !(await isOver()); steps++) {
      assert.ok(steps < STEPS_MAX, `${told.size} of ${PAYMENTS} payments were found`)
      const asked = network.nextQuestion()
      clock.advance(250)
      await Promise.race([asked, delay(LOOK)])
    }
    await Promise.all(monitors.map((monitor) => monitor.feed.stop()))

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
