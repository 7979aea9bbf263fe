import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { Signer } from '../support/blocks.ts'
import { until } from '../support/until.ts'
import { type Shop, bearer } from '../support/checkout-steps.ts'
import { type Market, type Offer, change, lease, offer, openMarket, untilOrder } from '../support/username-steps.ts'

/*
 * Two gateways on one PostgreSQL. Notifications between them are lost and the clock stands still, so nothing is polled: what one knows of the other's work
 * comes from the store.
 */
async function openDeaf(market: Market, env: Record<string, string> = {}): Promise<[Shop, Shop]> {
  const shops: [Shop, Shop] = [await market.start(env), await market.start(env)]
  await until(() => shops.every(({ app }) => app.store.notices.connected))
  // Each listens for payments to the treasury once it has made an offer itself.
  for (const [at, shop] of shops.entries()) await offer(shop, `first${at}`)
  return shops
}

async function deafen([first, second]: [Shop, Shop]): Promise<void> {
  const listeners = sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query ilike 'listen%'`
  await listeners.execute(first.app.store.db)
  await until(() => !first.app.store.notices.connected && !second.app.store.notices.connected)
}

test('“Username not found” right after check said complete: a name resolves where its sale is reported, and so does a change of it (contract 4.6, rule 11)', async (t) => {
  const market = await openMarket(t, 'postgres')
  const shops = await openDeaf(market)
  const [first, second] = shops
  const [alice, savings] = [await market.person(), new Signer(911)]
  const addressOn = async (shop: Shop) => (await shop.call('account_balance', { account: '@alice' })).json().address
  // Looked up and not found by both; this must not be cached.
  assert.deepEqual([await addressOn(first), await addressOn(second)], [undefined, undefined])
  await deafen(shops)
  const { id } = await lease(market, first, alice, 'alice')
  // A gateway that never saw the sale resolves the name too.
  assert.equal(await addressOn(second), alice.address)
  assert.equal((await second.check(id)).status, 'complete')
  const changed = await change(market, first, alice, { name: 'alice', address: savings.address })
  const sale = (await second.call('checkout', { address: '@alice', amount: '1' })).json()
  assert.equal(sale.address, savings.address, 'money follows the store, whatever is remembered')
  assert.equal((await second.check(changed.id)).status, 'complete')
  assert.equal(await addressOn(second), savings.address, 'told complete, it knows the change')
  assert.equal((await first.check(changed.id)).status, 'complete')
  assert.equal(await addressOn(first), savings.address)
})

test('credits count where their sale is reported: the limits of the prepaid plan hold at once (contract 4.6, rule 11)', async (t) => {
  const market = await openMarket(t, 'postgres')
  const shops = await openDeaf(market, { LIMIT_FREE_PER_MINUTE: '600', LIMIT_PREPAID_PER_MINUTE: '3000' })
  const [first, second] = shops
  const buyer = await market.person()
  const { key } = await first.join()
  const limitOn = async (shop: Shop) =>
    (await shop.call('rpc_credits', {}, bearer(key))).headers['ratelimit-limit'] as string
  assert.deepEqual([await limitOn(first), await limitOn(second)], ['600', '600'])
  await deafen(shops)
  const { id, address, plans } = (await first.call('buy_rpc', {}, bearer(key))).json<Offer>()
  // Both have cached that the key has no credits.
  assert.deepEqual([await limitOn(first), await limitOn(second)], ['600', '600'])
  await market.send(buyer, address, plans[0]!.value_raw)
  await untilOrder(first, id, 'applied')
  for (const shop of shops) {
    assert.equal((await shop.check(id)).status, 'complete')
    assert.equal(await limitOn(shop), '3000')
    const { credits } = (await shop.call('rpc_credits', {}, bearer(key))).json<{ credits: number }>()
    assert.equal(credits, 1_000)
  }
})
