import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { deleteReleased } from './reservations-store.ts'
import { deleteUnwatched } from './watch-store.ts'
import { ENGINES } from '../../../test/support/engines.ts'
import { Signer, frontierOf, openAccount, publish } from '../../../test/support/blocks.ts'
import { until } from '../../../test/support/until.ts'
import {
  bearer,
  listEvents,
  merchant,
  nano,
  openShop,
  openWorld,
  show,
  stranger,
  turnUntil,
  untilExpired,
  untilStatus,
} from '../../../test/support/checkout-steps.ts'

/* How payments reach checkouts of every mode; the states that follow are tested in test/spec/part3-checkout.test.ts. */

const address = merchant.address
const third = new Signer(43).address
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Wallets sign blocks, which need work: this ledger does not require it, but the gateway does. */
const WITH_WALLETS = { CHECKOUT_GENERATED_WALLETS: 'all', WORK_THREADS: '1', WORK_NODES: 'false' }

test('generated_wallet: money before and after the end goes to the merchant', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start(WITH_WALLETS)
  const made = await shop.open({ address, amount: '1', mode: 'generated_wallet' }, bearer(world.key()))
  await world.pay(made.address, nano('0.4'))
  await untilStatus(shop, made.id, 'partial')
  // A partial payment stays in the wallet until the rest arrives.
  const sweeps = shop.app.store.db.selectFrom('jobs').select('id').where('kind', '=', 'checkout.sweep')
  assert.deepEqual(await sweeps.execute(), [])
  await untilExpired(world, shop, made.id)
  const arrived = (amount: string) => async () =>
    (await shop.call('account_balance', { account: address })).json().receivable === `${nano(amount)}`
  await turnUntil(world, 1_000, arrived('0.4'))
  await world.pay(made.address, nano('0.6'))
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).additional_status === 'paid_late')
  await turnUntil(world, 1_000, arrived('1'))
})

test('an unmatched payment becomes the payment of a checkout by the word of the merchant', async (t) => {
  const { world, shop } = await openShop(t)
  const key = world.key()
  const made = await shop.open({ address, amount: '1' }, bearer(key))
  const hash = await world.pay(address, nano('1'))
  const mark = () => shop.rest('POST', `/api/checkouts/${made.id}/mark`, key, { block_hash: hash })
  await until(async () => (await mark()).status === 200)
  const check = await shop.check(made.id)
  assert.deepEqual([check.status, check.additional_status, check.block?.hash], ['complete', 'marked', hash])
  // The activity of the account shows who marked it as paid.
  const marks = shop.app.store.db.selectFrom('audit_entries').select('detail').where('what', '=', 'checkout.marked')
  const details = (await marks.execute()).map(({ detail }) => JSON.parse(detail) as object)
  assert.deepEqual(details, [{ id: made.id, blockHash: hash }])
})

test('404 a payment that was not made, or was made to another shop, marks nothing as paid', async (t) => {
  const { world, shop } = await openShop(t)
  const other = await shop.join()
  const made = await shop.open({ address, amount: '1' }, bearer(world.key()))
  const theirs = await shop.open({ address: stranger.address, amount: '1' }, bearer(other.key))
  const hash = await world.pay(stranger.address, nano('1'))
  const unmatched = () => shop.rest('GET', '/api/checkouts/unmatched', other.key)
  await until(async () => (await unmatched()).json<{ payments: object[] }>().payments.length === 1)
  for (const block_hash of ['A'.repeat(64), hash]) {
    const reply = await shop.rest('POST', `/api/checkouts/${made.id}/mark`, world.key(), { block_hash })
    assert.deepEqual([reply.status, (await shop.check(made.id)).status], [404, 'pending'])
  }
  const marked = await shop.rest('POST', `/api/checkouts/${theirs.id}/mark`, other.key, { block_hash: hash })
  assert.equal(marked.status, 200)
})

test('one checkout that cannot be written kept the detected ones of every other account from being resolved', async (t) => {
  const { world, shop } = await openShop(t)
  const other = await shop.join()
  const poisoned = await shop.open({ address, amount: '1' }, bearer(world.key()))
  const theirs = await shop.open({ address: stranger.address, amount: '1' }, bearer(other.key))
  world.ledger.node.hold()
  const isSeen = (id: string) => async () => (await shop.check(id)).status === 'detected'
  await world.pay(address, poisoned.amount_raw)
  await turnUntil(world, 1_000, isSeen(poisoned.id))
  await world.pay(stranger.address, theirs.amount_raw)
  await turnUntil(world, 1_000, isSeen(theirs.id))
  await sql`create trigger poison before update of status on checkouts when new.id = ${sql.lit(poisoned.id)}
    begin select raise(abort, 'poisoned'); end`.execute(shop.app.store.db)
  // It is the older of the two, so every round starts with it.
  const reasons = async () => (await show(shop, theirs.id, other.key)).timeline.map(({ reason }) => reason)
  await turnUntil(world, 5_000, async () => (await reasons()).includes('not confirmed'))
  assert.equal((await shop.check(poisoned.id)).status, 'detected')
  assert.match(shop.log(), new RegExp(`poisoned.*${poisoned.id}|${poisoned.id}.*poisoned`))
})

test('two instances on one store learn of the same block by event and poller at once: one payment, one event (contract 6, rule 6; 3, rule 5)', async (t) => {
  const world = await openWorld(t, 'postgres')
  const [first, second] = [await world.start(), await world.start()]
  const payer = new Signer(7)
  await openAccount(world.ledger.node, payer, nano('100'))
  const checkouts = []
  for (let at = 0; at < 10; at++) checkouts.push(await first.open({ address, amount: '1' }, bearer(world.key())))
  for (const { amount_raw: raw } of checkouts) {
    const { node } = world.ledger
    await publish(node, payer.send(frontierOf(node, payer.key), merchant.key, BigInt(raw)))
    // The pollers of both instances run at the same moment as the events arrive.
    world.clock.advance(15_000)
  }
  for (const { id } of checkouts) {
    await turnUntil(world, 1_000, async () => (await second.check(id)).success)
    assert.equal((await listEvents(first, id)).length, 1)
  }
  const { db } = first.app.store
  assert.equal((await db.selectFrom('checkout_payments').selectAll().execute()).length, checkouts.length)
  const completed = await db.selectFrom('checkout_timeline').select('seq').where('status', '=', 'complete').execute()
  assert.equal(completed.length, checkouts.length)
})

for (const engine of ENGINES) {
  test(`${engine}: who paid in time has paid, though no node was there to ask for two weeks`, async (t) => {
    const world = await openWorld(t, engine)
    const before = await world.start()
    const mine = bearer(world.key())
    const exact = await before.open({ address, amount: '1' }, mine)
    const sum = await before.open({ address: stranger.address, amount: '2', mode: 'unique_address' }, mine)
    const wrong = await before.open({ address: third, amount: '3' }, mine)
    await before.close()
    await world.pay(address, exact.amount_raw)
    await world.pay(stranger.address, nano('2'))
    const odd = await world.pay(third, nano('0.3'))
    world.clock.leap(14 * DAY)
    // The hourly job starts before the node is reachable.
    const alone = await world.start({ NODE_URLS: 'http://127.0.0.1:9' })
    await deleteReleased(alone.app.store.db, world.clock.now())
    await deleteUnwatched(alone.app.store.db, world.clock.now())
    await alone.close()
    const after = await world.start()
    for (const [{ id }, status] of [
      [exact, 'complete'],
      [sum, 'complete'],
      [wrong, 'expired'],
    ] as const) {
      await turnUntil(world, 1_000, async () => (await after.check(id)).status !== 'pending')
      assert.equal((await after.check(id)).status, status)
    }
    const unmatched = await after.rest('GET', '/api/checkouts/unmatched', world.key())
    const { payments } = unmatched.json<{ payments: { block_hash: string }[] }>()
    assert.deepEqual([payments.length, payments[0]!.block_hash], [1, odd])
  })
}
