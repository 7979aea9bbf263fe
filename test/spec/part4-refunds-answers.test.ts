import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { type Check, listEvents, show, turnUntil, untilExpired, untilStatus } from '../support/checkout-steps.ts'
import { forEachEngine } from '../support/engines.ts'
import { ask } from '../support/gateway.ts'
import { PAYER, type Refund, type RefundShop, openRefundShop, raw } from '../support/refund-steps.ts'

/* Contract 4.10: which refunds are the same, allowed destinations, and what a refund rules out. */

const first = new Signer(81).address
const second = new Signer(82).address
const keeper = new Signer(83).address

const mark = ({ shop, merchant }: RefundShop, id: string) =>
  shop.rest('POST', `/api/checkouts/${id}/mark`, merchant.key, {})

const INVOICE = { lines: [{ title: 'Lamp', price: '2' }] }

forEachEngine((engine) => {
  test('a merchant who refunded a late payment in full could still mark it as paid, and was sent payment.completed after refund.sent (contract 4.10, rule 12; 7, Texts and codes: mark of a checkout that was refunded)', async (t) => {
    const opened = await openRefundShop(t, engine)
    const { world, shop, merchant, wallet, refund, untilRefund } = opened
    const made = await shop.open({ address: wallet, amount: '2', invoice: INVOICE }, merchant.headers)
    await untilExpired(world, shop, made.id)
    await world.pay(made.address, made.amount_raw)
    await turnUntil(world, 6_000, async () => (await shop.check(made.id)).additional_status === 'paid_late')
    await refund(made.id)
    await untilRefund(made.id, 'sent')
    const refused = await mark(opened, made.id)
    assert.deepEqual([refused.status, refused.json().code], [409, 'refunded'], refused.text)
    const { checkout } = await show(shop, made.id, merchant.key)
    assert.deepEqual([checkout.status, (checkout.invoice as { number: null }).number], ['expired', null])
    const types = (await listEvents(shop, made.id)).map(({ type }) => type)
    assert.ok(!types.includes('payment.completed'), types.join())
  })

  test('a merchant who refunded a part payment could mark the cancelled checkout as paid (contract 4.10, rule 12)', async (t) => {
    const opened = await openRefundShop(t, engine)
    const { world, shop, merchant, refund, untilRefund } = opened
    const fields = { address: keeper, amount: '3', mode: 'generated_wallet' }
    const made = await shop.open(fields, merchant.headers)
    await world.pay(made.address, raw('1'))
    await untilStatus(shop, made.id, 'partial')
    await refund(made.id)
    await untilRefund(made.id, 'sent')
    const refused = await mark(opened, made.id)
    assert.deepEqual([refused.status, refused.json().code], [409, 'refunded'], refused.text)
    assert.equal((await shop.check(made.id)).status, 'cancelled')
  })

  test('a second customer’s refund of the same amount to another address within a minute was swallowed (contract 4.10, rule 3)', async (t) => {
    const { sell, refund, list, untilRefund, fundsOf } = await openRefundShop(t, engine)
    const made = await sell({ amount: '3' })
    const ask = { amount: '0.5', address: first }
    const one = await refund(made.id, ask)
    const two = await refund(made.id, { ...ask, address: second })
    assert.equal(two.headers['idempotent-replayed'], undefined)
    assert.notEqual(two.json<Refund>().id, one.json<Refund>().id)
    const because = await refund(made.id, { ...ask, reason: 'and another' })
    assert.notEqual(because.json<Refund>().id, one.json<Refund>().id)
    const again = await refund(made.id, ask)
    assert.deepEqual([again.json<Refund>().id, again.headers['idempotent-replayed']], [one.json<Refund>().id, 'true'])
    const link = (await refund(made.id, { amount: '0.5', as: 'link' })).json<Refund>()
    const linkAgain = await refund(made.id, { amount: '0.5', as: 'link' })
    assert.deepEqual([linkAgain.json<Refund>().id, linkAgain.json<Refund>().claim_url], [link.id, link.claim_url])
    const payers = (await refund(made.id, { amount: '0.5' })).json<Refund>()
    const named = await refund(made.id, { amount: '0.5', address: PAYER })
    assert.deepEqual([named.json<Refund>().id, named.headers['idempotent-replayed']], [payers.id, 'true'])
    assert.equal((await list(made.id)).refunds.length, 5)
    await untilRefund(made.id, 'sent')
    assert.deepEqual([fundsOf(first), fundsOf(second)], [raw('1'), raw('0.5')])
  })
})

test('the same refund over REST within a minute says that it was answered before (contract 4.10, rule 3)', async (t) => {
  const { shop, merchant, sell, turning } = await openRefundShop(t)
  const made = await sell()
  const ask = () => turning(shop.rest('POST', `/api/checkouts/${made.id}/refunds`, merchant.key, { amount: '0.5' }))
  const [one, two] = [await ask(), await ask()]
  assert.equal(two.json<Refund>().id, one.json<Refund>().id)
  assert.deepEqual(
    [one, two].map(({ headers }) => headers['idempotent-replayed']),
    [undefined, 'true'],
  )
})

test('a refund was sent from a wallet into the same wallet, and to wallets of the service that no customer keeps (contract 4.10, rules 5 and 13)', async (t) => {
  const { shop, merchant, wallet, sell, refund, untilRefund, list, fundsOf } = await openRefundShop(t)
  const made = await sell()
  const { db } = shop.ctx
  const own = await refund(made.id, { address: wallet })
  assert.deepEqual([own.status, own.json().field], [400, 'address'], own.text)
  const generated = await shop.open({ address: keeper, amount: '1', mode: 'generated_wallet' }, merchant.headers)
  const treasury = db.selectFrom('wallets').select('address').where('purpose', '=', 'treasury')
  for (const address of [generated.address, (await treasury.executeTakeFirstOrThrow()).address]) {
    const named = await refund(made.id, { address })
    assert.deepEqual([named.status, named.json().code], [409, 'refund_address_required'], named.text)
    await db.updateTable('checkout_payments').set({ payer: address }).where('checkout_id', '=', made.id).execute()
    assert.equal((await refund(made.id)).json().code, 'refund_address_required')
  }
  assert.deepEqual((await list(made.id)).refunds, [])
  // A wallet of another customer is an address like any other.
  const customer = await shop.join()
  const kept = await shop.call('cloud_wallet', { wallet_action: 'create_wallet' }, customer.headers)
  const address = kept.json<{ address: string }>().address
  await db.updateTable('checkout_payments').set({ payer: address }).where('checkout_id', '=', made.id).execute()
  assert.equal((await refund(made.id)).json<Refund>().address, address)
  await untilRefund(made.id, 'sent')
  assert.equal(fundsOf(address), BigInt(made.amount_raw))
})

test('an operator found a stack in the log for every buyer who opened a refund link early (contract 4.10, rule 7)', async (t) => {
  const { world, shop, sell, refund } = await openRefundShop(t, 'sqlite', { WALLET_WAIT_MS: '2000' })
  const made = await sell()
  world.ledger.node.hold()
  const { claim_url: link } = (await refund(made.id, { as: 'link' })).json<Refund>()
  const before = shop.log().length
  const early = await ask(`${shop.url}/claim`, { body: JSON.stringify({ code: link!.split('#')[1], address: first }) })
  assert.deepEqual([early.status, early.json<Check & { code: string }>().code], [503, 'wallet_busy'])
  assert.ok(Number(early.headers['retry-after']) > 0)
  const lines = shop.log().slice(before)
  assert.doesNotMatch(lines, /"level":[56]0|stack|\bat .*\.ts:/)
  await world.ledger.node.release()
})
