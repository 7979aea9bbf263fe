import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatNano } from '../../src/kernel/money.ts'
import { issueKey } from '../../src/modules/accounts/index.ts'
import { Signer } from '../support/blocks.ts'
import { bearer, listEvents, show, turnUntil } from '../support/checkout-steps.ts'
import { forEachEngine } from '../support/engines.ts'
import { ask } from '../support/gateway.ts'
import { PAYER, type Refund, openRefundShop, raw } from '../support/refund-steps.ts'
import { assertNamed } from '../support/wrong-fields.ts'

/* Contract 4.10: the outcome of refunds. */

const customer = new Signer(79).address

forEachEngine((engine) => {
  test('a refund by link lies ready, is fetched once, and everybody is notified (contract 4.10, rules 7 and 8; 6, Event kinds: refund.claimed)', async (t) => {
    const { world, shop, merchant, sell, refund, untilRefund, list, fundsOf } = await openRefundShop(t, engine)
    const made = await sell({ title: 'Lamp' })
    const reply = await refund(made.id, { amount: '1.25', as: 'link' })
    assert.equal(reply.status, 200, reply.text)
    const { claim_url: link, address } = reply.json<Refund>()
    assert.deepEqual([address, link?.includes('/claim#')], [null, true])
    assert.equal((await untilRefund(made.id, 'waiting_for_claim')).claim_url, link)
    const code = link!.split('#')[1]
    const claim = (to: string) => ask(`${shop.url}/claim`, { body: JSON.stringify({ code, address: to }) })
    await turnUntil(world, 6_000, async () => (await claim(customer)).status === 200)
    assert.equal((await claim(PAYER)).status, 409, 'it is somebody’s now')
    const claimed = await untilRefund(made.id, 'claimed')
    assert.deepEqual([claimed.address, claimed.claim_url], [customer, undefined])
    assert.equal(fundsOf(customer), raw('1.25'))
    const types = (await listEvents(shop, made.id)).map(({ type }) => type)
    assert.deepEqual(types, ['payment.completed', 'refund.sent', 'refund.claimed'])
    assert.deepEqual((await shop.rest('GET', '/api/emails', merchant.key)).json<{ payments: unknown[] }>().payments, [])
    assert.equal((await list(made.id)).refundable_raw, String(BigInt(made.amount_raw) - raw('1.25')))
  })

  test('an unclaimed refund goes back, and can be made again (contract 4.10, rules 7 and 8; 6, Event kinds: refund.failed)', async (t) => {
    const { world, shop, sell, refund, untilRefund, list, fundsOf, wallet } = await openRefundShop(t, engine)
    const made = await sell()
    await refund(made.id, { as: 'link' })
    await untilRefund(made.id, 'waiting_for_claim')
    const before = fundsOf(wallet)
    // The link works once its wallet has received the money; its thirty days begin then.
    const { db } = shop.app.store
    const read = () => db.selectFrom('email_payments').selectAll().executeTakeFirst()
    await turnUntil(world, 6_000, async () => (await read())?.status === 'funded')
    const { expires_at: end, funded_at: begin } = (await read())!
    assert.equal(end! - begin!, 30 * 86_400_000)
    const now = world.clock.now()
    await db.updateTable('email_payments').set({ expires_at: now, due_at: now }).execute()
    const failed = await untilRefund(made.id, 'failed')
    assert.equal(failed.failure, 'unclaimed')
    await turnUntil(world, 6_000, () => Promise.resolve(fundsOf(wallet) > before))
    assert.equal(fundsOf(wallet) - before, BigInt(made.amount_raw))
    assert.equal((await list(made.id)).refundable_raw, made.amount_raw)
    assert.deepEqual((await listEvents(shop, made.id)).at(-1)!.type, 'refund.failed')
  })

  test('a refund whose wallet cannot pay fails, is reported, and takes nothing from what can be refunded (contract 4.10, rule 8; 6, Event kinds: refund.failed)', async (t) => {
    const shopOf = await openRefundShop(t, engine)
    const { world, shop, merchant, turning, sell, refund, list, untilRefund, wallet, fundsOf } = shopOf
    const made = await sell()
    const all = { send: customer, amount: 'all', account: wallet }
    const sent = await turning(shop.call('cloud_wallet', all, merchant.headers))
    assert.equal(sent.status, 200, sent.text)
    const before = fundsOf(PAYER)
    const key = { 'idempotency-key': 'one' }
    const poor = await refund(made.id, {}, key)
    assert.deepEqual([poor.status, poor.json().code], [403, 'insufficient_funds'])
    const { refunds, refundable_raw: left } = await list(made.id)
    assert.deepEqual([refunds.length, left], [1, made.amount_raw])
    assert.deepEqual([refunds[0]!.status, refunds[0]!.failure], ['failed', 'insufficient_funds'])
    assert.equal('refunds' in (await shop.check(made.id)), false, 'the payer hears nothing of it')
    assert.equal((await show(shop, made.id, merchant.key)).timeline.at(-1)!.reason, 'refund failed')
    assert.equal((await listEvents(shop, made.id)).at(-1)!.type, 'refund.failed')
    await world.pay(wallet, raw('5'))
    const again = await refund(made.id, {}, key)
    assert.equal(again.status, 200, again.text)
    assert.notEqual(again.json<Refund>().status, 'failed')
    await untilRefund(made.id, 'sent')
    assert.equal(fundsOf(PAYER) - before, BigInt(made.amount_raw) - raw('5'))
  })

  test('while the node refuses, a refund waits with its signed block, and arrives as that once the node takes it (contract 4.10, rule 8)', async (t) => {
    const shopOf = await openRefundShop(t, engine, { WALLET_WAIT_MS: '2000' })
    const { world, shop, merchant, sell, refund, list, untilRefund, fundsOf, wallet } = shopOf
    const made = await sell()
    await turnUntil(world, 1_000, async () => {
      const { status } = await shop.call('cloud_wallet', { account: wallet, receive: true }, merchant.headers)
      const row = shop.app.store.db.selectFrom('wallets').select('balance_raw').where('address', '=', wallet)
      return status === 200 && (await row.executeTakeFirst())!.balance_raw !== '0'
    })
    const before = fundsOf(PAYER)
    const { faults } = world.ledger.node
    faults.set('process', { kind: 'error', milliseconds: 0 })
    const asked = refund(made.id)
    await turnUntil(world, 500, async () => (await list(made.id)).refunds[0]?.status === 'sending')
    const { hash } = (await list(made.id)).refunds[0]!
    world.clock.advance(20 * 60_000)
    assert.ok((await asked).status < 500)
    assert.equal((await list(made.id)).refunds[0]!.status, 'sending', 'what is signed does not fail')
    assert.equal(fundsOf(PAYER), before)
    faults.end('process')
    const sent = await untilRefund(made.id, 'sent')
    assert.equal(sent.hash, hash)
    assert.equal(fundsOf(PAYER) - before, BigInt(made.amount_raw))
  })
})

test('a part in the currency of the price goes back at the rate of the payment or of today (contract 4.10, rule 4)', async (t) => {
  const { shop, sell, refund, list, merchant } = await openRefundShop(t)
  const made = await sell({ amount: '10', currency: 'USD' })
  const { payments } = await show(shop, made.id, merchant.key)
  const { rate } = payments[0] as unknown as { rate: string }
  const part = (await refund(made.id, { fiat_amount: '2.50' })).json<Refund>()
  assert.deepEqual([part.fiat_amount, part.rate], ['2.50', rate])
  const exact = 2.5 / Number(rate)
  assert.ok(Number(part.amount) >= exact && Number(part.amount) - exact < 0.000_002, `${part.amount} of ${exact}`)
  const today = (await refund(made.id, { fiat_amount: '1', rate: 'now' })).json<Refund>()
  assert.equal(today.fiat_amount, '1.00')
  assert.equal((await refund(made.id, { fiat_amount: '9' })).json().code, 'refund_too_large')
  const rest = (await refund(made.id)).json<Refund>()
  assert.equal((await list(made.id)).refundable_raw, '0')
  assert.ok(Number(rest.fiat_amount) > 6 && Number(rest.fiat_amount) < 7)
  const inNano = await sell()
  await assertNamed(
    (fields) => refund(inNano.id, fields),
    [
      ['fiat_amount', { fiat_amount: '1' }, { amount: '1', fiat_amount: '1' }],
      ['rate', { rate: 'now' }],
      ['amount', { amount: '0' }, { amount: 'some' }, { as: 'link', amount: '0.0000009' }],
      ['as', { as: 'gift' }],
      ['address', { as: 'link', address: customer }, { address: 'nano_1' }],
      ['from', { as: 'link', from: customer }, { from: 'nano_1' }],
      ['reason', { reason: 'x'.repeat(281) }],
    ],
  )
  assert.deepEqual((await list(inNano.id)).refunds, [])
})

test('reports have gross, refunded and net, and the export a line below zero for each refund (contract 4.10, rule 10; 2, Checkout report: revenue; 4.5, Administrative checkout REST API: GET /api/admin/checkouts/:id/refunds, POST /api/admin/checkouts/:id/refunds, GET /api/admin/checkouts/export.csv)', async (t) => {
  const { shop, merchant, sell, untilRefund } = await openRefundShop(t)
  const made = await sell()
  const path = `/api/admin/checkouts/${made.id}/refunds`
  const reply = await shop.rest('POST', path, merchant.key, { amount: '0.5' })
  assert.equal(reply.status, 201, reply.text)
  const { hash } = await untilRefund(made.id, 'sent')
  const report = (await shop.call('checkout_report', {}, merchant.headers)).json<{
    revenue: { NANO: Record<string, string> }
    checkouts: { refunds: Refund[] }[]
  }>()
  const { gross, refunded, net, net_raw: netRaw } = report.revenue.NANO
  assert.deepEqual([gross, refunded], [made.amount, '0.5'])
  assert.equal(netRaw, String(BigInt(made.amount_raw) - raw('0.5')))
  assert.equal(net, formatNano(BigInt(made.amount_raw) - raw('0.5')))
  assert.equal(report.checkouts[0]!.refunds.map(({ hash }) => hash).join(), hash)
  const stats = (await shop.rest('GET', '/api/checkouts/stats', merchant.key)).json<typeof report>()
  assert.equal(stats.revenue.NANO.refunded, '0.5')
  const lines = (await shop.rest('GET', '/api/checkouts/export.csv', merchant.key)).text.trim().split('\r\n')
  const [head, ...rows] = lines.map((line) => line.split(','))
  const at = (name: string) => head!.findIndex((cell) => cell.endsWith(name))
  const kinds = rows.map((row) => `${row[at('type')]} ${row[at('amount_nano')]}`)
  assert.deepEqual(kinds, ['refund -0.5', `payment ${made.amount}`])
})

test('a key gives back with the scope for it, within its day; a merchant whose wallet is frozen is notified of that, by send and by link, and none is made in vain (contract 4.10, rules 6 and 11; 5, rule 26)', async (t) => {
  const { shop, merchant, sell, list, refund, wallet } = await openRefundShop(t)
  const made = await sell()
  const issue = async (wanted: NonNullable<Parameters<typeof issueKey>[1]['wanted']>) => {
    const key = { accountId: merchant.accountId, kind: 'secret', name: 'test', actor: OPERATOR, wanted } as const
    return bearer((await issueKey(shop.ctx, key)).text)
  }
  const at = async (headers: Record<string, string>, amount: string) =>
    (await shop.call('checkout_refund', { id: made.id, amount }, headers)).json()
  assert.equal((await at(await issue({ scopes: ['checkout', 'wallets:send'] }), '0.1')).code, 'missing_scope')
  const limited = await issue({ scopes: ['refunds'], spendDaily: raw('1') })
  assert.equal((await at(limited, '0.75')).failure, null)
  const beyond = await at(limited, '0.5')
  assert.deepEqual([beyond.code, beyond.spent], ['spending_limit', '0.75'])
  assert.equal((await list(made.id)).refunds.length, 1)

  const { db } = shop.ctx
  await db.updateTable('wallets').set({ frozen_at: 1, frozen_reason: 'test' }).where('address', '=', wallet).execute()
  const count = async () => (await db.selectFrom('wallets').select('id').execute()).length
  const before = await count()
  for (const as of ['send', 'link']) {
    assert.equal((await refund(made.id, { as, from: wallet })).json<Refund>().code, 'wallet_frozen')
  }
  assert.deepEqual([await count(), (await list(made.id)).refunds.length], [before, 1])
})
