import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { listEvents, show, untilStatus } from '../support/checkout-steps.ts'
import { forEachEngine } from '../support/engines.ts'
import { ask } from '../support/gateway.ts'
import { PAYER, type Refund, openRefundShop, raw } from '../support/refund-steps.ts'

/* Contract 4.10: refunds by merchants. */

const customer = new Signer(77).address

forEachEngine((engine) => {
  test('200 everything that was paid goes back to the payer from the wallet it was paid to, once, and merchant and buyer are notified (contract 4.10, rules 1, 3 and 10; 4.1, Payments, wallets, faucet, swap: checkout_refund; 2, Checkout status: amount_refunded, amount_refunded_raw, refunds; 6, rule 30; 6, Event kinds: refund.sent)', async (t) => {
    const { shop, merchant, wallet, sell, refund, untilRefund, list, fundsOf } = await openRefundShop(t, engine)
    const made = await sell()
    const before = fundsOf(PAYER)
    const reply = await refund(made.id, { reason: 'Sold out' })
    assert.equal(reply.status, 200, reply.text)
    const first = reply.json<Refund>()
    const wanted = { status: 'sending', as: 'send', amount_raw: made.amount_raw, address: PAYER, from: wallet }
    assert.deepEqual({ ...first, ...wanted, reason: 'Sold out' }, first)
    const sent = await untilRefund(made.id, 'sent')
    assert.equal(sent.hash, first.hash)
    assert.equal(fundsOf(PAYER) - before, BigInt(made.amount_raw))
    assert.equal((await list(made.id)).refundable_raw, '0')
    const check = (await shop.check(made.id)) as unknown as Record<string, unknown>
    assert.deepEqual([check.status, check.amount_refunded_raw], ['complete', made.amount_raw])
    const [only, ...more] = check.refunds as Refund[]
    assert.deepEqual([only!.status, only!.hash, more], ['sent', first.hash, []])
    assert.ok(!JSON.stringify(check).includes('Sold out'), 'what the merchant noted is for the merchant')
    const shown = await show(shop, made.id, merchant.key)
    const reasons = shown.timeline.map(({ reason }) => reason)
    assert.deepEqual(reasons.slice(-2), ['refund asked for', 'refund sent'])
    const [paid, given, ...others] = await listEvents(shop, made.id)
    assert.deepEqual([paid!.type, given!.type, others], ['payment.completed', 'refund.sent', []])
    const { id, status, hash, amount_raw } = (JSON.parse(given!.body) as { refund: Refund }).refund
    assert.deepEqual([id, status, hash, amount_raw], [first.id, 'sent', first.hash, made.amount_raw])
    const receipt = await ask(`${shop.url}/pay/${made.id}/receipt?lang=en`, { method: 'GET' })
    assert.match(receipt.text, /<dt>Refunded<\/dt>/)
    const again = await refund(made.id, { reason: 'Sold out' })
    assert.equal(again.json<Refund>().id, first.id, 'within a minute it is the same')
    assert.equal(fundsOf(PAYER) - before, BigInt(made.amount_raw))
  })

  test('of refunds asked for at once none gives back more than was paid; a key is one refund for ever, and another body with it is refused (contract 4.10, rules 2 and 3; 7, Texts and codes: refund of more than is left)', async (t) => {
    const { shop, sell, refund, list, untilRefund, fundsOf } = await openRefundShop(t, engine)
    const made = await sell({ amount: '3' })
    const before = fundsOf(PAYER)
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, at) => refund(made.id, { amount: '1' }, { 'idempotency-key': `r${at}` })),
    )
    const statuses = replies.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, 200, 200, 409, 409, 409, 409, 409])
    assert.equal(replies.find(({ status }) => status === 409)!.json().code, 'refund_too_large')
    await untilRefund(made.id, 'sent')
    assert.equal((await list(made.id)).refunds.length, 3)
    assert.equal(fundsOf(PAYER) - before, raw('3'))

    const { id } = await sell()
    const again = (amount: string) => refund(id, { amount }, { 'idempotency-key': 'order-1' })
    const forget = () => shop.app.store.db.deleteFrom('idempotency').execute()
    const first = (await again('0.5')).json<Refund>()
    await forget()
    assert.equal((await again('0.5')).json<Refund>().id, first.id)
    await forget()
    const other = await again('0.25')
    assert.deepEqual([other.status, other.json().code], [409, 'idempotency_conflict'])
    assert.equal((await list(id)).refunds.length, 1)
  })

  test('a checkout that was paid in part is given up with its refund, from its own wallet while the money is there (contract 4.10, rules 6 and 9)', async (t) => {
    const { world, shop, merchant, refund, untilRefund, fundsOf } = await openRefundShop(t, engine)
    const fields = { address: new Signer(78).address, amount: '3', mode: 'generated_wallet' }
    const made = await shop.open(fields, merchant.headers)
    await world.pay(made.address, raw('1'))
    await untilStatus(shop, made.id, 'partial')
    const before = fundsOf(PAYER)
    await world.pay(made.address, raw('0.5'))
    const reply = await refund(made.id, { amount: '1' })
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.json<Refund>().from, made.address)
    assert.equal((await shop.check(made.id)).status, 'cancelled')
    await untilRefund(made.id, 'sent')
    assert.equal(fundsOf(PAYER) - before, raw('1') - raw('0.5'))
  })
})

test('409 who cannot be paid back without an address: exchanges, wallets of the service, several payers (contract 4.10, rule 5; 7, Texts and codes: refund whose payer cannot be sent to)', async (t) => {
  const { world, shop, merchant, wallet, sell, refund } = await openRefundShop(t)
  const made = await sell()
  const { db } = shop.ctx
  const paidBy = (payer: string, id: string) =>
    db.updateTable('checkout_payments').set({ payer }).where('checkout_id', '=', id)
  const payers = (payer: string) => paidBy(payer, made.id).execute()
  await payers('nano_3jwrszth46rk1mu7rmb4rhm54us8yg1gw3ipodftqtikf5yqdyr7471nsg1k')
  const exchange = await refund(made.id)
  assert.deepEqual([exchange.status, exchange.json().code], [409, 'refund_address_required'])
  const treasury = db.selectFrom('wallets').select('address').where('purpose', '=', 'treasury')
  await payers((await treasury.executeTakeFirstOrThrow()).address)
  assert.equal((await refund(made.id)).json().code, 'refund_address_required')
  const named = await refund(made.id, { address: customer })
  assert.deepEqual([named.status, named.json<Refund>().address], [200, customer])

  const [address, mode] = [new Signer(79).address, 'unique_address']
  const shared = await shop.open({ address, mode, amount: '2' }, merchant.headers)
  await world.pay(shared.address, raw('1'))
  await untilStatus(shop, shared.id, 'partial')
  await world.pay(shared.address, raw('1'))
  await untilStatus(shop, shared.id, 'complete')
  const { hash } = (await shop.check(shared.id)).block!
  await paidBy(customer, shared.id).where('block_hash', '=', hash).execute()
  const several = (await refund(shared.id, { from: wallet })).json<{ code: string; payers: string[] }>()
  assert.equal(several.code, 'refund_address_required')
  assert.deepEqual(several.payers.sort(), [PAYER, customer].sort())
})

test('409 the money is not here: a wallet has to be named, and an account names its own alone (contract 4.10, rule 6; 7, Texts and codes: refund of money that has left the service)', async (t) => {
  const { shop, merchant, wallet, refund } = await openRefundShop(t)
  const made = await shop.open({ address: customer, amount: '1' }, merchant.headers)
  assert.equal((await refund(made.id)).json().code, 'refund_too_large', 'nothing was paid')
  const paid = { status: 'complete', paid_raw: made.amount_raw } as const
  await shop.app.store.db.updateTable('checkouts').set(paid).where('id', '=', made.id).execute()
  const at = { address: customer }
  assert.equal((await refund(made.id, at)).json().code, 'refund_source_required')
  const other = await shop.join()
  const foreign = await shop.call('cloud_wallet', { wallet_action: 'create_wallet' }, other.headers)
  const from = foreign.json<{ address: string }>().address
  assert.deepEqual((await refund(made.id, { ...at, from })).json().code, 'wallet_not_found')
  const poor = await refund(made.id, { ...at, from: wallet })
  assert.deepEqual([poor.status, poor.json().code], [403, 'insufficient_funds'])
  const strange = await shop.call('checkout_refund', { id: made.id }, other.headers)
  assert.deepEqual([strange.status, strange.json().field], [400, 'id'])
  assert.equal((await shop.rest('POST', `/api/checkouts/${made.id}/refunds`, other.key, {})).status, 404)
})
