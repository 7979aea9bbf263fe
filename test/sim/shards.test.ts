import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toRaw } from '../../src/kernel/money.ts'
import { findLease } from '../../src/modules/names/index.ts'
import { nano } from '../support/blocks.ts'
import { assertCreditsBalance } from '../support/credits.ts'
import { SEED, SeededRandom } from '../support/random.ts'
import { type ShardedWorld, openShardedWorld, shardOf } from '../support/sharded-world.ts'
import { isThorough } from '../support/thorough.ts'

/*
 * Many stores instead of one primary (docs/scaling.md, "Past one primary"): each account's rows are in the store that its name hashes to, and global rows
 * are in a separate store. The functions are the real ones. Processes die and replies are lost between any two writes; clients, pollers and jobs repeat
 * their requests. In the end the invariants of one store must hold across all of them.
 */

const SHARDS = 4
const ACCOUNTS = 10
const STEPS = isThorough ? 150 : 60
const NAMES = isThorough ? 6 : 3

test('accounts spread over many stores: a payment counts once, amounts and names are unique, and no raw is lost or made', async (t) => {
  t.diagnostic(`SEED=${SEED}`)
  const random = new SeededRandom(SEED)
  const world = await openShardedWorld(t, { shards: SHARDS, accounts: ACCOUNTS, random })
  const steps = [world.sell, world.sell, world.pay, world.pay, world.buyCredits, world.handOver]
  for (let step = 0; step < STEPS; step++) await random.pick(steps)()
  for (let at = 0; at < NAMES; at++) await world.raceFor(`name${at}`)
  await world.handOver()

  await assertRowsAtHome(world)
  await assertPayments(world)
  await assertAmounts(world)
  await assertGlobal(world)
  assert.ok(world.troubles > 0 && world.paid.length > 0, 'both were tried')
  t.diagnostic(`${world.paid.length} payments, ${world.troubles} deaths and lost replies`)
})

/** All rows of an account are in its store, so that no transaction needs two stores. */
async function assertRowsAtHome({ shards }: ShardedWorld): Promise<void> {
  for (const [at, { db }] of shards.entries()) {
    const checkouts = await db.selectFrom('checkouts').select('owner').execute()
    const payments = await db.selectFrom('checkout_payments').select('owner').execute()
    const reservations = await db.selectFrom('checkout_reservations').select('owner').execute()
    const events = await db.selectFrom('events').select('account_id as owner').execute()
    for (const { owner } of [...checkouts, ...payments, ...reservations, ...events]) {
      assert.equal(shardOf(owner!, SHARDS), at, `${owner} has a row in store ${at}`)
    }
  }
}

async function assertPayments({ shards, paid }: ShardedWorld): Promise<void> {
  for (const { hash, checkoutId, owner, amount } of paid) {
    const { db } = shards[shardOf(owner, SHARDS)]!
    const rows = await db
      .selectFrom('checkout_payments')
      .select(['checkout_id', 'amount_raw', 'kind'])
      .where('block_hash', '=', hash)
      .where('owner', '=', owner)
      .execute()
    const told = rows.map(({ checkout_id: id, amount_raw: raw, kind }) => `${id} ${raw} ${kind}`)
    assert.deepEqual(told, [`${checkoutId} ${amount} counted`])
  }
  for (const { db } of shards) {
    const counted = await db
      .selectFrom('checkout_payments')
      .select(['checkout_id', 'amount_raw', 'block_hash'])
      .where('kind', '=', 'counted')
      .execute()
    const known = new Set(paid.map(({ hash }) => hash))
    assert.ok(counted.every(({ block_hash: hash }) => known.has(hash)))
    const checkouts = await db.selectFrom('checkouts').select(['id', 'paid_raw', 'status', 'amount_raw']).execute()
    for (const { id, paid_raw: paidRaw, status, amount_raw: due } of checkouts) {
      const own = counted.filter(({ checkout_id: checkout }) => checkout === id)
      const sum = own.reduce((total, row) => total + BigInt(row.amount_raw), 0n)
      assert.equal(BigInt(paidRaw), sum, 'what a checkout was paid is the sum of its payments')
      assert.equal(status === 'complete', sum >= BigInt(due!), `${id} is ${status}`)
    }
  }
}

/** No two open checkouts of an account on one address expect the same amount. */
async function assertAmounts({ shards }: ShardedWorld): Promise<void> {
  const seen = new Set<string>()
  for (const { db } of shards) {
    const rows = await db.selectFrom('checkout_reservations').select(['owner', 'address', 'amount_raw']).execute()
    for (const { owner, address, amount_raw: amount } of rows) {
      const reserved = `${owner} ${address} ${amount}`
      assert.ok(!seen.has(reserved), `${reserved} is reserved twice`)
      seen.add(reserved)
    }
  }
}

/** Names, the treasury, and what was sold for credits. */
async function assertGlobal(world: ShardedWorld): Promise<void> {
  const { wallets, races, bought, shards, treasuryAddress } = world
  let kept = 0n
  for (const { name, rivals } of races) {
    const lease = (await findLease(wallets.db, name))!
    const [winner, ...losers] = rivals.toSorted((one) => (one.payer === lease.owner ? -1 : 1))
    assert.equal(winner!.payer, lease.owner)
    assert.equal(wallets.fundsOf(winner!.payer), nano(10) - winner!.amount)
    for (const loser of losers) assert.equal(wallets.fundsOf(loser.payer), nano(10), 'everything came back, once')
    kept += winner!.amount
  }
  const expected = new Map<string, number>()
  for (const { accountId, credits, amount } of bought) {
    expected.set(accountId, (expected.get(accountId) ?? 0) + credits)
    kept += amount
  }
  assert.equal(wallets.fundsOf(treasuryAddress), toRaw(kept), 'the treasury has what it was paid and owes nobody')
  const found = new Map<string, number>()
  for (const { db } of shards) {
    await assertCreditsBalance(db)
    for (const { account_id: id, available } of await db.selectFrom('credit_balances').selectAll().execute()) {
      if (available > 0) found.set(id, available)
    }
  }
  assert.deepEqual([...found].sort(), [...expected].sort(), 'credits were given once, in the store of their account')
  const { given, holders } = world
  const held = [...holders].reduce((sum, address) => sum + wallets.fundsOf(address), 0n)
  assert.equal(held, given, 'not one raw was lost or made')
}
