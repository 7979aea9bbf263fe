import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describePayment, describeRefund } from '../../src/medusa/admin/words.ts'
import { readPayment } from '../../src/medusa/index.ts'
import type { PaymentView } from '../../src/medusa/view.ts'
import { untilStatus } from '../support/checkout-steps.ts'
import { type MedusaShop, type Session, openMedusaShop } from './shop.ts'

/* What the order page of Medusa's dashboard shows about a payment. */

/** Calls the route with data stored by Medusa; returns the page's data. */
async function read({ options }: MedusaShop, data: Partial<Session>, provider_id = 'pp_nano_gateway') {
  const providers = [
    { id: 'other', options: {} },
    { id: 'gateway', options },
  ]
  const services = {
    payment: { retrievePayment: (id: string) => Promise.resolve({ id, provider_id, data }) },
    configModule: { modules: { payment: { options: { providers } } } },
  }
  const answers: { payment: PaymentView }[] = []
  const scope = { resolve: <Name extends keyof typeof services>(name: Name) => services[name] }
  await readPayment(
    { params: { id: 'pay_1' }, scope },
    { json: (body) => void answers.push(body as { payment: PaymentView }) },
  )
  return answers[0]!.payment
}

test('the order shows the result of its payment and of each refund, even if Medusa was not notified', async (t) => {
  const shop = await openMedusaShop(t)
  const session = await shop.begin('payses_1', 10)
  const waiting = await read(shop, session)
  assert.deepEqual([describePayment(waiting).state, waiting.block_hash], ['Waiting', null])
  assert.equal(waiting.payment_page, session.url)

  await shop.pay(session)
  await untilStatus(shop.shop, session.checkout_id, 'complete')
  const paid = await read(shop, session)
  assert.deepEqual(describePayment(paid), {
    state: 'Paid',
    color: 'green',
    sentence: `${paid.amount_paid} nano arrived, and the payment is final.`,
  })
  assert.match(paid.block_hash!, /^[\dA-F]{64}$/)
  assert.equal(paid.merchant_page, `${shop.shop.url}/dashboard/checkouts/${session.checkout_id}`)

  const context = { idempotency_key: 'ref_1' }
  await shop.turning(shop.provider.refundPayment({ data: session, amount: 4, context }))
  const { hash } = await shop.untilRefund(session.checkout_id, 'sent')
  const refunded = await read(shop, session)
  assert.equal(describePayment(refunded).state, 'Partly refunded')
  assert.deepEqual(
    refunded.refunds.map((refund) => [describeRefund(refund).state, refund.hash]),
    [['Sent', hash]],
  )
})

test('a refund as a link is not shown with its address, which is money to every administrator', async (t) => {
  const shop = await openMedusaShop(t)
  const session = await shop.begin('payses_1', 10)
  await shop.pay(session)
  await untilStatus(shop.shop, session.checkout_id, 'complete')
  await shop.refund(session.checkout_id, { as: 'link' })
  const { claim_url: claim } = await shop.untilRefund(session.checkout_id, 'waiting_for_claim')
  const payment = await read(shop, session)
  assert.equal(describeRefund(payment.refunds[0]!).state, 'Waits for the payer')
  assert.ok(claim && !JSON.stringify(payment).includes(claim))
})

test('a payment of another provider, or a checkout of another order, is not shown', async (t) => {
  const shop = await openMedusaShop(t)
  const [mine, other] = [await shop.begin('payses_1', 10), await shop.begin('payses_2', 10)]
  await assert.rejects(read(shop, mine, 'pp_stripe_stripe'), { type: 'not_found' })
  await assert.rejects(read(shop, {}), { type: 'not_found' })
  await assert.rejects(read(shop, { ...mine, checkout_id: other.checkout_id }), { code: 'foreign_checkout' })
})

test('each state has its own text, and an unfinished payment shows what has arrived', () => {
  const payment = { additional_status: 'none', amount: '2', amount_paid: '0', refunds: [] } as unknown as PaymentView
  const say = (fields: Partial<PaymentView>) => Object.values(describePayment({ ...payment, ...fields })).join('|')
  assert.deepEqual(
    [
      say({ status: 'detected' }),
      say({ status: 'partial', amount_paid: '1' }),
      say({ status: 'complete', additional_status: 'overpaid', amount_paid: '3', amount_excess: '1' }),
      say({ status: 'complete', additional_status: 'marked' }),
      say({ status: 'complete', additional_status: 'refunded', amount_refunded: '2' }),
      say({ status: 'expired', additional_status: 'paid_late', amount_paid: '2' }),
      say({ status: 'expired', amount_paid: '1' }),
      say({ status: 'cancelled' }),
    ],
    [
      'Arriving|blue|A payment was seen, and becomes final within seconds.',
      'Partly paid|orange|1 nano arrived of 2. The payment page asks for the rest.',
      "Paid, more than asked|orange|3 nano arrived: 1 more than asked. Refund that on the gateway's page.",
      'Paid, by your word|green|It was marked as paid at the gateway.',
      'Refunded|grey|All 2 nano go back to the payer.',
      "Paid late|orange|2 nano arrived after the end. Accept or refund them on the gateway's page.",
      'Expired|grey|1 nano arrived, which is not the full price.',
      'Cancelled|grey|Nothing was paid.',
    ],
  )
})
