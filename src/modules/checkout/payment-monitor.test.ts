import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBulk } from '../../../test/support/bulk.ts'
import { toCheckoutCtx } from '../../../test/support/checkout-context.ts'
import { openFresh } from '../../../test/support/engines.ts'
import { fillOpen, openOwn } from '../../../test/support/many-checkouts.ts'
import { SyntheticNetwork } from '../../../test/support/synthetic-network.ts'
import { until } from '../../../test/support/until.ts'
import { PaymentMonitor } from './payment-monitor.ts'

test('a gateway did not start when its store refused the first catch-up: it starts, says so, and finds what was paid while it was away', async (t) => {
  const { url, clock, ctx } = await openFresh(t, 'sqlite')
  const bulk = await openBulk(url)
  await fillOpen(bulk, { watched: 20, now: clock.now(), sharedEach: 0 })
  await bulk.close()
  // On its own the poller would come only after an hour.
  await ctx.db
    .updateTable('watched_addresses')
    .set({ next_scan_at: clock.now() + 3_600_000 })
    .execute()
  const network = new SyntheticNetwork()
  const { id, address: to, amountRaw } = openOwn(1)
  network.pay({ to, amountRaw, at: clock.now() })
  let isAway = true
  const db = ctx.db.withPlugin({
    transformQuery({ node }) {
      if (isAway && node.kind === 'UpdateQueryNode') throw new Error('deadlock detected')
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })
  const told: string[] = []
  const failed: string[] = []
  const monitor = new PaymentMonitor({
    ...{
      ctx: toCheckoutCtx({ ...ctx, db }, 'sqlite', { announce: (one) => told.push(one) }),
      node: network,
      bus: network,
    },
    ...{ clock, turnOf: () => 0, onError: (error, doing) => failed.push(`${doing}: ${(error as Error).message}`) },
  })
  t.after(() => monitor.feed.stop())
  await monitor.feed.start()
  assert.deepEqual(failed, ['catch-up: deadlock detected'])
  clock.advance(1_000)
  await until(() => failed.length === 2)
  isAway = false
  clock.advance(2_000)
  await until(() => {
    // Only a requested look comes so soon.
    if (clock.waitingFor(clock.now() + 500) === 1) clock.advance(500)
    return told.includes(id)
  })
  assert.equal(failed.length, 2)
})
