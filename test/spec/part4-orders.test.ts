import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '../support/engines.ts'
import { bearer, untilStatus } from '../checkout/world.ts'
import { type Offer, offer, openMarket, priceOf } from '../usernames/world.ts'

/* What the check of an order says, and what is true once it has said it. */

for (const engine of ENGINES) {
  test(`once check says complete, what was bought is there at the first try (contract 4.6, rule 10) on ${engine}`, async (t) => {
    const market = await openMarket(t, engine)
    const shop = await market.start()
    const alice = await market.person()
    const { key } = await market.join(shop)
    const name = await offer(shop, 'alice')
    const unknown = await shop.call('account_balance', { account: '@alice' })
    assert.deepEqual([unknown.status, unknown.json().error], [400, 'Username not found.'])
    await market.send(alice, name.address, priceOf(name, '1 Year'))
    await untilStatus(shop, name.id, 'complete')
    const balance = await shop.call('account_balance', { account: '@alice' })
    assert.deepEqual([balance.status, balance.json().address], [200, alice.address])
    const listed = (await shop.call('known')).json<{ name: string }[]>().map((known) => known.name)
    assert.deepEqual(listed, ['alice'])
    const credits = (await shop.call('buy_rpc', {}, bearer(key))).json<Offer>()
    await market.send(alice, credits.address, credits.plans[0]!.value_raw)
    await untilStatus(shop, credits.id, 'complete')
    assert.equal((await shop.call('rpc_credits', {}, bearer(key))).json<{ credits: number }>().credits, 1_000)
  })
}
