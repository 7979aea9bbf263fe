import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { LedgerNode } from '../../devnet/node.ts'
import type { StoreEngine } from '../../kernel/dialect.ts'
import { ENGINES } from '../../../test/support/engines.ts'
import { Signer, UNOPENED, frontierOf, publish } from '../../../test/support/blocks.ts'
import { until } from '../../../test/support/until.ts'
import {
  type Shop,
  type World,
  bearer,
  nano,
  openWorld,
  show,
  turnUntil,
  untilStatus,
} from '../../../test/support/checkout-steps.ts'

/*
 * What was sent to an address before a checkout was made there never pays for the checkout. The time at which a node
 * first saw a block proves nothing: for a freshly synced node that is today.
 */

const TWO = nano('2')
const HOUR = 3_600_000

/** A gateway that has forgotten what it has seen looks at every address. */
async function lookAnew(world: World, shop: Shop, env?: Record<string, string>): Promise<Shop> {
  await shop.close()
  world.clock.advance(60_000)
  const since = world.clock.now()
  const next = await world.start(env)
  await turnUntil(world, 500, async () => {
    const rows = await next.app.store.db.selectFrom('watched_addresses').select('scanned_at').execute()
    return rows.every(({ scanned_at: at }) => at >= since)
  })
  return next
}

const openOne = async (t: TestContext, ...engine: [StoreEngine?]) => {
  const world = await openWorld(t, ...engine)
  return { world, node: world.ledger.node, shop: await world.start() }
}

const statuses = (shop: Shop, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await shop.check(id)).status))

/** The node has downloaded the ledger again, so for it every block arrived at the same moment. */
const resync = (node: LedgerNode, timestamp = Math.floor(node.clock.now() / 1000)) =>
  node.write(() => node.ledger.store.stampAll(timestamp))

/** The node reports a confirmed block again. */
function tellAgain({ ledger: { node } }: World, hash: string): void {
  node.requestElection(node.ledger.store.findBlock(hash)!)
}

/** Like a store of 0.1, which did not look at what was on an address. */
async function forgetLooks({ app: { store } }: Shop): Promise<void> {
  const none = { look: null, look_height: null }
  await store.db.updateTable('checkouts').set(none).execute()
  await store.db.updateTable('checkout_watchers').set(none).execute()
  await store.db.updateTable('watched_addresses').set({ looks: 0, floor_height: null }).execute()
  await store.db.deleteFrom('checkout_sightings').execute()
}

for (const engine of ENGINES) {
  test(`${engine}: a payment of last week does not pay today's order because the node was synced anew (contract 3, rule 3)`, async (t) => {
    const world = await openWorld(t, engine)
    const { node } = world.ledger
    const [waiting, received, given] = [new Signer(51), new Signer(52), new Signer(53)]
    const oldSend = await world.pay(waiting.address, TWO)
    const oldReceived = await world.pay(received.address, TWO)
    await publish(node, received.receive(UNOPENED, oldReceived, TWO))
    await world.pay(given.address, TWO)
    world.clock.advance(7 * 24 * HOUR)
    const shop = await world.start()
    const key = bearer(world.key())
    const ids = [
      (await shop.open({ address: waiting.address, amount: '2', mode: 'unique_address' }, key)).id,
      (await shop.open({ address: received.address, amount: '2', mode: 'unique_address' }, key)).id,
      (await shop.open({ address: given.address, mode: 'unique_address' }, key)).id,
    ]
    world.clock.advance(60_000)
    await resync(node)
    const after = await lookAnew(world, shop)
    assert.deepEqual(await statuses(after, ids), ['pending', 'pending', 'pending'])
    // The node may also report old blocks as new, whether they are receivable or received.
    tellAgain(world, oldSend)
    tellAgain(world, oldReceived)
    // Events are processed in order: once the new payments count, the old ones have been processed.
    const send = await world.pay(received.address, TWO)
    await publish(node, received.receive(frontierOf(node, received.key), send, TWO))
    await world.pay(given.address, nano('0.5'))
    await world.pay(waiting.address, TWO)
    const paid = await Promise.all(ids.map((id) => untilStatus(after, id, 'complete')))
    const amounts = paid.map((check) => check.amount_paid_raw)
    assert.deepEqual(amounts, [TWO, TWO, nano('0.5')].map(String))
    assert.equal(paid[1]!.block!.hash, send)
    const unmatched = await after.rest('GET', '/api/checkouts/unmatched', world.key())
    assert.deepEqual(unmatched.json<{ payments: unknown[] }>().payments, [])
  })

  test(`${engine}: a payment that is on its way when another shop opens an order at the same address pays the first alone`, async (t) => {
    const { world, node, shop } = await openOne(t, engine)
    const { address } = new Signer(54)
    const order = { address, amount: '2', mode: 'unique_address' }
    const { key: other } = await shop.join()
    const first = await shop.open(order, bearer(world.key()))
    node.hold()
    await world.pay(address, TWO)
    // In the same second, so that no time distinguishes the two.
    const second = await shop.open(order, bearer(other))
    await node.release()
    await untilStatus(shop, first.id, 'complete')
    await resync(node)
    const after = await lookAnew(world, shop)
    assert.equal((await after.check(second.id)).status, 'pending')
    await world.pay(address, TWO)
    await untilStatus(after, second.id, 'complete')
    // One more for the first checkout, which was open before.
    assert.equal((await after.check(first.id)).additional_status, 'overpaid')
  })

  test(`${engine}: a checkout that is moved to another address does not count money that was already there`, async (t) => {
    const { world, node, shop } = await openOne(t, engine)
    const [from, to] = [new Signer(55).address, new Signer(56).address]
    const made = await shop.open({ address: from, amount: '2', mode: 'unique_address' }, bearer(world.key()))
    await world.pay(to, TWO)
    const moved = await shop.rest('PUT', `/api/checkouts/${made.id}`, world.key(), { address: to })
    assert.equal(moved.status, 200)
    await resync(node)
    const after = await lookAnew(world, shop)
    assert.equal((await after.check(made.id)).status, 'pending')
    await world.pay(to, TWO)
    await untilStatus(after, made.id, 'complete')
  })

  test(`${engine}: a payment to a shop of 0.1 is not lost because the clock of the node is slow`, async (t) => {
    const { world, node, shop } = await openOne(t, engine)
    const { address } = new Signer(61)
    const [old, other] = [await shop.join(), await shop.join()]
    await shop.open({ address, amount: '5' }, bearer(old.key))
    await forgetLooks(shop)
    const made = await shop.open({ address, amount: '2' }, bearer(other.key))
    // A checkout that has waited since 0.1 gets a look when another one is opened.
    await shop.open({ address, amount: '3' }, bearer(old.key))
    node.hold()
    await world.pay(address, made.amount_raw)
    const odd = await world.pay(address, nano('7'))
    await resync(node, 1)
    await node.release()
    await untilStatus(shop, made.id, 'complete')
    const unmatchedOf = async (key: string) =>
      (await shop.rest('GET', '/api/checkouts/unmatched', key)).json<{ payments: { block_hash: string }[] }>().payments
    for (const { key } of [old, other]) {
      await until(async () => (await unmatchedOf(key)).some(({ block_hash: hash }) => hash === odd))
    }
  })

  test(`${engine}: an order of a store of 0.1, which made no first look, still excludes what the node’s time proves old`, async (t) => {
    const { world, node, shop } = await openOne(t, engine)
    const { address } = new Signer(57)
    await world.pay(address, TWO)
    world.clock.advance(HOUR)
    const made = await shop.open({ address, amount: '2', mode: 'unique_address' }, bearer(world.key()))
    await forgetLooks(shop)
    const upgraded = await lookAnew(world, shop)
    await resync(node)
    const after = await lookAnew(world, upgraded)
    assert.equal((await after.check(made.id)).status, 'pending')
    await world.pay(address, TWO)
    await untilStatus(after, made.id, 'complete')
  })
}

test('a payer is not ignored because the clock of the node is wrong', async (t) => {
  const { world, node, shop } = await openOne(t)
  const { address } = new Signer(58)
  const made = await shop.open({ address, amount: '2' }, bearer(world.key()))
  node.hold()
  await world.pay(address, made.amount_raw)
  await resync(node, 1)
  await node.release()
  await untilStatus(shop, made.id, 'complete')
  const kinds = (await show(shop, made.id, world.key())).payments.map(({ kind }) => kind)
  assert.deepEqual(kinds, ['counted'])
})

test('an unconfirmed payment that was on its way before the order is none of it', async (t) => {
  const { world, node, shop } = await openOne(t)
  const { address } = new Signer(59)
  node.hold()
  await world.pay(address, TWO)
  const made = await shop.open({ address, amount: '2', mode: 'unique_address' }, bearer(world.key()))
  await node.release()
  const after = await lookAnew(world, shop)
  assert.equal((await after.check(made.id)).status, 'pending')
})

test('502 no checkout is created while no node can report what is on the address (contract 7, Texts and codes: no upstream node answers)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start({ NODE_URLS: 'http://127.0.0.1:9' })
  const { address } = new Signer(60)
  const refused = await shop.call('checkout', { address, amount: '2' })
  assert.deepEqual([refused.status, refused.json<{ code: string }>().code], [502, 'no_node'])
  const { db } = shop.app.store
  await until(async () => (await db.selectFrom('checkouts').select('id').execute()).length === 0)
  assert.deepEqual(await db.selectFrom('checkout_reservations').select('owner').execute(), [])
})

test('429 for an anonymous caller with too many open orders, without a request to a node', async (t) => {
  const world = await openWorld(t)
  const env = { CHECKOUT_OPEN_ANONYMOUS_MAX: '1' }
  const { address } = new Signer(62)
  await (await world.start(env)).open({ address, amount: '2' })
  // Both nodes are needed; if only the first were asked, the answer would be 502.
  const alone = await world.start({ ...env, NODE_URLS: 'http://127.0.0.1:9' })
  assert.equal((await alone.call('checkout', { address, amount: '2' })).status, 429)
})
