import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer, frontierOf, openAccount, publish } from '../support/blocks.ts'
import { until } from '../support/until.ts'
import { bearer, listEvents, merchant, nano, openWorld, stranger, turnUntil, untilStatus } from './world.ts'

/* How payments reach checkouts: every mode, and everything that can go wrong on the way. */

const address = merchant.address
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Wallets sign blocks, which need work that this ledger does not ask for and the gateway does. */
const WITH_WALLETS = { CHECKOUT_GENERATED_WALLETS: 'all', WORK_THREADS: '1', WORK_NODES: 'false' }

test('unique_amount: exactly the amount completes it, and the answer carries the proof (contract 3, Checkout: –, pending, complete, none; 2, Checkout modes: unique_amount; 2, Checkout status; 2, rule 16; 4.6, rules 1 and 2)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, amount: '1.5', metadata: { order: 'A-1' } }, bearer(world.key()))
  assert.notEqual(made.amount, '1.5', 'the bare price matches nobody')
  const before = await shop.check(made.id)
  assert.deepEqual([before.success, 'block' in before, 'message' in before], [false, false, false])
  const hash = await world.pay(address, made.amount_raw)
  const after = await untilStatus(shop, made.id, 'complete')
  assert.deepEqual(after.block?.hash, hash)
  assert.equal(after.block?.amount_raw, made.amount_raw)
  assert.ok(after.message)
  assert.equal(after.amount_due_raw, '0')
  const [event, ...more] = await listEvents(shop, made.id)
  assert.deepEqual(more, [])
  const body = JSON.parse(event!.body) as Record<string, Record<string, string>>
  assert.deepEqual(Object.keys(body), [
    ...['id', 'type', 'created_unix', 'checkout_id', 'checkout', 'status', 'address', 'payment', 'block', 'plan'],
    'metadata',
  ])
  assert.equal(body.block!.confirmed, 'true')
  assert.deepEqual(body.metadata, { order: 'A-1' })
  assert.equal(body.payment!.amount_raw, made.amount_raw)
})

test('unique_amount: one raw less, the bare price and a second payment are recorded and credit nothing (contract 3, rules 1 and 3; 2, Checkout modes: unique_amount)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const key = world.key()
  const made = await shop.open({ address, amount: '1' }, bearer(key))
  const exact = BigInt(made.amount_raw)
  const less = await world.pay(address, `${exact - 1n}`)
  const bare = await world.pay(address, nano('1'))
  const unmatched = async () =>
    (await shop.rest('GET', '/api/checkouts/unmatched', key)).json<{ payments: { block_hash: string }[] }>().payments
  await until(async () => (await unmatched()).length === 2)
  assert.equal((await shop.check(made.id)).status, 'pending')
  await world.pay(address, made.amount_raw)
  await untilStatus(shop, made.id, 'complete')
  const twice = await world.pay(address, made.amount_raw)
  await until(async () => (await unmatched()).length === 3)
  assert.deepEqual((await unmatched()).map(({ block_hash: hash }) => hash).sort(), [less, bare, twice].sort())
  const check = await shop.check(made.id)
  assert.deepEqual([check.status, check.amount_paid_raw], ['complete', made.amount_raw])
  assert.equal((await listEvents(shop, made.id)).length, 1)
})

test('unique_address: parts are summed, the last one completes it, and more is shown as too much (contract 2, Checkout modes: unique_address; 3, Checkout: partial, overpaid)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const fields = { address, amount: '1', mode: 'unique_address', webhook_events: ['payment.partial'] }
  const made = await shop.open(fields, bearer(world.key()))
  assert.equal(made.amount, '1', 'nothing is added where the address tells payments apart')
  await world.pay(address, nano('0.4'))
  const partial = await untilStatus(shop, made.id, 'partial')
  assert.equal(partial.amount_due_raw, `${nano('0.6')}`)
  assert.equal('block' in partial, false)
  await world.pay(address, nano('0.6'))
  const complete = await untilStatus(shop, made.id, 'complete')
  assert.deepEqual([complete.additional_status, complete.amount_paid_raw], ['none', `${nano('1')}`])
  await world.pay(address, nano('2'))
  await until(async () => (await shop.check(made.id)).additional_status === 'overpaid')
  assert.deepEqual(
    (await listEvents(shop, made.id)).map(({ type }) => type),
    ['payment.partial', 'payment.completed'],
  )
})

test('unique_address: one payment that is too large completes it as overpaid', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, amount: '1', mode: 'unique_address' })
  await world.pay(address, nano('1.5'))
  const check = await untilStatus(shop, made.id, 'complete')
  assert.equal(check.additional_status, 'overpaid')
  assert.equal(check.amount_due_raw, '0')
})

test('generated_wallet: what came before the end, and what comes after it, is the merchant’s all the same', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start(WITH_WALLETS)
  const made = await shop.open({ address, amount: '1', mode: 'generated_wallet' }, bearer(world.key()))
  await world.pay(made.address, nano('0.4'))
  await untilStatus(shop, made.id, 'partial')
  await turnUntil(world, 2 * HOUR, async () => (await shop.check(made.id)).status === 'expired')
  const arrived = (amount: string) => async () =>
    (await shop.call('account_balance', { account: address })).json().receivable === `${nano(amount)}`
  await turnUntil(world, 1_000, arrived('0.4'))
  await world.pay(made.address, nano('0.6'))
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).additional_status === 'paid_late')
  await turnUntil(world, 1_000, arrived('1'))
})

test('a receive that was heard of stands for its send (contract 3, rule 3)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, amount: '1' })
  // The events of the send are lost, those of the receive arrive.
  world.relay.muted = true
  const hash = await world.pay(address, made.amount_raw)
  world.relay.muted = false
  await publish(
    world.ledger.node,
    merchant.receive(frontierOf(world.ledger.node, merchant.key), hash, BigInt(made.amount_raw)),
  )
  const check = await untilStatus(shop, made.id, 'complete')
  assert.equal(check.block?.hash, hash)
})

test('a block that is not final yet shows as detected and proves nothing (contract 4.6, rule 3; 2, Checkout status: detected_block; 6, rule 5; 7, rule 3)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, amount: '1' })
  world.ledger.node.hold()
  const hash = await world.pay(address, made.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).status === 'detected')
  const check = await shop.check(made.id)
  assert.equal(check.detected_block?.hash, hash)
  assert.deepEqual([check.success, 'block' in check, 'message' in check], [false, false, false])
  await world.ledger.node.release()
  await untilStatus(shop, made.id, 'complete')
})

test('a block that loses its election takes detected back (contract 3, Checkout: detected)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, amount: '1' })
  world.ledger.node.hold()
  const hash = await world.pay(address, made.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).status === 'detected')
  await world.ledger.node.drop(hash)
  await turnUntil(world, 5_000, async () => (await shop.check(made.id)).status === 'pending')
})

test('paid while the gateway is down, and its time over meanwhile: complete, not expired (contract 3, rule 5)', async (t) => {
  const world = await openWorld(t)
  const before = await world.start()
  const made = await before.open({ address, amount: '1' })
  const unpaid = await before.open({ address, amount: '2' })
  await before.close()
  world.clock.advance(23 * HOUR)
  const hash = await world.pay(address, made.amount_raw)
  // Received, too: it no longer waits to be received.
  const { node } = world.ledger
  await publish(node, merchant.receive(frontierOf(node, merchant.key), hash, BigInt(made.amount_raw)))
  world.clock.advance(3 * HOUR)
  const after = await world.start()
  const check = await untilStatus(after, made.id, 'complete')
  assert.equal(check.block?.hash, hash)
  assert.equal(check.additional_status, 'none')
  const expired = await untilStatus(after, unpaid.id, 'expired')
  assert.deepEqual([expired.expired, expired.error, expired.success], [true, 'Expired checkout.', false])
})

test('paid while no node tells us anything: the poller finds it (contract 3, rule 5)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, amount: '1' })
  await world.relay.cut()
  await until(() => !shop.app.nodes.confirmations.connected)
  await world.pay(address, made.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).success)
})

test('nothing expires while the ledger cannot be asked (contract 3, rule 5; 4.6, rule 4; 2, Checkout status: expired; 3, Checkout: expired; 7, Texts and codes: expired checkout, in a check answer)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, amount: '1' })
  await world.relay.cut()
  await world.ledger.close()
  let turns = 0
  await turnUntil(world, 10 * 60_000, async () => ++turns > 2000)
  assert.equal((await shop.check(made.id)).status, 'pending')
})

test('paid late: recorded and shown, complete only by the word of the merchant, with one event (contract 3, rule 2; 3, Checkout: paid_late, marked; 8, Checkout: watch for late payments)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const key = world.key()
  const fields = { address, amount: '1', webhook_events: ['payment.late', 'checkout.expired'] }
  const made = await shop.open(fields, bearer(key))
  await turnUntil(world, 2 * HOUR, async () => (await shop.check(made.id)).status === 'expired')
  world.clock.advance(3 * DAY)
  await world.pay(address, made.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).additional_status === 'paid_late')
  const late = await shop.check(made.id)
  assert.deepEqual([late.status, late.success, 'block' in late], ['expired', false, false])
  const foreign = await world.join(shop)
  assert.equal((await shop.rest('POST', `/api/checkouts/${made.id}/mark`, foreign.key)).status, 404)
  assert.equal((await shop.rest('POST', `/api/checkouts/${made.id}/mark`, key)).status, 200)
  assert.equal((await shop.rest('POST', `/api/checkouts/${made.id}/mark`, key)).status, 409)
  const check = await shop.check(made.id)
  assert.deepEqual([check.status, check.additional_status, check.success], ['complete', 'marked', true])
  assert.deepEqual(
    (await listEvents(shop, made.id)).map(({ type }) => type),
    ['checkout.expired', 'payment.late', 'payment.completed'],
  )
})

test('an unmatched payment becomes the payment of a checkout by the word of the merchant', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const key = world.key()
  const made = await shop.open({ address, amount: '1' }, bearer(key))
  const hash = await world.pay(address, nano('1'))
  const mark = () => shop.rest('POST', `/api/checkouts/${made.id}/mark`, key, { block_hash: hash })
  await until(async () => (await mark()).status === 200)
  const check = await shop.check(made.id)
  assert.deepEqual([check.status, check.additional_status, check.block?.hash], ['complete', 'marked', hash])
})

test('after seven days nobody watches any more (contract 8, Checkout: watch for late payments; 3, rule 2)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, amount: '1', mode: 'unique_address' }, bearer(world.key()))
  await turnUntil(world, 2 * HOUR, async () => (await shop.check(made.id)).status === 'expired')
  world.clock.advance(8 * DAY)
  const other = await shop.open({ address: stranger.address, amount: '1' })
  await world.pay(address, nano('1'))
  await world.pay(other.address, other.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(other.id)).success)
  assert.equal((await shop.check(made.id)).amount_paid_raw, '0')
})

test('what was sent before a checkout was made does not pay it (contract 3, rule 3)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  await world.pay(address, nano('1'))
  world.clock.advance(60_000)
  const made = await shop.open({ address, amount: '1', mode: 'unique_address' })
  await turnUntil(world, 10_000, async () => {
    const row = await shop.app.store.db.selectFrom('watched_addresses').select('scanned_at').executeTakeFirst()
    return row!.scanned_at > 0
  })
  assert.equal((await shop.check(made.id)).status, 'pending')
})

test('two owners on one address are paid by one block, each once (contract 3, rule 4)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const other = await world.join(shop)
  const mode = 'unique_address'
  const mine = await shop.open({ address, amount: '1', mode }, bearer(world.key()))
  const theirs = await shop.open({ address, amount: '2', mode }, bearer(other.key))
  await world.pay(address, nano('1'))
  await untilStatus(shop, mine.id, 'complete')
  assert.equal((await shop.check(theirs.id)).status, 'partial')
})

test('an exact amount goes before a sum of the same owner', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const headers = bearer(world.key())
  const sum = await shop.open({ address, amount: '5', mode: 'unique_address' }, headers)
  const exact = await shop.open({ address, amount: '1' }, headers)
  await world.pay(address, exact.amount_raw)
  await untilStatus(shop, exact.id, 'complete')
  assert.equal((await shop.check(sum.id)).amount_paid_raw, '0')
})

test('two instances on one store hear of the same block by event and poller at once: one payment, one event (contract 6, rule 6; 3, rule 5)', async (t) => {
  const world = await openWorld(t, 'postgres')
  const [first, second] = [await world.start(), await world.start()]
  const payer = new Signer(7)
  await openAccount(world.ledger.node, payer, nano('100'))
  const checkouts = []
  for (let at = 0; at < 10; at++) checkouts.push(await first.open({ address, amount: '1' }, bearer(world.key())))
  for (const { amount_raw: raw } of checkouts) {
    const { node } = world.ledger
    await publish(node, payer.send(frontierOf(node, payer.key), merchant.key, BigInt(raw)))
    // The pollers of both come at the same moment as the events.
    world.clock.advance(15_000)
  }
  for (const { id } of checkouts) {
    await turnUntil(world, 1_000, async () => (await second.check(id)).success)
    assert.equal((await listEvents(first, id)).length, 1)
  }
  const { db } = first.app.store
  const payments = await db.selectFrom('checkout_payments').selectAll().execute()
  assert.equal(payments.length, checkouts.length)
  const completed = await db.selectFrom('checkout_timeline').select('seq').where('status', '=', 'complete').execute()
  assert.equal(completed.length, checkouts.length)
})
