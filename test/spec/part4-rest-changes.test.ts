import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { ENGINES } from '../support/engines.ts'
import { type Reply, ask } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import {
  bearer,
  type Made,
  merchant,
  nano,
  openShop,
  openWorld,
  show,
  type Shown,
  stranger,
  turnUntil,
  untilStatus,
} from '../support/checkout-steps.ts'
import { openReceiver } from '../support/webhook-steps.ts'

/* Contract 4.5: what a merchant may read and change of a checkout, and how payments are accepted. */

const { address } = merchant
const HOUR = 3_600_000

interface View {
  amount_raw: string
  plans: { title: string }[]
  [name: string]: unknown
}

interface Whole extends Omit<Shown, 'webhook_events'> {
  webhook_events: { type: string; deliveries: { state: string }[] }[]
  wallet: Record<string, string> | null
}

const changed = (reply: Reply) => {
  assert.equal(reply.status, 200, reply.text)
  const { success, checkout } = reply.json<{ success: boolean; checkout: View }>()
  assert.equal(success, true)
  return checkout
}

test('PUT changes texts until it is paid, and the price only until somebody has seen it (contract 4.5, Administrative checkout REST API: PUT /api/admin/checkouts/:id, GET /api/admin/checkouts/unmatched; 4.5, rules 7 and 9)', async (t) => {
  const world = await openWorld(t)
  const names = { KNOWN_NAMES: JSON.stringify({ second: stranger.address }), CHECKOUT_GENERATED_WALLETS: 'all' }
  const shop = await world.start(names)
  const { key } = await shop.join()
  const { key: foreign } = await shop.join()
  const unmatched = async (as = key) =>
    (await shop.rest('GET', '/api/admin/checkouts/unmatched', as)).json<Pick<Shown, 'payments'>>().payments
  const put = (id: string, body: object) => shop.rest('PUT', `/api/admin/checkouts/${id}`, key, body)
  const refused = async (id: string, body: object, field: string) => {
    const reply = await put(id, body)
    assert.deepEqual([reply.status, reply.json().field], [409, field], JSON.stringify(body))
  }

  const made = await shop.open({ address, amount: '1' }, bearer(key))
  const first = changed(await put(made.id, { title: 'New', amount: '2', metadata: { a: 1 } }))
  assert.deepEqual([first.title, first.metadata], ['New', { a: 1 }])
  assert.ok(BigInt(first.amount_raw) > nano('2') && BigInt(first.amount_raw) < nano('2.01'))
  // A new address changes the amount and the link as well.
  const moved = changed(await put(made.id, { address: '@second' }))
  assert.deepEqual([moved.address, moved.title], [stranger.address, 'New'])
  const record = (await ask(`${shop.url}/checkout/${made.id}`, { method: 'GET' })).json()
  assert.equal(record.link, `nano:${stranger.address}?amount=${moved.amount_raw}`)
  assert.equal(changed(await put(made.id, { currency: 'EUR', amount: '5' })).currency, 'EUR')
  const planned = changed(await put(made.id, { currency: 'NANO', amount: '2', plans: [{ title: 'A', value: '3' }] }))
  assert.equal(planned.plans.map(({ title }) => title).join(), 'A')
  const last = changed(await put(made.id, { plans: [], amount: '2' }))

  // Payments of the earlier terms do not pay it; the merchant decides about them.
  const old = [await world.pay(address, made.amount_raw), await world.pay(stranger.address, moved.amount_raw)]
  await until(async () => (await unmatched()).length === 2)
  assert.deepEqual((await unmatched()).map(({ block_hash: hash }) => hash).sort(), old.sort())
  assert.deepEqual(await unmatched(foreign), [])
  assert.equal((await shop.check(made.id)).status, 'pending')
  const terms = { amount: '3', address, mode: 'unique_address', currency: 'USD', plans: [{ title: 'B', value: '1' }] }
  for (const [field, value] of Object.entries(terms)) await refused(made.id, { [field]: value }, field)
  assert.equal((await put(made.id, { success_url: 'javascript:alert(1)' })).status, 400)
  const same = { title: 'Newer', amount: '2', address: stranger.address, mode: 'unique_amount', currency: 'NANO' }
  assert.equal(changed(await put(made.id, same)).title, 'Newer', 'what is repeated unchanged is no change')
  await world.pay(stranger.address, last.amount_raw)
  await untilStatus(shop, made.id, 'complete')
  const late = await put(made.id, { title: 'Too late' })
  assert.deepEqual([late.status, late.json().code], [409, 'checkout_closed'])

  const served = await shop.open({ address, amount: '1' }, bearer(key))
  await ask(`${shop.url}/pay/${served.id}`, { method: 'GET' })
  await refused(served.id, { amount: '2' }, 'amount')
  await refused(served.id, { address: stranger.address }, 'address')
  assert.equal(changed(await put(served.id, { title: 'Seen' })).title, 'Seen')

  const wallet = await shop.open({ address, amount: '1', mode: 'generated_wallet' }, bearer(key))
  await refused(wallet.id, { address: stranger.address }, 'address')
  await refused(wallet.id, { mode: 'unique_address' }, 'mode')
  assert.equal(changed(await put(wallet.id, { amount: '2' })).amount_raw, `${nano('2')}`)
  const plain = await shop.open({ address, amount: '1' }, bearer(key))
  await refused(plain.id, { mode: 'generated_wallet' }, 'mode')
  // Nobody has opened these payment pages: the reason is the wallet.
  for (const [id, mode] of [
    [wallet.id, 'unique_address'],
    [plain.id, 'generated_wallet'],
  ] as const)
    assert.match(
      (await put(id, { mode })).json<{ error: string }>().error,
      /a generated wallet is made with its checkout/,
    )
})

// A merchant changes a checkout to an address in use: earlier payments there must not pay it.
for (const engine of ENGINES) {
  test(`PUT to a summing mode, ${engine}: only later payments count, and an address has only one such checkout (contract 4.5, rule 9)`, async (t) => {
    const world = await openWorld(t, engine)
    const shop = await world.start()
    const { key } = await shop.join()
    const fresh = new Signer(43).address
    const put = (id: string, body: object) => shop.rest('PUT', `/api/checkouts/${id}`, key, body)
    const made = await shop.open({ address, amount: '1' }, bearer(key))
    world.clock.advance(10_000)
    await world.pay(fresh, nano('5'))
    world.clock.advance(10_000)
    const moved = changed(await put(made.id, { address: fresh, mode: 'unique_address' }))
    assert.deepEqual([moved.address, moved.mode, moved.amount_raw], [fresh, 'unique_address', `${nano('1')}`])
    const other = await shop.open({ address, amount: '1' }, bearer(key))
    const taken = await put(other.id, { address: fresh, mode: 'unique_address' })
    assert.deepEqual([taken.status, taken.json().field], [409, 'address'])
    const part = await world.pay(fresh, nano('0.4'))
    await turnUntil(world, 1_000, async () => (await shop.check(made.id)).status === 'partial')
    // Several scans of the address find the earlier payment too.
    const scannedBefore = world.clock.now()
    await turnUntil(world, 5_000, async () => world.clock.now() - scannedBefore > 3 * 60_000)
    const check = await shop.check(made.id)
    assert.deepEqual([check.status, check.amount_paid_raw], ['partial', `${nano('0.4')}`])
    await world.pay(fresh, nano('0.6'))
    await turnUntil(world, 1_000, async () => (await shop.check(made.id)).success)
    const { payments } = await show(shop, made.id, key)
    assert.deepEqual([payments.length, payments[0]!.block_hash], [2, part])
  })
}

test('DELETE cancels open checkouts and hides paid ones; late money is recorded (contract 4.5, Administrative checkout REST API: DELETE /api/admin/checkouts/:id; 4.5, rule 8; 3, Checkout: cancelled)', async (t) => {
  const { world, shop } = await openShop(t)
  const key = world.key()
  const [open, paid] = [
    await shop.open({ address, amount: '1' }, bearer(key)),
    await shop.open({ address, amount: '2' }, bearer(key)),
  ]
  await world.pay(address, paid.amount_raw)
  await untilStatus(shop, paid.id, 'complete')
  for (const { id } of [open, paid]) {
    const reply = await shop.rest('DELETE', `/api/checkouts/${id}`, key)
    assert.deepEqual([reply.status, reply.json()], [200, { success: true, deleted: true, id }])
  }
  assert.equal((await shop.check(open.id)).status, 'cancelled')
  assert.equal((await shop.check(paid.id)).status, 'complete')
  const list = (await shop.rest('GET', '/api/checkouts', key)).json<{ checkouts: { id: string }[]; total: number }>()
  assert.deepEqual([list.checkouts.map(({ id }) => id), list.total], [[open.id], 1])
  await world.pay(address, open.amount_raw)
  await until(async () => (await shop.check(open.id)).additional_status === 'paid_late')
  const [late, ...others] = (await show(shop, open.id, key)).payments
  assert.deepEqual([late!.kind, late!.amount_raw, others], ['late', open.amount_raw, []])
  const stats = await shop.rest('GET', '/api/checkouts/stats', key)
  const { total, by_status: counts } = stats.json<{ total: number; by_status: Record<string, number> }>()
  assert.deepEqual([total, counts.complete, counts.cancelled], [2, 1, 1])
  const report = (await shop.call('checkout_report', {}, bearer(key))).json<{ summary: { total: number } }>()
  assert.equal(report.summary.total, 2)
})

test('GET :id shows payments, events with their deliveries, wallet and timeline; redeliver sends the events again (contract 4.5, Administrative checkout REST API: GET /api/admin/checkouts/:id, POST /api/admin/checkouts/:id/redeliver; 4.5, rules 5, 10 and 12)', async (t) => {
  const { world, shop, key } = await openShop(t, { CHECKOUT_GENERATED_WALLETS: 'all' })
  const receiver = await openReceiver(t)
  const read = async (id: string) => (await shop.rest('GET', `/api/admin/checkouts/${id}`, key)).json<Whole>()
  const made = await shop.open({ address, amount: '1', webhook_url: receiver.url }, bearer(key))
  const hash = await world.pay(address, made.amount_raw)
  await untilStatus(shop, made.id, 'complete')
  await until(async () => (await read(made.id)).webhook_events[0]?.deliveries[0]?.state === 'delivered')
  const all = await read(made.id)
  assert.deepEqual(Object.keys(all), ['checkout', 'payments', 'webhook_events', 'wallet', 'timeline'])
  assert.deepEqual([all.checkout.status, all.checkout.block_hash], ['complete', hash])
  const [payment] = all.payments
  const expected = { block_hash: hash, kind: 'counted', checkout_id: made.id, address, amount_raw: made.amount_raw }
  assert.deepEqual({ ...payment, ...expected }, payment)
  const events = all.webhook_events.map(({ type, deliveries }) => `${type} ${deliveries.length}`)
  assert.deepEqual(events, ['payment.completed 1'])
  assert.equal(all.wallet, null)
  const timeline = all.timeline.map(({ seq, status, reason }) => `${seq} ${status} ${reason}`)
  assert.deepEqual(timeline, ['1 pending created', '2 complete paid'])

  const headers = { ...bearer(key), 'idempotency-key': 'again' }
  const again = () => ask(`${shop.url}/api/admin/checkouts/${made.id}/redeliver`, { headers })
  const redelivered = await again()
  const { success, redelivered: count, deliveries } = redelivered.json<Record<string, unknown>>()
  assert.deepEqual([redelivered.status, success, count], [200, true, 1])
  assert.equal((deliveries as unknown[]).length, 1)
  assert.equal((await again()).headers['idempotent-replayed'], 'true')
  await until(() => receiver.requests.length === 2)
  assert.equal(receiver.requests[1]!.body, receiver.requests[0]!.body)
  await until(async () => (await read(made.id)).webhook_events[0]!.deliveries.every((one) => one.state === 'delivered'))
  assert.equal((await read(made.id)).webhook_events[0]!.deliveries.length, 2)

  const generated = await shop.open({ address, amount: '1', mode: 'generated_wallet' }, bearer(key))
  const { wallet } = await read(generated.id)
  const held = { address: generated.address, status: 'active', balance: '0', balance_nano: '0' }
  assert.deepEqual(wallet, { id: wallet!.id, ...held })
})

test('mark: what ended, was paid late or has an unmatched payment is paid once its merchant marks it (contract 4.5, Administrative checkout REST API: POST /api/admin/checkouts/:id/mark; 4.5, rule 14; 3, Checkout: marked)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const mark = (id: string, body: object = {}) => shop.rest('POST', `/api/admin/checkouts/${id}/mark`, key, body)
  const [given, ended] = [
    await shop.open({ address, amount: '1' }, bearer(key)),
    await shop.open({ address, amount: '2' }, bearer(key)),
  ] as [Made, Made]
  const early = await mark(given.id)
  assert.deepEqual([early.status, early.json().code], [409, 'conflict'])
  const wrong = await mark(given.id, { block_hash: 'zz' })
  assert.deepEqual([wrong.status, wrong.json().code], [400, 'invalid_hash'])
  const missing = await mark(given.id, { block_hash: 'A'.repeat(64) })
  assert.deepEqual([missing.status, missing.json().field], [404, 'block_hash'])

  // A customer who typed another amount.
  const hash = await world.pay(address, nano('0.9'))
  await until(async () => {
    const { payments } = (await shop.rest('GET', '/api/checkouts/unmatched', key)).json<Pick<Shown, 'payments'>>()
    return payments.some(({ block_hash: found }) => found === hash)
  })
  const paid = changed(await mark(given.id, { block_hash: hash.toLowerCase() }))
  assert.deepEqual([paid.status, paid.additional_status, paid.block_hash], ['complete', 'marked', hash])
  const check = await shop.check(given.id)
  assert.deepEqual([check.success, check.block?.hash, check.amount_paid_raw], [true, hash, `${nano('0.9')}`])
  assert.equal((await mark(given.id)).status, 409)

  await turnUntil(world, 2 * HOUR, async () => (await shop.check(ended.id)).status === 'expired')
  assert.equal(changed(await mark(ended.id)).additional_status, 'marked')
  assert.equal((await shop.check(ended.id)).status, 'complete')
})
