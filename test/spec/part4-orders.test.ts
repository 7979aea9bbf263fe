import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '../support/engines.ts'
import { ask } from '../support/gateway.ts'
import { type Check, bearer } from '../support/checkout-steps.ts'
import { type Offer, lease, offer, openStall, priceOf, untilOrder, untilRefunded } from '../support/username-steps.ts'
import { row } from './row.ts'

/* When an order's check says complete, the purchase is in effect. */

test('once check says complete, what was bought is there at the first try (contract 4.6, rule 11)', async (t) => {
  for (const engine of ENGINES) {
    const { market, shop, person: alice } = await openStall(t, engine)
    const { key } = await shop.join()
    const name = await offer(shop, 'alice')
    const unknown = await shop.call('account_balance', { account: '@alice' })
    assert.deepEqual([unknown.status, unknown.json().error], [400, 'Username not found.'])
    await market.send(alice, name.address, priceOf(name, '1 Year'))
    assert.equal((await untilOrder(shop, name.id, 'applied')).status, 'complete')
    const balance = await shop.call('account_balance', { account: '@alice' })
    assert.deepEqual([balance.status, balance.json().address], [200, alice.address])
    const listed = (await shop.call('known')).json<{ name: string }[]>().map((known) => known.name)
    assert.deepEqual(listed, ['alice'])
    const credits = (await shop.call('buy_rpc', {}, bearer(key))).json<Offer>()
    await market.send(alice, credits.address, credits.plans[0]!.value_raw)
    assert.equal((await untilOrder(shop, credits.id, 'applied')).status, 'complete')
    assert.equal((await shop.call('rpc_credits', {}, bearer(key))).json<{ credits: number }>().credits, 1_000)
  }
})

test('money that went back said complete, success and message: a refunded order says so at every endpoint (contract 4.6, rule 10)', async (t) => {
  const { market, shop, person: alice } = await openStall(t)
  const bob = await market.person()
  const made = await offer(shop, 'alice')
  await lease(market, shop, alice, 'alice')
  await market.send(bob, made.address, priceOf(made, '1 Year'))
  const check = await untilRefunded(market, shop, made.id)
  const { status, success, error, refund, order } = check
  const taken = 'This name is already taken. The payment is being returned.'
  row('2, Checkout status: status, success, error; 3, Checkout: refunded', () =>
    assert.deepEqual([status, success, error], ['refunded', false, taken]),
  )
  assert.deepEqual(['block' in check, 'message' in check, 'plan' in check], [false, false, false])
  const raw = priceOf(made, '1 Year')
  const { value } = made.plans.find((plan) => plan.value_raw === raw)!
  const back = { amount: value, amount_raw: raw, address: bob.address }
  row('2, Checkout status: refund', () => assert.deepEqual(refund, { hash: order.refunds![0]!.refund_hash, ...back }))
  const info = await shop.call('block_info', { hash: refund!.hash })
  assert.equal(info.json<{ contents: Record<string, string> }>().contents.link_as_account, bob.address)

  const record = (await ask(made.json, { method: 'GET' })).json<Check & { refund: unknown }>()
  assert.deepEqual([record.status, record.success, record.error, record.refund], [status, false, error, refund])
  assert.deepEqual(['block' in record, 'message' in record], [false, false])
  const one = await shop.rest('GET', `/api/admin/checkouts/${made.id}`, market.key())
  const shown = one.json<{ checkout: Check & { refund: unknown } }>().checkout
  assert.deepEqual([shown.status, shown.error, shown.refund], [status, error, refund])
  const all = await shop.rest('GET', '/api/admin/checkouts?status=complete', market.key())
  const listed = all.json<{ checkouts: Check[] }>().checkouts.find(({ id }) => id === made.id)
  assert.equal(listed?.status, 'refunded')
  const page = await ask(`${made.browser}?lang=en`, { method: 'GET' })
  assert.match(page.text, /data-status="refunded"/)
  assert.match(page.text, /Your payment was returned/)
  assert.ok(page.text.includes(refund!.hash!), 'the way to the block that brings it back')
  const receipt = await ask(`${made.browser}/receipt?lang=en`, { method: 'GET' })
  assert.deepEqual([receipt.status, receipt.headers.location], [303, `/pay/${made.id}?lang=en`])
})
