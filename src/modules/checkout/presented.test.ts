import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fromAddress } from '../../kernel/nano/address.ts'
import { WORK_THRESHOLDS } from '../../kernel/nano/work.ts'
import { bearer, nano, openWorld, untilStatus } from '../../../test/support/checkout-steps.ts'
import { Signer, frontierOf, openAccount } from '../../../test/support/blocks.ts'
import { ask } from '../../../test/support/gateway.ts'
import { TERMS, payloadOf } from '../../../test/support/x402-steps.ts'

/* Blocks that somebody presents to the facilitator, and the checkouts that they pay. */

/** A shop, and somebody who presents each payer's block as a payment for a service of their own. */
async function openPresented(t: TestContext) {
  const world = await openWorld(t, 'sqlite', WORK_THRESHOLDS.dev)
  const shop = await world.start({ CHECKOUT_GENERATED_WALLETS: 'all' })
  const { key } = await shop.join()
  const { node } = world.ledger
  const payer = new Signer(77, WORK_THRESHOLDS.dev)
  await openAccount(node, payer, nano('9'))
  const present = async (payTo: string, amount: string) => {
    const block = payer.send(frontierOf(node, payer.key), fromAddress(payTo)!, BigInt(amount))
    const terms = { ...TERMS, payTo, amount }
    const paymentPayload = payloadOf(block, { accepted: { payTo, amount } })
    const body = JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: terms })
    const settled = await ask(`${shop.url}/facilitator/settle`, { body })
    assert.equal(settled.json<{ success: boolean }>().success, true, settled.text)
  }
  const { address } = (await shop.call('cloud_wallet', { wallet_action: 'create_wallet' }, bearer(key))).json<{
    address: string
  }>()
  return { shop, key, address, present }
}

// Anybody who saw the block on the network before our nodes did could do that to any payment, for nothing.
test('a customer paid, and the order stayed open: a stranger had presented the same block to the facilitator', async (t) => {
  const { shop, key, address, present } = await openPresented(t)
  for (const mode of ['unique_amount', 'generated_wallet']) {
    const made = await shop.open({ address, amount: '1', mode }, bearer(key))
    await present(made.address, made.amount_raw)
    await untilStatus(shop, made.id, 'complete')
  }
})

test('a payment for a service of the same price completes no order that asks for the bare price, and the merchant sees it', async (t) => {
  const { shop, key, address, present } = await openPresented(t)
  const bare = await shop.open({ address, amount: '1', random: false }, bearer(key))
  const next = await shop.open({ address, amount: '2' }, bearer(key))
  await present(bare.address, bare.amount_raw)
  await present(next.address, next.amount_raw)
  await untilStatus(shop, next.id, 'complete')
  assert.equal((await shop.check(bare.id)).status, 'pending')
  const unmatched = (await shop.rest('GET', '/api/checkouts/unmatched', key)).json<{
    payments: { amount_raw: string }[]
  }>()
  assert.deepEqual(
    unmatched.payments.map((payment) => payment.amount_raw),
    [bare.amount_raw],
  )
})
