import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '../../kernel/db.ts'
import { toRaw } from '../../kernel/money.ts'
import { LockLost } from './errors.ts'
import { advanceWallet } from './domain/advance.ts'
import { underLock } from './domain/lock.ts'
import { findPayment, queuePayment, treasury, untilPaid } from './index.ts'
import { holdLock, releaseLock, takeLock } from './lock-store.ts'
import { findWalletByAddress } from './store.ts'
import { deleteQueuedReceive, markConfirmed, markRefused, markSigned } from './outbox-moves-store.ts'
import { findBlock, insertSend } from './outbox-store.ts'
import { assertAtRest } from '../../../test/sim/invariants.ts'
import { nano } from '../../../test/support/blocks.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { Crash } from '../../../test/support/faults.ts'
import { testRandom } from '../../../test/support/random.ts'
import { isThorough } from '../../../test/support/thorough.ts'
import {
  ALICE,
  SHOP,
  codeOf,
  comeToRest,
  openUsedWallet,
  openWallet,
  send,
  steal,
} from '../../../test/support/wallet-steps.ts'
import { openWalletWorld } from '../../../test/support/wallet-world.ts'

const HOUR = 3_600_000
const LEASE = 11_000

forEachEngine((engine) => {
  test('instances that work on the same wallets at once sign each frontier once', async (t) => {
    const world = await openWalletWorld(t, { engine, random: testRandom })
    const instances = await Promise.all([world.start(), world.start(), world.start()])
    const wallets = await Promise.all(instances.map((instance) => world.create(instance)))
    for (const wallet of wallets) await world.deposit(wallet, nano(100))
    const sends = Array.from({ length: 18 }, (_, at) => send(world, instances[at % 3]!, wallets[at % 2]!))
    const jobs = instances.map((instance) => instance.settle())
    const hashes = await world.finish(Promise.all(sends))
    await world.finish(Promise.all(jobs))
    assert.equal(new Set(hashes).size, 18)
    const each = { destination: SHOP, amount: nano(1) }
    const acknowledged = hashes.map((hash, at) => ({ hash, from: wallets[at % 2]!, ...each }))
    world.clock.advance(LEASE)
    await world.finish(instances[0].settle())
    await assertAtRest(world, { deposited: nano(300), recipients: [SHOP], acknowledged })
  })

  test('one key sent to two instances at once is one block', async (t) => {
    const world = await openWalletWorld(t, { engine, random: testRandom })
    const instances = await Promise.all([world.start(), world.start()])
    const wallet = await world.create(instances[0])
    await world.deposit(wallet, nano(10))
    const sends = Array.from({ length: 6 }, (_, at) => send(world, instances[at % 2]!, wallet, nano(1), 'one'))
    const hashes = await world.finish(Promise.all(sends))
    assert.equal(new Set(hashes).size, 1)
    assert.equal(world.fundsOf(SHOP), nano(1))
  })

  test('a process that lost the lease while it computed commits nothing, and neither does one that fails in between', async (t) => {
    const world = await openWalletWorld(t, { engine, random: testRandom })
    const instance = await world.start()
    const wallet = (await findWalletByAddress(world.db, await world.create(instance)))!
    const now = world.clock.now()
    const { lock: lease } = (await takeLock(world.db, wallet.id, { now, until: now + LEASE }))!
    assert.equal(await takeLock(world.db, wallet.id, { now, until: now + LEASE }), undefined, 'it is ours')
    world.clock.advance(LEASE)
    const later = world.clock.now()
    const next = await takeLock(world.db, wallet.id, { now: later, until: later + LEASE })
    assert.ok(next, 'it ran out')
    const other = await world.create(instance)
    // Lease numbers are small, so two wallets often have the same.
    await world.db.updateTable('wallets').set({ fence: lease.fence }).where('address', '=', other).execute()
    const write = async (db: Db) => {
      await db.updateTable('wallets').set({ metadata: '{"late":true}' }).where('id', '=', wallet.id).execute()
    }
    await assert.rejects(underLock(instance.ctx, lease, write), LockLost)
    const torn = underLock(instance.ctx, next.lock, async (db) => {
      await write(db)
      throw new Error('in the middle')
    })
    await assert.rejects(torn, /in the middle/)
    assert.equal((await findWalletByAddress(world.db, wallet.address))!.metadata, null)
  })

  // Otherwise a client would be told that nothing was sent, and would send again.
  test('of giving a send up and signing it, exactly one wins (contract 4.2, rule 14; 7, Texts and codes: wallet busy with earlier blocks)', async (t) => {
    const world = await openWalletWorld(t, { engine, random: testRandom })
    const instance = await world.start()
    const { id: walletId } = (await findWalletByAddress(world.db, await world.create(instance)))!
    const wins = { signed: 0, refused: 0 }
    for (let round = 0; round < 20; round++) {
      const id = `round-${round}`
      const terms = { accountId: null, destination: SHOP, amount: nano(1), reference: id, deadlineAt: 2, createdAt: 1 }
      await insertSend(world.db, { id, walletId, purpose: 'send', ...terms })
      // Only receives are queued again automatically.
      await deleteQueuedReceive(world.db, id)
      const block = { hash: id, previous: id, balance: nano(1), amount: nano(1), block: '{}' }
      const tries = [() => markSigned(world.db, id, block, 1), () => markRefused(world.db, id, 'wallet_busy')]
      if (round % 2 === 1) tries.reverse()
      const won = await Promise.all(tries.map((run) => run()))
      assert.equal(won.filter((one) => one).length, 1)
      const { status } = (await findBlock(world.db, id))!
      assert.ok(status === 'signed' || status === 'refused')
      wins[status]++
      await markConfirmed(world.db, id, 1)
    }
    assert.ok(wins.signed > 0 && wins.refused > 0)
  })

  test('a frontier, a deposit and a reference are each used once, even by concurrent processes', async (t) => {
    const { world, instance, wallet } = await openWallet(t, { engine })
    await world.deposit(wallet, nano(5))
    await world.finish(send(world, instance, wallet, nano(1), 'one'))
    await comeToRest(world, instance, wallet)
    const blocks = await world.db.selectFrom('wallet_blocks').selectAll().execute()
    const none = { hash: null, reference: null, source_hash: null, previous: null }
    const insert = (block: (typeof blocks)[number]) => world.db.insertInto('wallet_blocks').values(block).execute()
    for (const block of blocks) {
      const copy = { ...block, ...none, id: `${block.id}2` }
      const unique = ['previous', 'source_hash', 'reference', 'hash'] as const
      for (const column of unique.filter((name) => block[name] !== null)) {
        await assert.rejects(insert({ ...copy, [column]: block[column] }), `${column} twice`)
      }
    }
    const open = { ...blocks[0]!, ...none, status: 'signed' as const }
    await insert({ ...open, id: 'first' })
    await assert.rejects(insert({ ...open, id: 'second' }))
  })
})

test('a block that somebody else signed freezes the wallet and raises one alarm; nothing is signed after it (contract 4.2, rule 17)', async (t) => {
  const { world, instance, wallet } = await openUsedWallet(t)
  const stolen = await steal(world, instance, wallet)
  world.clock.advance(2 * 60_000)
  await world.finish(instance.look())
  await world.finish(instance.look())
  assert.deepEqual(world.alarms, [`frozen: The ledger has block ${stolen}, which was not signed here.`])
  assert.equal(await codeOf(world.finish(send(world, instance, wallet))), 'wallet_frozen')
  assert.equal(world.fundsOf(SHOP), nano(1))
})

test('a thief who is faster than our signed block: it is given up, the wallet frozen, and no rival is signed', async (t) => {
  const { world, instance: first, wallet } = await openUsedWallet(t)
  // The process dies right after the signature is committed: request, lease, account_info, work, commit.
  first.faults.crashAt(5, 'after')
  await assert.rejects(world.finish(send(world, first, wallet, nano(2), 'lost')), Crash)
  const [signed] = await world.db.selectFrom('wallet_blocks').selectAll().where('status', '=', 'signed').execute()
  assert.ok(signed)
  const second = await world.start()
  const rival = await steal(world, second, wallet)
  world.clock.advance(LEASE)
  await world.finish(second.settle())
  assert.deepEqual(world.alarms, [`frozen: Someone else has signed block ${rival}.`])
  assert.equal((await findBlock(world.db, signed.id))!.status, 'lost')
  assert.equal(await codeOf(world.finish(send(world, second, wallet, nano(2), 'lost'))), 'wallet_frozen')
  assert.equal(world.fundsOf(SHOP), nano(1))
})

test('an unconfirmed block is finished before the next one begins, and the same bytes go out again', async (t) => {
  const { world, instance, wallet } = await openUsedWallet(t)
  world.ledger.hold()
  const hash = await world.finish(send(world, instance, wallet))
  assert.equal(await codeOf(world.finish(send(world, instance, wallet))), 'wallet_busy')
  // The node loses the block; it is published again with the same hash.
  await world.ledger.drop(hash)
  assert.equal(world.fundsOf(SHOP), nano(1))
  world.clock.advance(LEASE)
  await world.finish(instance.settle())
  assert.equal(world.fundsOf(SHOP), nano(2))
  assert.ok(world.ledger.ledger.store.hasBlock(hash))
  await world.ledger.release()
  await world.finish(send(world, instance, wallet))
  assert.equal(world.fundsOf(SHOP), nano(3))
})

test('a deposit during the ending belongs to the next plan; both are shared out to the raw', async (t) => {
  const terms = { refundAddress: [SHOP, ALICE], lifetimeMilliseconds: HOUR }
  const { world, instance, wallet } = await openWallet(t, {}, terms)
  await world.deposit(wallet, toRaw(101n))
  world.clock.advance(HOUR)
  instance.faults.crashAt(25, 'before')
  await world.finish(instance.settle()).catch(() => undefined)
  assert.ok(instance.faults.dead)
  assert.equal((await world.db.selectFrom('wallet_plans').selectAll().execute()).length, 1, 'the plan is made')
  await world.deposit(wallet, toRaw(7n))
  world.clock.advance(LEASE)
  const next = await world.start()
  await world.finish(next.settle())
  assert.deepEqual([world.fundsOf(SHOP), world.fundsOf(ALICE)], [50n + 3n, 51n + 4n])
  await assertAtRest(world, { deposited: 108n, recipients: [SHOP, ALICE], acknowledged: [] })
})

test('a payment of the treasury commits with its cause, happens once, and survives the process (contract 4.1, rule 20)', async (t) => {
  const world = await openWalletWorld(t, { random: testRandom })
  const first = await world.start()
  const { id: walletId, address } = await treasury(first.ctx)
  assert.equal((await treasury((await world.start()).ctx)).id, walletId, 'there is one treasury')
  await world.deposit(address, nano(10))
  const payment = { walletId, destination: SHOP, amount: nano(3), reference: 'faucet:1', purpose: 'faucet' as const }
  const queue = () => world.db.transaction().execute((db) => queuePayment({ db, store: first.ctx.store }, payment))
  await queue()
  await queue()
  const undone = world.db.transaction().execute(async (db) => {
    await queuePayment({ db, store: first.ctx.store }, { ...payment, reference: 'undone' })
    throw new Error('Its cause did not happen.')
  })
  await assert.rejects(undone)
  first.faults.crashAt(4, 'after')
  await world.finish(untilPaid(first.ctx, 'faucet:1')).catch(() => undefined)
  world.clock.advance(LEASE)
  const next = await world.start()
  const paid = await world.finish(untilPaid(next.ctx, 'faucet:1'))
  await world.finish(next.settle())
  assert.equal(paid.hash, (await findPayment(world.db, 'faucet:1'))!.hash)
  assert.equal(await findPayment(world.db, 'undone'), undefined)
  assert.equal(world.fundsOf(SHOP), nano(3))
})

// Whoever has the lock may be about to sign on the frontier that was read.
forEachEngine((engine) => {
  test('a confirmation updates no wallet whose lock is taken, and updates it once the lock is free', async (t) => {
    const { world, instance, wallet } = await openUsedWallet(t, { engine })
    const { ledger } = world
    ledger.hold()
    await world.finish(send(world, instance, wallet))
    // A send is answered while its pass still has the lock.
    await comeToRest(world, instance, wallet)
    const { id, frontier } = (await findWalletByAddress(world.db, wallet))!
    const now = world.clock.now()
    const { lock } = (await takeLock(world.db, id, { now, until: now + LEASE }))!
    await ledger.release()
    assert.equal(await advanceWallet(instance.ctx, id), 'waiting')
    assert.equal((await findWalletByAddress(world.db, wallet))!.frontier, frontier)
    await releaseLock(world.db, lock)
    await world.finish(instance.settle())
    assert.notEqual((await findWalletByAddress(world.db, wallet))!.frontier, frontier)
  })
})

// A confirmation wakes every instance, and the one that signed may be renewing its lease at that moment.
test('a lease that was given back stays free, even after a late renewal', async (t) => {
  const world = await openWalletWorld(t, { random: testRandom })
  const instance = await world.start()
  const { id } = (await findWalletByAddress(world.db, await world.create(instance)))!
  const now = world.clock.now()
  const { lock: lease } = (await takeLock(world.db, id, { now, until: now + LEASE }))!
  await releaseLock(world.db, lease)
  assert.equal(await holdLock(world.db, lease, now + LEASE), false)
  assert.ok(await takeLock(world.db, id, { now, until: now + LEASE }))
  assert.equal(await holdLock(world.db, lease, now + LEASE), false, 'nor does it get what another has taken')
})

const TOGETHER = isThorough ? 200 : 40

test(`${TOGETHER} wallets that expire together all settle`, async (t) => {
  const world = await openWalletWorld(t, { random: testRandom })
  const instance = await world.start()
  const wallets = await Promise.all(
    Array.from({ length: TOGETHER }, () => world.create(instance, { refundAddress: SHOP, lifetimeMilliseconds: HOUR })),
  )
  for (const wallet of wallets) await world.deposit(wallet, nano(1))
  world.clock.advance(HOUR)
  const started = performance.now()
  await world.finish(instance.settle())
  t.diagnostic(`${((performance.now() - started) / 1000).toFixed(1)} s for ${2 * TOGETHER} blocks`)
  assert.equal(world.fundsOf(SHOP), nano(TOGETHER))
  await assertAtRest(world, { deposited: nano(TOGETHER), recipients: [SHOP], acknowledged: [] })
})
