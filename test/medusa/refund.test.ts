import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { merchant, untilStatus } from '../support/checkout-steps.ts'
import { PAYER } from '../support/refund-steps.ts'
import { type MedusaShop, type Session, openMedusaShop } from './shop.ts'

/* If Medusa does not get the answer to a refund, it forgets the refund and asks again with another id. The payer must still be refunded only once. */

interface PaidShop extends Omit<MedusaShop, 'refund'> {
  session: Session
  /** Refunds as Medusa does, and stores the answer. */
  refund(id: string, amount: number): Promise<Session>
  /** The amount refunded to the payer, in raw. */
  returned(): bigint
}

async function openPaidShop(t: TestContext, more: Record<string, string> = {}): Promise<PaidShop> {
  const shop = await openMedusaShop(t, more)
  const { provider, turning, fundsOf } = shop
  const session = await shop.begin('payses_1', 10)
  await shop.pay(session)
  await untilStatus(shop.shop, session.checkout_id, 'complete')
  const before = fundsOf(PAYER)
  const paid: PaidShop = {
    ...shop,
    session,
    async refund(id, amount) {
      const context = { idempotency_key: id }
      const { data } = await turning(provider.refundPayment({ data: paid.session, amount, context }))
      return (paid.session = data as Session)
    },
    returned: () => fundsOf(PAYER) - before,
  }
  return paid
}

const paidRawOf = async ({ shop, session, merchant }: PaidShop) => {
  const own = await shop.rest('GET', `/api/checkouts/${session.checkout_id}`, merchant.key)
  return BigInt(own.json<{ checkout: { amount_paid_raw: string } }>().checkout.amount_paid_raw)
}

test('a part goes back, then the rest, to the last raw; the same refund asked for again pays nothing', async (t) => {
  const shop = await openPaidShop(t)
  const { provider, turning } = shop
  const first = shop.session
  await shop.refund('ref_1', 4)
  // Medusa asks again with the data that it had before.
  const again = provider.refundPayment({ data: first, amount: 4, context: { idempotency_key: 'ref_1' } })
  assert.deepEqual((await turning(again)).data.refunds, shop.session.refunds)
  await shop.refund('ref_2', 6)
  assert.deepEqual(
    shop.session.refunds.map(({ refund_id: id, amount }) => [id, amount]),
    [
      ['ref_1', '4'],
      ['ref_2', '6'],
    ],
  )
  await shop.untilRefund(shop.session.checkout_id, 'sent')
  assert.equal(shop.returned(), await paidRawOf(shop))
  await assert.rejects(shop.refund('ref_3', 1), { code: 'refund_too_large', type: 'not_allowed' })
  // Everything was refunded, so the session no longer counts as paid.
  assert.equal((await provider.getPaymentStatus({ data: shop.session })).status, 'canceled')
})

test('a refund whose answers are lost is paid once, and taken for the one that is asked for afterwards', async (t) => {
  const shop = await openPaidShop(t)
  const real = globalThis.fetch
  const losing = t.mock.method(globalThis, 'fetch', async (...args: Parameters<typeof fetch>) => {
    const response = await real(...args)
    if (!String(args[0]).endsWith('/actions/checkout_refund')) return response
    await response.arrayBuffer()
    throw new TypeError('The connection was lost.')
  })
  await assert.rejects(shop.refund('ref_1', 4), /Option `url`/)
  losing.mock.restore()
  assert.equal((await shop.list(shop.session.checkout_id)).refunds.length, 1)
  // The first refund's caller may not have stored the answer yet.
  await assert.rejects(shop.refund('ref_2', 4), { code: 'refund_in_progress' })
  shop.world.clock.leap(121_000)
  await assert.rejects(shop.refund('ref_3', 5), { code: 'refund_in_progress' })
  await shop.refund('ref_4', 4)
  const { refunds } = await shop.list(shop.session.checkout_id)
  assert.deepEqual([refunds.length, shop.session.refunds.map(({ id }) => id)], [1, [refunds[0]!.id]])
  await shop.untilRefund(shop.session.checkout_id, 'sent')
  assert.equal(shop.returned(), BigInt(refunds[0]!.amount_raw))
  await shop.refund('ref_5', 6)
  await shop.untilRefund(shop.session.checkout_id, 'sent')
  assert.equal(shop.returned(), await paidRawOf(shop))
})

test('of refunds that are asked for at the same moment one is paid, and the others are refused', async (t) => {
  const shop = await openPaidShop(t)
  const { provider, turning, session } = shop
  const asked = Array.from({ length: 8 }, (_, at) =>
    provider.refundPayment({ data: session, amount: 4, context: { idempotency_key: `ref_${at}` } }),
  )
  const outcomes = await turning(Promise.allSettled(asked))
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal((await shop.list(session.checkout_id)).refunds.length, 1)
})

test('where no wallet of the gateway holds the money, the option is named that says which one pays', async (t) => {
  const shop = await openPaidShop(t, { address: merchant.address })
  await assert.rejects(shop.refund('ref_1', 4), /Option `refundFrom`/)
})
