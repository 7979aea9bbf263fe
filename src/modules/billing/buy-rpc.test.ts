import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import { bearer, nano, turnUntil, untilExpired } from '../../../test/support/checkout-steps.ts'
import { type Offer, assertAccounted, openStall, untilQuiet } from '../../../test/support/username-steps.ts'

/* Credits for sale, and payments that differ from what was asked for. */

test('a wrong amount buys nothing and is kept for the operator; a late one buys (contract 3, rule 11)', async (t) => {
  const { market, shop, person: buyer } = await openStall(t)
  const { key } = await shop.join()
  const made = (await shop.call('buy_rpc', {}, bearer(key))).json<Offer>()
  const bare = await market.send(buyer, made.address, `${nano('0.2')}`)
  const { db } = shop.app.store
  const unmatched = () => db.selectFrom('checkout_payments').selectAll().where('kind', '=', 'unmatched').execute()
  await until(async () => (await unmatched()).length === 1)
  assert.deepEqual(
    (await unmatched()).map(({ block_hash: hash, owner }) => [hash, owner]),
    [[bare, 'service']],
  )
  assert.equal((await shop.check(made.id)).status, 'pending')
  await untilExpired(market, shop, made.id)
  await market.send(buyer, made.address, made.plans[0]!.value_raw)
  await turnUntil(market, 1_000, async () => (await shop.check(made.id)).success)
  const { credits } = (await shop.call('rpc_credits', {}, bearer(key))).json<{ credits: number }>()
  assert.equal(credits, 1_000)
  await untilQuiet(market, shop)
  await assertAccounted(market, shop)
})
