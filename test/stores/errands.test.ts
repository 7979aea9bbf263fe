import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { Signer } from '../support/blocks.ts'
import { type Check, type Made, listEvents, turnUntil, untilStatus } from '../support/checkout-steps.ts'
import { forEachEngine } from '../support/engines.ts'
import { bare, enter } from '../support/form-steps.ts'
import { ask } from '../support/gateway.ts'
import { type RefundShop, openRefundShop } from '../support/refund-steps.ts'

/* Decisions 7: what the service sends on its own errand pays no order, whatever address and amount it meets. */

/** Where the merchant is paid; nobody here has its key. */
const address = new Signer(411).address

interface ErrandShop extends RefundShop {
  sell(fields?: object): Promise<Made>
  /** A checkout at the shared address. */
  order(fields: object): Promise<Made>
  /** Everything that was sent until now has been looked at: what is sent after it has been. */
  untilLookedAt(): Promise<void>
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
    async untilLookedAt() {
      // One after another: blocks are credited in batches.
      for (const amount of ['0.71', '0.72']) {
        const last = await order({ amount })
        await world.pay(last.address, last.amount_raw)
        await untilStatus(shop, last.id, 'complete')
      }
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

/** The wallet of a checkout has passed on what it was paid. */
async function untilForwarded({ world, fundsOf }: ErrandShop, amountRaw: bigint | string, at = address): Promise<void> {
  const before = BigInt(amountRaw)
  await turnUntil(world, 1_000, () => Promise.resolve(fundsOf(at) >= before))
}

forEachEngine((engine) => {
  test('a customer pays the amount of one order into the wallet of another: one order is paid, and no more than that can be refunded', async (t) => {
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
    // The same forward of an order that was paid exactly is none of the books' other payments either.
    const exact = await order({ amount: '4', mode: 'generated_wallet' })
    await world.pay(exact.address, exact.amount_raw)
    await untilForwarded(opened, BigInt(large.amount_raw) + BigInt(exact.amount_raw))
    await opened.untilLookedAt()
    assert.deepEqual(await opened.unmatched(), [])
    const headers = { cookie: await enter(shop, merchant.key) }
    const page = async (path: string) =>
      bare((await ask(`${shop.url}/dashboard${path}`, { method: 'GET', headers })).text)
    assert.doesNotMatch(await page(''), /without a sale|payments? that fits? no/i)
    const statement = await shop.rest('GET', '/api/checkouts/statement.csv', merchant.key)
    assert.doesNotMatch(statement.text, /unmatched/)
  })
})
