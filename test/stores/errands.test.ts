import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { formatNano, toRaw } from '../../src/kernel/money.ts'
import { hastenScans } from '../../src/modules/checkout/scans-store.ts'
import { Signer } from '../support/blocks.ts'
import { type Check, type Made, listEvents, turnUntil, untilStatus } from '../support/checkout-steps.ts'
import { forEachEngine } from '../support/engines.ts'
import { bare, enter, idIn, sendForm } from '../support/form-steps.ts'
import { ask } from '../support/gateway.ts'
import { type Refund, type RefundShop, openRefundShop } from '../support/refund-steps.ts'

/* Decision 7: the service's internal transfers pay no order, whatever their address and amount. */

/** The merchant's address; its key is unused. */
const address = new Signer(411).address

interface ErrandShop extends RefundShop {
  sell(fields?: object): Promise<Made>
  /** A checkout at the shared address. */
  order(fields: object): Promise<Made>
  /** Waits until all arrivals at an address have been processed. */
  untilLookedAt(at?: string): Promise<void>
  unmatched(): Promise<{ block_hash: string; amount_raw: string }[]>
  standing(...made: Made[]): Promise<string[]>
}

async function openErrandShop(t: TestContext, engine: StoreEngine, env?: Record<string, string>): Promise<ErrandShop> {
  const opened = await openRefundShop(t, engine, env)
  const { world, shop, merchant } = opened
  const order = (fields: object) => shop.open({ address, ...fields }, merchant.headers)
  return {
    ...opened,
    order,
    async untilLookedAt(at = address) {
      const now = world.clock.now()
      const { db } = shop.app.store
      await hastenScans(db, [at], now)
      const watched = db.selectFrom('watched_addresses').select('scanned_at').where('address', '=', at)
      await turnUntil(world, 1_000, async () => (await watched.executeTakeFirstOrThrow()).scanned_at > now)
    },
    unmatched: async () =>
      (await shop.rest('GET', '/api/checkouts/unmatched', merchant.key)).json<{
        payments: { block_hash: string; amount_raw: string }[]
      }>().payments,
    standing: async (...made) =>
      (await Promise.all(made.map(({ id }) => shop.check(id)))).map(
        ({ status, additional_status: additional }: Check) => `${status} ${additional}`,
      ),
  }
}

/** Waits until a checkout's wallet has forwarded its payment. */
async function untilForwarded({ world, fundsOf }: ErrandShop, amountRaw: bigint | string, at = address): Promise<void> {
  const before = BigInt(amountRaw)
  await turnUntil(world, 1_000, () => Promise.resolve(fundsOf(at) >= before))
}

forEachEngine((engine) => {
  test('a customer pays the amount of one order into the wallet of another: one order is paid, and no more than that can be refunded (contract 3, rule 4)', async (t) => {
    const opened = await openErrandShop(t, engine)
    const { world, shop, merchant, order, standing } = opened
    const large = await order({ amount: '10' })
    const small = await order({ amount: '3', mode: 'generated_wallet' })
    await world.pay(small.address, large.amount_raw)
    await untilStatus(shop, small.id, 'complete')
    await untilForwarded(opened, large.amount_raw)
    await opened.untilLookedAt()
    assert.deepEqual(await standing(large, small), ['pending none', 'complete overpaid'])
    assert.deepEqual(await listEvents(shop, large.id), [])
    assert.deepEqual(await opened.unmatched(), [])
    const refundable = await Promise.all(
      [large, small].map(async ({ id }) => (await opened.list(id)).refundable_raw ?? '0'),
    )
    assert.deepEqual(refundable, ['0', large.amount_raw])
    // The forward of an exactly paid order must not be recorded as a payment either.
    const exact = await order({ amount: '4', mode: 'generated_wallet' })
    await world.pay(exact.address, exact.amount_raw)
    await untilForwarded(opened, BigInt(large.amount_raw) + BigInt(exact.amount_raw))
    await opened.untilLookedAt()
    assert.deepEqual(await opened.unmatched(), [])
    const headers = { cookie: await enter(shop, merchant.key) }
    const page = async (path: string) =>
      bare((await ask(`${shop.url}/dashboard${path}`, { method: 'GET', headers })).text)
    assert.doesNotMatch(await page(''), /payments? match(es)? no checkout/)
    const statement = await shop.rest('GET', '/api/checkouts/statement.csv', merchant.key)
    assert.doesNotMatch(statement.text, /unmatched/)
  })

  test('a customer of two payment links pays once, and gets one of the two', async (t) => {
    const opened = await openErrandShop(t, engine)
    const { world, shop, merchant } = opened
    const buy = async (fields: object) => {
      const link = await shop.rest('POST', '/api/links', merchant.key, { address, ...fields })
      assert.equal(link.status, 201, link.text)
      return shop.check(idIn(await sendForm(link.json<{ url: string }>().url)))
    }
    const large = await buy({ title: 'Lamp', amount: '10' })
    const small = await buy({ title: 'Bulb', amount: '3', mode: 'generated_wallet' })
    await world.pay(small.address, large.amount_raw)
    await untilStatus(shop, small.id, 'complete')
    await untilForwarded(opened, large.amount_raw)
    await opened.untilLookedAt()
    assert.equal((await shop.check(large.id)).status, 'pending')
    assert.deepEqual(await opened.unmatched(), [])
  })

  test('a cashier does not see a large sale turn green through a small payment', async (t) => {
    const opened = await openErrandShop(t, engine)
    const { world, shop, merchant, order } = opened
    const made = await shop.rest('POST', '/api/pos', merchant.key, { address, title: 'Counter' })
    const till = made.json<{ id: string; link: string }>()
    const body = JSON.stringify({ key: 'tap-0123456789abcdef', amount: '10', total: '10' })
    const headers = { 'pos-token': till.link.split('#')[1]!, accept: 'application/json' }
    const sold = await ask(`${shop.url}/pos/${till.id}/sales`, { headers, body })
    const sale = await shop.check(sold.json<{ id: string }>().id)
    const small = await order({ amount: '3', mode: 'generated_wallet' })
    await world.pay(small.address, sale.amount_raw)
    await untilStatus(shop, small.id, 'complete')
    await untilForwarded(opened, sale.amount_raw)
    await opened.untilLookedAt()
    assert.equal((await shop.check(sale.id)).status, 'pending')
  })

  test('money that arrives at an ended wallet and is passed on pays no order at its destination', async (t) => {
    const opened = await openErrandShop(t, engine)
    const { world, shop, order, standing } = opened
    const small = await order({ amount: '3', mode: 'generated_wallet' })
    await world.pay(small.address, small.amount_raw)
    await untilForwarded(opened, small.amount_raw)
    const wallet = shop.app.store.db.selectFrom('wallets').select('status').where('address', '=', small.address)
    await turnUntil(world, 1_000, async () => (await wallet.executeTakeFirstOrThrow()).status === 'deleted')
    const large = await order({ amount: '10' })
    await world.pay(small.address, large.amount_raw)
    await untilForwarded(opened, BigInt(small.amount_raw) + BigInt(large.amount_raw))
    await opened.untilLookedAt()
    assert.deepEqual(await standing(large), ['pending none'])
    assert.deepEqual(await opened.unmatched(), [])
  })

  test('a forward that another gateway sees before the first has recorded that it left pays no order', async (t) => {
    const opened = await openErrandShop(t, engine)
    const { world, shop, order } = opened
    const large = await order({ amount: '10' })
    const small = await order({ amount: '3', mode: 'generated_wallet' })
    await world.pay(small.address, large.amount_raw)
    await untilStatus(shop, small.id, 'complete')
    await untilForwarded(opened, large.amount_raw)
    await shop.app.close()
    // The state after a process was killed between broadcast and record, with nothing credited since.
    const another = await world.start({ CHECKOUT_GENERATED_WALLETS: 'all' })
    const { db: store } = another.app.store
    const forwards = store.updateTable('wallet_blocks').where('purpose', '=', 'forward')
    await forwards.set({ status: 'signed', broadcast_at: null, confirmed_at: null }).execute()
    const now = world.clock.now()
    await hastenScans(store, [address], now)
    const watched = store.selectFrom('watched_addresses').select('scanned_at').where('address', '=', address)
    await turnUntil(world, 1_000, async () => (await watched.executeTakeFirstOrThrow()).scanned_at > now)
    const rows = await store.selectFrom('checkouts').select('status').where('id', '=', large.id).execute()
    assert.deepEqual(rows, [{ status: 'pending' }])
  })

  test('a declined refund link pays no other order, and the refunded order is not refunded beyond what was paid', async (t) => {
    const opened = await openErrandShop(t, engine)
    const { world, shop, merchant, wallet, sell, refund, untilRefund, list, standing, fundsOf } = opened
    const first = await sell()
    const second = await shop.open({ address: wallet, amount: '1' }, merchant.headers)
    const amount = formatNano(toRaw(BigInt(second.amount_raw)))
    const { claim_url: url } = (await refund(first.id, { amount, as: 'link' })).json<Refund>()
    await untilRefund(first.id, 'waiting_for_claim')
    const funded = shop.app.store.db.selectFrom('email_payments').select('status')
    await turnUntil(world, 6_000, async () => (await funded.executeTakeFirstOrThrow()).status === 'funded')
    const before = fundsOf(wallet)
    const body = JSON.stringify({ code: url!.split('#')[1] })
    const declined = await ask(`${shop.url}/claim/decline`, { body })
    assert.equal(declined.status, 200, declined.text)
    assert.equal((await untilRefund(first.id, 'failed')).failure, 'unclaimed')
    await turnUntil(world, 6_000, () => Promise.resolve(fundsOf(wallet) > before))
    await opened.untilLookedAt(wallet)
    assert.deepEqual(await standing(second), ['pending none'])
    assert.deepEqual(await opened.unmatched(), [])
    assert.equal((await list(first.id)).refundable_raw, first.amount_raw)
    assert.equal((await list(second.id)).refundable_raw ?? '0', '0')
  })
})
