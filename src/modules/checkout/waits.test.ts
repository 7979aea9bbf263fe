import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCheckout, toCheckoutCtx } from '../../../test/support/checkout-context.ts'
import { openFresh } from '../../../test/support/engines.ts'
import { StatusWaits } from './waits.ts'

test('who began to wait at the moment of the payment was answered a minute later', { timeout: 120_000 }, async (t) => {
  const { ctx } = await openFresh(t, 'sqlite')
  const id = 'c0ffee0000000001'
  await addCheckout(ctx.db, id, { status: 'pending' })
  const waits = new StatusWaits(ctx.clock)
  let reads = 0
  // The order ends between the first look at it and the second.
  const db = ctx.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (++reads === 1) {
        await ctx.db.updateTable('checkouts').set({ status: 'cancelled' }).where('id', '=', id).execute()
        waits.moved(id)
      }
      return result
    },
  })
  const asked = { id, seconds: 60, who: 'ip:192.0.2.1' }
  const answer = await waits.read(toCheckoutCtx({ ...ctx, db }, 'sqlite'), asked)
  assert.equal(answer.status, 'cancelled')
  assert.ok(reads > 1)
})
