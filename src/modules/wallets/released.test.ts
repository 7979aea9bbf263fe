import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { OPERATOR } from '../../kernel/actor.ts'
import { type Raw, toRaw } from '../../kernel/money.ts'
import { fromAddress } from '../../kernel/nano/address.ts'
import { ZERO_HASH, hashBlock, toBlockJson } from '../../kernel/nano/block.ts'
import { signHash } from '../../kernel/nano/keys.ts'
import { DEV_NETWORK } from '../../kernel/nano/network.ts'
import type { LedgerNode } from '../../devnet/index.ts'
import { receiveDeposits } from './domain/receive.ts'
import { freezeWallet } from './domain/freeze.ts'
import { lockFunds, unfreezeWallet } from './index.ts'
import { findWalletByAddress } from './store.ts'
import { listUnsettled } from './unsettled-store.ts'
import { NO_WORK, Signer, frontierOf, nano, publish } from '../../../test/support/blocks.ts'
import { openDevnet } from '../../../test/support/devnet.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { type NodeView, feed, openViews } from '../../../test/support/node-views.ts'
import { testRandom } from '../../../test/support/random.ts'
import { ALICE, SHOP, codeOf, comeToRest, send, steal } from '../../../test/support/wallet-steps.ts'
import { type Instance, type WorldOptions, openWalletWorld } from '../../../test/support/wallet-world.ts'

/* Here a lie is a separate ledger on which a thief has paid, with everything that follows from it (decision 108). */

const MINUTE = 60_000
const LEASE = 11_000

async function openLies(t: TestContext, count: number, { engine, env }: Partial<WorldOptions> = {}) {
  const thief = new Signer(666)
  const nodes: NodeView[] = []
  const world = await openWalletWorld(t, {
    random: testRandom,
    env: { WALLET_WAIT_MS: '2000', ...env },
    ...(engine && { engine }),
    openNodes: (ledger, faults) => {
      if (nodes.length === 0) {
        for (let at = 1; at <= count; at++) nodes.push({ name: `node-${at}`, ledger, isAway: false, before: 1_000_000 })
      }
      return openViews({ nodes, confirmNodes: Math.min(count, 2), order: () => [...nodes] }, faults)
    },
  })
  const instance = await world.start()
  const { node: lie } = await openDevnet(t, {
    clock: world.clock,
    random: testRandom,
    thresholds: NO_WORK,
    confirmAfterMilliseconds: 0,
  })
  const source = await world.deposit(thief.address, nano(1_000))
  await publish(world.ledger, thief.receive(frontierOf(world.ledger, thief.key), source, nano(1_000)))
  const wallet = await world.create(instance)
  await world.deposit(wallet, nano(5))
  await world.finish(send(world, instance, wallet))
  await comeToRest(world, instance, wallet)
  world.clock.advance(MINUTE)

  const showAll = (ledger: LedgerNode) => nodes.forEach((node) => (node.ledger = ledger))
  const record = async (address = wallet) => (await findWalletByAddress(world.db, address))!
  const blocks = () => world.db.selectFrom('wallet_blocks').selectAll().orderBy('sequence').execute()
  const statuses = async () => (await blocks()).map(({ kind, status }) => `${kind} ${status}`)
  /** Advances the clock, with a look every five minutes. */
  const pass = async (minutes: number, by: Instance = instance) => {
    for (let minute = 0; minute < minutes; minute += 5) {
      world.clock.advance(5 * MINUTE)
      await world.finish(by.look())
    }
  }
  /** From now on all nodes report a payment that never happened. */
  const invent = async (amount: Raw, to = wallet) => {
    await feed(world.ledger, lie)
    showAll(lie)
    return publish(lie, thief.send(frontierOf(lie, thief.key), fromAddress(to)!, amount))
  }
  const receive = async () => world.finish(receiveDeposits(instance.ctx, await record()))
  return { world, instance, wallet, nodes, lie, thief, showAll, record, blocks, statuses, pass, invent, receive }
}

forEachEngine((engine) => {
  for (const confirms of [false, true]) {
    test(`a receive of money that never was locked a wallet for good (called confirmed: ${confirms}): it is void after 15 minutes`, async (t) => {
      const { world, wallet, nodes, lie, showAll, record, statuses, pass, invent, receive } = await openLies(t, 1, {
        engine,
      })
      const before = await record()
      if (!confirms) await invent(nano(7)).then(() => lie.hold())
      else await invent(nano(7))
      assert.equal((await receive())[0]!.amount, nano(7))
      if (confirms) await comeToRest(world, await world.start(), wallet)
      // While the nodes lie, nothing is certain.
      await pass(30)
      assert.equal((await statuses()).at(-1), `receive ${confirms ? 'confirmed' : 'broadcast'}`)
      showAll(world.ledger)
      assert.equal(nodes[0]!.ledger, world.ledger)
      await pass(10)
      // What nodes denied before a restart counts after it, too.
      const another = await world.start()
      await pass(5, another)
      assert.equal((await statuses()).at(-1), `receive ${confirms ? 'confirmed' : 'broadcast'}`)
      await pass(5, another)
      assert.equal((await statuses()).at(-1), 'receive void')
      const { frontier, balance, denied } = await record()
      assert.deepEqual([frontier, balance, denied], [before.frontier, nano(4), null])
      assert.equal(world.alarms.length, 1)
      assert.match(
        world.alarms[0]!,
        /^void: Released [0-9A-F]{64}, because no node has [0-9A-F]{64}, which the first receives\.$/,
      )
      const audits = await world.db
        .selectFrom('audit_entries')
        .selectAll()
        .where('what', '=', 'wallet.released')
        .execute()
      assert.deepEqual([audits.length, audits[0]!.account_id], [1, world.accountId])
      await world.finish(send(world, another, wallet, 'all'))
      await pass(5, another)
      assert.equal(world.fundsOf(SHOP), nano(5))
      assert.deepEqual(await listUnsettled(world.db, 9), [])
    })
  }

  test('a send of invented money is void together with the block below it, and fails once another block is final in its place', async (t) => {
    const { world, instance, wallet, showAll, record, statuses, pass, invent, receive } = await openLies(t, 2, {
      engine,
    })
    await invent(nano(7))
    await receive()
    const paid = await world.finish(send(world, instance, wallet, nano(10), 'order'))
    showAll(world.ledger)
    await pass(20)
    assert.deepEqual((await statuses()).slice(2), ['receive void', 'send void'])
    const again = () => codeOf(world.finish(send(world, instance, wallet, nano(10), 'order')))
    const free = async () => (await lockFunds(world.db, (await record()).id))!.free
    assert.equal(await again(), 'publish_unknown', 'nodes may only have hidden it')
    assert.equal(await free(), nano(4) - nano(10))
    await pass(30)
    assert.equal(await again(), 'publish_unknown')
    await world.finish(send(world, instance, wallet, nano(2), 'another'))
    await pass(5)
    assert.equal(await again(), 'send_void', 'its place is taken')
    assert.equal(await free(), nano(2))
    assert.equal((await record()).voidedAt, null)
    assert.equal(world.fundsOf(SHOP), nano(3))
    assert.equal(world.ledger.ledger.store.findBlock(paid), undefined)
  })

  test('blocks that turn up after they were released are followed as our own, and nothing is sent twice', async (t) => {
    const { world, instance, wallet, lie, showAll, record, statuses, pass, invent, receive } = await openLies(t, 2, {
      engine,
    })
    await invent(nano(7))
    await receive()
    const paid = await world.finish(send(world, instance, wallet, nano(10), 'order'))
    showAll(world.ledger)
    await pass(20)
    await feed(lie, world.ledger)
    await pass(5)
    assert.deepEqual((await statuses()).slice(2), ['receive confirmed', 'send confirmed'])
    const { frontier, balance, frozenAt } = await record()
    assert.deepEqual([frontier, balance, frozenAt], [paid, nano(1), null])
    assert.equal(await world.finish(send(world, instance, wallet, nano(10), 'order')), paid)
    await world.finish(send(world, instance, wallet, 'all'))
    await pass(5)
    assert.equal(world.fundsOf(SHOP), nano(12))
    assert.match(world.alarms.join(), /is on the ledger after all/)
  })

  test('a block that appears while another one is signed in its place wins: the other one has failed, and the wallet goes on', async (t) => {
    const { world, instance, wallet, nodes, lie, showAll, record, statuses, pass, invent, receive } = await openLies(
      t,
      2,
      {
        engine,
      },
    )
    const source = await invent(nano(7))
    await receive()
    showAll(world.ledger)
    await pass(20)
    // It is signed, and no node gets it before the other block.
    for (const node of nodes) node.refuses = 'Gap source block'
    await codeOf(world.finish(send(world, instance, wallet, nano(2), 'order')))
    assert.deepEqual((await statuses()).slice(2), ['receive void', 'send signed'])
    for (const node of nodes) delete node.refuses
    await feed(lie, world.ledger)
    world.clock.advance(LEASE)
    await world.finish(instance.settle())
    assert.deepEqual((await statuses()).slice(2), ['receive confirmed', 'send void'])
    assert.equal(await codeOf(world.finish(send(world, instance, wallet, nano(2), 'order'))), 'send_void')
    assert.deepEqual([(await record()).balance, (await record()).frozenAt], [nano(11), null])
    const received = (await world.db.selectFrom('wallet_blocks').selectAll().execute()).find(
      ({ source_hash: hash }) => hash === source,
    )
    assert.equal(received!.status, 'confirmed')
    await world.finish(send(world, instance, wallet, 'all'))
    await pass(5)
    assert.equal(world.fundsOf(SHOP), nano(12))
  })
})

test('a block that one node knows, or about which one does not answer, is not released; a node that knows it restarts the wait', async (t) => {
  const { world, nodes, lie, showAll, record, statuses, pass, invent, receive } = await openLies(t, 3)
  const source = await invent(nano(7))
  lie.hold()
  await receive()
  showAll(world.ledger)
  nodes[2]!.ledger = lie
  await pass(20)
  assert.equal((await record()).denied, null)
  showAll(world.ledger)
  await pass(15)
  // A node may have a block that it does not explicitly deny.
  nodes[1]!.lie = (action, answer) => (action === 'blocks_info' ? { ...answer, blocks_not_found: [source] } : answer)
  await pass(5)
  delete nodes[1]!.lie
  await pass(15)
  nodes[2]!.isAway = true
  await pass(30)
  assert.equal((await statuses()).at(-1), 'receive broadcast')
  nodes[2]!.isAway = false
  await pass(5)
  assert.equal((await statuses()).at(-1), 'receive void')
})

test('one node that has lost its ledger denies everything: nothing is released until it has as much as before', async (t) => {
  const { world, instance, wallet, nodes, statuses, pass } = await openLies(t, 1)
  await world.deposit(wallet, nano(3))
  await world.finish(send(world, instance, wallet, nano(6)))
  await pass(5)
  const before = await statuses()
  const { node: empty } = await openDevnet(t, {
    clock: world.clock,
    random: testRandom,
    thresholds: NO_WORK,
    confirmAfterMilliseconds: 0,
  })
  Object.assign(nodes[0]!, { ledger: empty, before: 0 })
  await pass(60)
  assert.deepEqual(await statuses(), before)
  await feed(world.ledger, empty)
  nodes[0]!.before = 1_000_000
  await world.finish(send(world, instance, wallet))
  assert.deepEqual(world.alarms, [])
})

test('a send that a lying node withheld and called confirmed is published again, with the same bytes', async (t) => {
  const { world, instance, wallet, lie, showAll, statuses, pass } = await openLies(t, 1)
  await feed(world.ledger, lie)
  showAll(lie)
  await world.finish(send(world, instance, wallet, nano(1)))
  await comeToRest(world, instance, wallet)
  const second = await world.finish(send(world, instance, wallet, nano(2)))
  await comeToRest(world, instance, wallet)
  showAll(world.ledger)
  assert.equal(world.fundsOf(SHOP), nano(1))
  await pass(5)
  assert.equal(world.fundsOf(SHOP), nano(4))
  assert.ok(world.ledger.ledger.store.findBlock(second))
  await world.finish(send(world, instance, wallet))
  assert.deepEqual(new Set(await statuses()), new Set(['receive confirmed', 'send confirmed', 'send broadcast']))
  assert.deepEqual(world.alarms, [])
})

const EPOCH = Buffer.from('epoch v1 block'.padEnd(32, '\0')).toString('hex').toUpperCase()

test('an invented upgrade by the network, and a block signed on it, block nothing for good', async (t) => {
  const { world, instance, wallet, nodes, record, statuses, pass } = await openLies(t, 2)
  const { frontier, balance } = await record()
  const { previous, representative } = frontierOf(world.ledger, fromAddress(wallet)!)
  const account = fromAddress(wallet)!
  const signed = { signature: '0'.repeat(128), work: '0'.repeat(16) }
  const upgrade = { type: 'state' as const, account, previous, representative, balance, link: EPOCH, ...signed }
  const hash = hashBlock(upgrade)
  const told = { block_account: wallet, confirmed: 'true', balance: String(balance), contents: toBlockJson(upgrade) }
  for (const node of nodes) {
    node.lie = (action, answer, body) => {
      if (action === 'account_info') return { ...answer, frontier: hash }
      if (action === 'accounts_frontiers') return { frontiers: { [wallet]: hash } }
      if (action === 'block_info') return body.includes(hash) ? told : { ...answer, successor: hash }
      return action === 'blocks_info' && body.includes(hash) ? { blocks: { [hash]: told } } : answer
    }
  }
  await codeOf(world.finish(send(world, instance, wallet, nano(2))))
  assert.equal((await record()).frontier, hash)
  for (const node of nodes) delete node.lie
  await pass(20)
  assert.deepEqual([(await record()).frontier, (await record()).balance], [frontier, nano(4)])
  assert.equal((await statuses()).at(-1), 'send void')
  assert.match(world.alarms.at(-1)!, new RegExp(`because no node has block ${hash}, on which they stand`))
  await world.finish(send(world, instance, wallet, 'all'))
  await pass(5)
  assert.equal(world.fundsOf(SHOP), nano(5))
})

test('an account that was opened only by an invented block is unopened again', async (t) => {
  const { world, instance, lie, showAll, record, pass } = await openLies(t, 2)
  const young = await world.create(instance)
  await world.deposit(young, nano(3))
  await feed(world.ledger, lie)
  const account = fromAddress(young)!
  const representative = fromAddress('nano_1111111111111111111111111111111111111111111111111111hifc8npp')!
  const opening = {
    type: 'state' as const,
    account,
    previous: ZERO_HASH,
    representative,
    balance: toRaw(0n),
    link: EPOCH,
  }
  const draft = { ...opening, signature: '', work: '0'.repeat(16) }
  await publish(lie, { ...draft, signature: signHash(DEV_NETWORK.genesisPrivateKey, hashBlock(draft)) })
  showAll(lie)
  await world.finish(receiveDeposits(instance.ctx, await record(young)))
  await comeToRest(world, instance, young)
  assert.equal((await record(young)).balance, nano(3))
  showAll(world.ledger)
  await pass(20)
  assert.deepEqual([(await record(young)).frontier, (await record(young)).balance], [ZERO_HASH, 0n])
  await world.finish(send(world, instance, young, 'all'))
  await pass(5)
  assert.equal(world.fundsOf(SHOP), nano(4))
})

for (const half of [false, true]) {
  test(`a wallet that distributed invented money (half of it: ${half}) distributes its real balance`, async (t) => {
    const { world, instance, nodes, lie, showAll, pass, invent } = await openLies(t, 2)
    const ending = await world.create(instance, { refundAddress: [SHOP, ALICE], lifetimeMilliseconds: 120 * MINUTE })
    await world.deposit(ending, nano(2))
    await invent(nano(6), ending)
    let taken = 0
    // Both deposits are confirmed, but none of the shares.
    nodes[0]!.lie = (action, answer) => {
      if (half && action === 'process' && ++taken === 2) lie.hold()
      return answer
    }
    world.clock.advance(120 * MINUTE)
    await world.finish(instance.settle())
    showAll(world.ledger)
    await pass(25)
    for (let round = 0; round < 3; round++) {
      world.clock.advance(LEASE)
      await world.finish(instance.settle())
    }
    assert.deepEqual([world.fundsOf(SHOP), world.fundsOf(ALICE), world.fundsOf(ending)], [nano(2), nano(1), 0n])
  })
}

test('a block replaced by a false one, after a true one had been released, is void as well', async (t) => {
  const { world, instance, wallet, lie, showAll, record, statuses, pass, invent, receive } = await openLies(t, 2)
  await invent(nano(7))
  await receive()
  showAll(world.ledger)
  await pass(20)
  // Now the other nodes lie: they have a block that exists only there, in the place of the released one.
  const { node: other } = await openDevnet(t, {
    clock: world.clock,
    random: testRandom,
    thresholds: NO_WORK,
    confirmAfterMilliseconds: 0,
  })
  await feed(world.ledger, other)
  showAll(other)
  await world.finish(send(world, instance, wallet, nano(2), 'order'))
  await comeToRest(world, instance, wallet)
  assert.deepEqual((await statuses()).slice(2), ['receive void', 'send confirmed'])
  await feed(lie, world.ledger)
  showAll(world.ledger)
  await pass(25)
  assert.deepEqual((await statuses()).slice(2), ['receive confirmed', 'send void'])
  assert.equal((await record()).balance, nano(11))
  await world.finish(send(world, instance, wallet, 'all'))
  await pass(5)
  assert.equal(world.fundsOf(SHOP), nano(12))
  assert.equal(await codeOf(world.finish(send(world, instance, wallet, nano(2), 'order'))), 'send_void')
})

test('an unfreeze takes over a released block that is on the ledger after all', async (t) => {
  const { world, instance, wallet, lie, showAll, record, statuses, pass, invent, receive } = await openLies(t, 2)
  await invent(nano(7))
  await receive()
  showAll(world.ledger)
  await pass(20)
  await freezeWallet(instance.ctx, await record(), { reason: 'A person said so.' })
  await feed(lie, world.ledger)
  await unfreezeWallet(instance.ctx.store, { wallet, actor: OPERATOR, payQueued: false })
  world.clock.advance(LEASE)
  await world.finish(instance.settle())
  assert.deepEqual((await statuses()).slice(2), ['receive confirmed'])
  assert.equal((await record()).balance, nano(11))
})

// A block that somebody else signed, and that an unfreeze took over, has our own signature.
test('a node that names an older block which another had signed, as if it came next, does not freeze the wallet again', async (t) => {
  const { world, instance, wallet, nodes, record, pass } = await openLies(t, 1)
  const old = await steal(world, instance, wallet)
  await pass(5)
  assert.notEqual((await record()).frozenAt, null)
  await unfreezeWallet(instance.ctx.store, { wallet, actor: OPERATOR, payQueued: false })
  world.clock.advance(LEASE)
  await world.finish(instance.settle())
  await world.finish(send(world, instance, wallet))
  await comeToRest(world, instance, wallet)
  const last = (await record()).frontier
  nodes[0]!.lie = (action, answer, body) => {
    if (action === 'account_info') return { ...answer, frontier: 'F'.repeat(64) }
    return action === 'block_info' && body.includes(last) ? { ...answer, successor: old } : answer
  }
  assert.notEqual(await codeOf(world.finish(send(world, instance, wallet))), 'done')
  assert.equal((await record()).frozenAt, null)
  delete nodes[0]!.lie
  await world.finish(send(world, instance, wallet))
  assert.equal(world.fundsOf(SHOP), nano(3))
})
