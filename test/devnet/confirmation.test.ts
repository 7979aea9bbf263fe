import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Devnet, DevnetOptions } from '../../src/devnet/index.ts'
import type { Raw } from '../../src/kernel/money.ts'
import { type StateBlock, ZERO_HASH, hashBlock, rootOf, toBlockJson } from '../../src/kernel/nano/block.ts'
import { signHash } from '../../src/kernel/nano/keys.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { NO_WORK, Signer, UNOPENED, frontierAfter, frontierOf, nano, openAccount, publish } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { ledgerFile, openDevnet } from '../support/devnet.ts'
import { assertConsistent, dumpLedger } from '../support/ledger-file.ts'
import { SeededRandom, repeat } from '../support/random.ts'
import { call } from '../support/rpc.ts'

/** Alice has 10 nano, Bob has 1, all confirmed; Carol has nothing yet. */
async function openWorld(t: TestContext, options: Partial<DevnetOptions> = {}) {
  const file = ledgerFile(t)
  const devnet = await openDevnet(t, { file, thresholds: NO_WORK, ...options })
  const [alice, bob, carol] = [new Signer(1), new Signer(2), new Signer(3)]
  const opened = await openAccount(devnet.node, alice, nano(10))
  await openAccount(devnet.node, bob, nano(1))
  await devnet.node.release()
  return { devnet, node: devnet.node, file, alice, bob, carol, opened }
}

/** Every place where the node tells what is confirmed from what is only seen, after Alice sent 3 nano to Bob. */
async function look({ rpcUrl }: Devnet, alice: Signer, bob: Signer, send: StateBlock) {
  const hash = hashBlock(send)
  const ask = <T = Record<string, string>>(action: string, parameters: object) => call<T>(rpcUrl, action, parameters)
  const everything = { include_only_confirmed: false, include_active: true }
  const info = await ask('account_info', {
    account: alice.address,
    include_confirmed: true,
    representative: true,
  })
  const waiting = await ask('account_info', { account: bob.address, include_confirmed: true, receivable: true })
  const election = await ask('confirmation_info', { root: rootOf(send) + send.previous })
  const { count, cemented } = await ask('block_count', {})
  return {
    balance: (await ask('account_balance', { account: alice.address })).balance,
    balanceSeen: (await ask('account_balance', { account: alice.address, ...everything })).balance,
    infoBalance: info.balance,
    infoConfirmedBalance: info.confirmed_balance,
    infoHeights: [info.block_count, info.confirmed_height],
    infoFrontierConfirmed: info.frontier === info.confirmed_frontier,
    waiting: (await ask('account_balance', { account: bob.address })).receivable,
    waitingSeen: (await ask('account_balance', { account: bob.address, ...everything })).receivable,
    infoWaiting: [waiting.receivable, waiting.confirmed_receivable],
    receivable: (await ask<{ blocks: unknown }>('receivable', { account: bob.address })).blocks,
    receivableSeen: (await ask<{ blocks: unknown }>('receivable', { account: bob.address, ...everything })).blocks,
    receivableInactive: (
      await ask<{ blocks: unknown }>('receivable', { account: bob.address, include_only_confirmed: false })
    ).blocks,
    exists: (await ask('receivable_exists', { hash })).exists,
    existsSeen: (await ask('receivable_exists', { hash, ...everything })).exists,
    blockConfirmed: (await ask('block_info', { hash })).confirmed,
    election: election.last_winner ?? election.error,
    uncemented: Number(count) - Number(cemented),
  }
}

const three = nano(3).toString()
const seven = nano(7).toString()
const ten = nano(10).toString()

const seenOnly = (hash: string) => ({
  balance: ten,
  balanceSeen: seven,
  infoBalance: seven,
  infoConfirmedBalance: ten,
  infoHeights: ['2', '1'],
  infoFrontierConfirmed: false,
  waiting: '0',
  waitingSeen: three,
  infoWaiting: [three, '0'],
  receivable: '',
  receivableSeen: [hash],
  // Its election is open, and whoever wants those has to ask for them.
  receivableInactive: '',
  exists: '0',
  existsSeen: '1',
  blockConfirmed: 'false',
  election: hash,
  uncemented: 1,
})

const confirmed = (hash: string) => ({
  ...seenOnly(hash),
  balance: seven,
  infoConfirmedBalance: seven,
  infoHeights: ['2', '2'],
  infoFrontierConfirmed: true,
  waiting: three,
  infoWaiting: [three, three],
  receivable: [hash],
  receivableInactive: [hash],
  exists: '1',
  blockConfirmed: 'true',
  election: 'Active confirmation not found',
  uncemented: 0,
})

test('a block that arrives is confirmed in the same instant when nothing was said', async (t) => {
  const { devnet, node, alice, bob } = await openWorld(t)
  const send = alice.send(frontierOf(node, alice.key), bob.key, nano(3))
  const hash = await publish(node, send)
  assert.deepEqual(await look(devnet, alice, bob, send), confirmed(hash))
})

test('a held block is seen but not confirmed, wherever the node tells the two apart, until it is confirmed', async (t) => {
  const { devnet, node, alice, bob } = await openWorld(t)
  node.hold()
  const send = alice.send(frontierOf(node, alice.key), bob.key, nano(3))
  const hash = await publish(node, send)
  assert.deepEqual(await look(devnet, alice, bob, send), seenOnly(hash))
  await node.confirm(hash)
  assert.deepEqual(await look(devnet, alice, bob, send), confirmed(hash))
})

test('hold, fund, confirm, drop and release work over the RPC, and only with control', async (t) => {
  const { devnet, alice, bob } = await openWorld(t)
  const { rpcUrl } = devnet
  const heldNow = async () => (await call(rpcUrl, 'account_balance', { account: alice.address })).receivable
  assert.deepEqual(await call(rpcUrl, 'devnet_hold'), { success: '' })
  const fund = { account: alice.address, amount_nano: '0.5' }
  const first = await call(rpcUrl, 'devnet_fund', fund)
  const second = await call(rpcUrl, 'devnet_fund', fund)
  const third = await call(rpcUrl, 'devnet_fund', fund)
  assert.equal(await heldNow(), '0')
  assert.deepEqual(await call(rpcUrl, 'devnet_confirm', { hash: first.hash }), { success: '' })
  assert.equal(await heldNow(), (nano(1) / 2n).toString())
  assert.deepEqual(await call(rpcUrl, 'devnet_drop', { hash: second.hash }), { dropped: [third.hash, second.hash] })
  assert.deepEqual(await call(rpcUrl, 'devnet_drop', { hash: second.hash }), { error: 'Block not found' })
  assert.deepEqual(await call(rpcUrl, 'devnet_release'), { success: '' })
  assert.equal(await heldNow(), (nano(1) / 2n).toString())

  const restricted = await openDevnet(t, { control: false })
  for (const action of ['hold', 'release', 'confirm', 'drop', 'fund']) {
    const answer = await call(restricted.rpcUrl, `devnet_${action}`, { hash: ZERO_HASH, account: bob.address })
    assert.deepEqual(answer, { error: 'RPC control is disabled' })
  }
})

test('release confirms what waits in the order it came, and later blocks by themselves again', async (t) => {
  const { devnet, node, alice, bob } = await openWorld(t)
  const order: string[] = []
  node.listen((event) => {
    if (event.kind === 'confirmed') order.push(event.stored.hash)
  })
  node.hold()
  const send = alice.send(frontierOf(node, alice.key), bob.key, nano(3))
  const hashes = [await publish(node, send), await node.fund(bob.key, nano(1))]
  hashes.push(await publish(node, bob.receive(frontierOf(node, bob.key), hashes[0]!, nano(3))))
  hashes.push(await publish(node, alice.change(frontierAfter(send), bob.key)))
  assert.deepEqual(order, [])
  await node.release()
  assert.deepEqual(order, hashes)
  assert.equal((await call(devnet.rpcUrl, 'block_count')).cemented, (await call(devnet.rpcUrl, 'block_count')).count)

  hashes.push(await node.fund(bob.key, nano(1)))
  assert.deepEqual(order, hashes)
})

test('confirming a receive confirms the send it stands on first', async (t) => {
  const { node, alice, bob } = await openWorld(t)
  const told: [hash: string, type: string][] = []
  node.listen((event) => {
    if (event.kind === 'confirmed') told.push([event.stored.hash, event.type])
  })
  node.hold()
  const send = await publish(node, alice.send(frontierOf(node, alice.key), bob.key, nano(3)))
  const receive = await publish(node, bob.receive(frontierOf(node, bob.key), send, nano(3)))
  await node.confirm(receive)
  assert.deepEqual(told, [
    [send, 'inactive'],
    [receive, 'active_quorum'],
  ])
})

test('with a delay a block is confirmed when the time has come, and not before', async (t) => {
  const clock = new TestClock()
  const { devnet, node, alice, bob } = await openWorld(t, { clock, confirmAfterMilliseconds: 5000 })
  const send = alice.send(frontierOf(node, alice.key), bob.key, nano(3))
  const hash = await publish(node, send)
  clock.advance(4999)
  assert.deepEqual(await look(devnet, alice, bob, send), seenOnly(hash))
  const heard = nextConfirmation(devnet)
  clock.advance(1)
  assert.equal(await heard, hash)
  assert.deepEqual(await look(devnet, alice, bob, send), confirmed(hash))
})

test('a delay that ends while blocks are held confirms nothing', async (t) => {
  const clock = new TestClock()
  const { devnet, node, alice, bob } = await openWorld(t, { clock, confirmAfterMilliseconds: 5000 })
  const send = alice.send(frontierOf(node, alice.key), bob.key, nano(3))
  const hash = await publish(node, send)
  node.hold()
  clock.advance(60_000)
  assert.deepEqual(await look(devnet, alice, bob, send), seenOnly(hash))
  await node.release()
  assert.deepEqual(await look(devnet, alice, bob, send), confirmed(hash))
})

test('a block that was dropped during its delay stays gone', async (t) => {
  const clock = new TestClock()
  const { devnet, node, file, alice, bob } = await openWorld(t, { clock, confirmAfterMilliseconds: 5000 })
  const before = dumpLedger(file)
  const hash = await publish(node, alice.send(frontierOf(node, alice.key), bob.key, nano(3)))
  await node.drop(hash)
  clock.advance(5000)
  assert.equal((await call(devnet.rpcUrl, 'block_info', { hash })).error, 'Block not found')
  assert.deepEqual(dumpLedger(file), before)
})

test('dropping a send takes back whatever was built on it, and leaves no trace', async (t) => {
  const { node, file, alice, bob, carol } = await openWorld(t)
  node.hold()
  const aliceHead = frontierOf(node, alice.key)
  const kept = await publish(node, alice.change(aliceHead, bob.key))
  const before = dumpLedger(file)

  const send = alice.send(frontierOf(node, alice.key), bob.key, nano(3))
  const receive = bob.receive(frontierOf(node, bob.key), hashBlock(send), nano(3))
  const onward = bob.send(frontierAfter(receive), carol.key, nano(4))
  const opening = carol.receive({ ...UNOPENED, representative: carol.key }, hashBlock(onward), nano(4))
  const back = carol.send(frontierAfter(opening), alice.key, nano(1))
  const change = alice.change(frontierAfter(send), carol.key)
  const returned = alice.receive(frontierAfter(change), hashBlock(back), nano(1))
  const built = [send, receive, onward, opening, back, change, returned]
  for (const block of built) await publish(node, block)
  assertConsistent(dumpLedger(file))

  const gone = await node.drop(hashBlock(send))
  assert.deepEqual([...gone].sort(), built.map(hashBlock).sort())
  assert.deepEqual(dumpLedger(file), before)
  assertConsistent(before)

  // And the same blocks are welcome again.
  for (const block of built) await publish(node, block)
  await node.release()
  assertConsistent(dumpLedger(file))
  assert.equal(node.ledger.isConfirmed(node.ledger.store.findBlock(kept)!), true)
})

test('a payment handed on through a hundred accounts can be dropped as a whole', async (t) => {
  const { node, file, alice } = await openWorld(t)
  node.hold()
  const before = dumpLedger(file)
  let send = alice.send(frontierOf(node, alice.key), new Signer(1000).key, nano(1))
  const first = await publish(node, send)
  for (let index = 1000; index < 1100; index++) {
    const [holder, next] = [new Signer(index), new Signer(index + 1)]
    const opening = holder.receive(UNOPENED, hashBlock(send), nano(1))
    await publish(node, opening)
    send = holder.send(frontierAfter(opening), next.key, nano(1))
    await publish(node, send)
  }
  assert.equal((await node.drop(first)).length, 201)
  assert.deepEqual(dumpLedger(file), before)
})

test('a confirmed block cannot be dropped', async (t) => {
  const { devnet, node, file, alice, bob, opened } = await openWorld(t)
  const hash = await publish(node, alice.send(frontierOf(node, alice.key), bob.key, nano(3)))
  const before = dumpLedger(file)
  for (const block of [hash, opened, DEV_NETWORK.genesisHash]) {
    await assert.rejects(node.drop(block), { message: 'Block is confirmed' })
    assert.deepEqual(await call(devnet.rpcUrl, 'devnet_drop', { hash: block }), { error: 'Block is confirmed' })
  }
  assert.deepEqual(dumpLedger(file), before)
})

test('process with force replaces an unconfirmed rival and what was built on it', async (t) => {
  const { devnet, node, file, alice, bob, carol } = await openWorld(t)
  node.hold()
  const head = frontierOf(node, alice.key)
  const rival = alice.send(head, bob.key, nano(3))
  await publish(node, rival)
  await publish(node, bob.receive(frontierOf(node, bob.key), hashBlock(rival), nano(3)))
  await publish(node, alice.change(frontierAfter(rival), bob.key))

  const block = alice.send(head, carol.key, nano(5))
  const request = { block: toBlockJson(block), json_block: true }
  assert.deepEqual(await call(devnet.rpcUrl, 'process', request), { error: 'Fork' })
  assert.deepEqual(await call(devnet.rpcUrl, 'process', { ...request, force: true }), { hash: hashBlock(block) })

  assert.equal(frontierOf(node, alice.key).previous, hashBlock(block))
  assert.equal(node.ledger.store.hasBlock(hashBlock(rival)), false)
  assert.equal(frontierOf(node, bob.key).balance, nano(1))
  assertConsistent(dumpLedger(file))
})

test('process with force replaces an unconfirmed first block', async (t) => {
  const { node, file, carol } = await openWorld(t)
  const sends = [await node.fund(carol.key, nano(1)), await node.fund(carol.key, nano(2))]
  node.hold()
  await publish(node, carol.receive(UNOPENED, sends[0]!, nano(1)))
  const other = carol.receive(UNOPENED, sends[1]!, nano(2))
  assert.deepEqual(await node.process(other, { force: true }), { hash: hashBlock(other) })
  assert.equal(frontierOf(node, carol.key).balance, nano(2))
  assertConsistent(dumpLedger(file))
})

test('process with force never replaces a confirmed rival', async (t) => {
  const { node, file, alice, bob, carol } = await openWorld(t)
  const head = frontierOf(node, alice.key)
  const rival = await publish(node, alice.send(head, bob.key, nano(3)))
  const before = dumpLedger(file)
  const block = alice.send(head, carol.key, nano(5))
  // The node gives the hash for an answer all the same.
  assert.deepEqual(await node.process(block, { force: true }), { hash: hashBlock(block) })
  assert.equal(frontierOf(node, alice.key).previous, rival)
  assert.deepEqual(dumpLedger(file), before)
})

test('blocks that come too early are kept and follow when what they need arrives', async (t) => {
  const { devnet, node, file, alice, bob, carol } = await openWorld(t)
  const send = alice.send(frontierOf(node, alice.key), carol.key, nano(3))
  const opening = carol.receive(UNOPENED, hashBlock(send), nano(3))
  const onward = carol.send(frontierAfter(opening), bob.key, nano(2))
  const receive = bob.receive(frontierOf(node, bob.key), hashBlock(onward), nano(2))
  const change = carol.change(frontierAfter(onward), bob.key)
  const early: [StateBlock, string][] = [
    [change, 'Gap previous block'],
    [receive, 'Gap source block'],
    [onward, 'Gap previous block'],
    [opening, 'Gap source block'],
  ]
  for (const [block, error] of early) {
    const request = { block: toBlockJson(block), json_block: true }
    assert.deepEqual(await call(devnet.rpcUrl, 'process', request), { error })
    // A block that is sent twice waits once.
    assert.deepEqual(await call(devnet.rpcUrl, 'process', request), { error })
  }
  assert.equal((await call(devnet.rpcUrl, 'block_count')).unchecked, '4')

  await publish(node, send)
  const { count, cemented, unchecked } = await call(devnet.rpcUrl, 'block_count')
  assert.deepEqual([cemented, unchecked], [count, '0'])
  for (const block of [send, opening, onward, receive, change]) {
    assert.ok(node.ledger.store.hasBlock(hashBlock(block)))
  }
  assertConsistent(dumpLedger(file))
})

test('an epoch block for an account without blocks waits for its first receivable', async (t) => {
  const { devnet, node, file, carol } = await openWorld(t)
  const draft: StateBlock = {
    type: 'state',
    account: carol.key,
    previous: ZERO_HASH,
    representative: ZERO_HASH,
    balance: 0n as Raw,
    link: Buffer.from('epoch v2 block').toString('hex').toUpperCase().padEnd(64, '0'),
    signature: '',
    work: '0'.repeat(16),
  }
  const epoch = { ...draft, signature: signHash(DEV_NETWORK.genesisPrivateKey, hashBlock(draft)) }
  assert.deepEqual(await node.process(epoch), { refused: 'Gap pending for open epoch block' })
  await node.fund(carol.key, nano(1))
  const info = await call(devnet.rpcUrl, 'account_info', { account: carol.address })
  assert.deepEqual([info.frontier, info.account_version, info.balance], [hashBlock(epoch), '2', '0'])
  assertConsistent(dumpLedger(file))
})

test('blocks that came too early with a wrong signature are refused, not kept', async (t) => {
  const { devnet, alice, carol } = await openWorld(t)
  const block = alice.receive(UNOPENED, '7'.repeat(64), nano(1))
  const forged = { ...block, account: carol.key }
  const answer = await call(devnet.rpcUrl, 'process', { block: toBlockJson(forged), json_block: true })
  assert.equal(answer.error, 'Bad signature')
  assert.equal((await call(devnet.rpcUrl, 'block_count')).unchecked, '0')
})

// Whatever people do to each other's blocks, in whatever order, the supply is 2^128 - 1 raw.
test('300 random operations neither make nor lose a raw', async (t) => {
  await repeat(1, async (random) => {
    const { node, file } = await openWorld(t)
    const people = Array.from({ length: 6 }, (_, index) => new Signer(index + 1))
    const counts: Record<string, number> = {}
    const late: StateBlock[] = []
    for (let done = 0, tried = 0; done < 300; tried++) {
      assert.ok(tried < 3000, 'there is something to do')
      const name = random.pick(OPERATION_NAMES)
      if (!(await OPERATIONS[name](node, random, people, late))) continue
      counts[name] = (counts[name] ?? 0) + 1
      if (++done % 50 === 0) assertConsistent(dumpLedger(file))
    }
    await node.release()
    for (const block of late) await node.process(block)
    const dump = dumpLedger(file)
    assertConsistent(dump)
    assert.equal(dump.totals[0]!.blocks, dump.totals[0]!.cemented)
    t.diagnostic(`operations done: ${JSON.stringify(counts)}, blocks: ${dump.blocks.length}`)
    for (const name of OPERATION_NAMES) assert.ok(counts[name], `no ${name} in 300 operations`)
  })
})

type Operation = (
  node: Devnet['node'],
  random: SeededRandom,
  people: Signer[],
  late: StateBlock[],
) => Promise<boolean> | boolean

/** Each says whether there was something to do. */
const OPERATIONS = {
  fund: async (node, random, people) => {
    await node.fund(random.pick(people).key, (random.bigint(100) + 1n) as Raw)
    return true
  },
  send: async (node, random, people) => {
    const block = randomSend(node, random, people)
    if (block) await publish(node, block)
    return block !== undefined
  },
  receive: async (node, random, people) => {
    const person = random.pick(people)
    const [entry] = node.ledger.store.receivableOf(person.key)
    if (!entry) return false
    await publish(node, person.receive(frontierOf(node, person.key), entry.hash, entry.amount))
    return true
  },
  change: async (node, random, people) => {
    const person = random.pick(people)
    const head = frontierOf(node, person.key)
    if (head.previous === ZERO_HASH) return false
    await publish(node, person.change(head, random.pick(people).key))
    return true
  },
  hold: (node) => {
    node.hold()
    return true
  },
  release: async (node, random) => {
    // Rarely, so that there is something to drop.
    if (random.below(3) > 0) return false
    await node.release()
    return true
  },
  confirm: async (node, random) => {
    const waiting = node.ledger.listUnconfirmed()
    if (waiting.length === 0) return false
    await node.confirm(random.pick(waiting).hash)
    return true
  },
  drop: async (node, random) => {
    const waiting = node.ledger.listUnconfirmed()
    if (waiting.length === 0) return false
    await node.drop(random.pick(waiting).hash)
    return true
  },
  force: async (node, random, people) => {
    const person = random.pick(people)
    const { store } = node.ledger
    const head = store.findAccount(person.key)
    const block = head && store.findBlock(head.head)?.block
    if (block?.type !== 'state' || block.previous === ZERO_HASH) return false
    const previous = store.findBlock(block.previous)!
    if (previous.block.type !== 'state') return false
    await node.process(person.change(frontierAfter(previous.block), random.pick(people).key), { force: true })
    return true
  },
  /** A receive that overtakes its send. */
  overtake: async (node, random, people, late) => {
    const send = randomSend(node, random, people)
    const receiver = people.find(({ key }) => key === send?.link)
    if (!send || !receiver) return false
    const amount = frontierOf(node, send.account).balance - send.balance
    await node.process(receiver.receive(frontierOf(node, receiver.key), hashBlock(send), amount))
    late.push(send)
    return true
  },
  catchUp: async (node, _random, _people, late) => {
    const block = late.shift()
    if (block) await node.process(block)
    return block !== undefined
  },
} satisfies Record<string, Operation>
const OPERATION_NAMES = Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]

function randomSend(node: Devnet['node'], random: SeededRandom, people: Signer[]): StateBlock | undefined {
  const person = random.pick(people)
  const head = frontierOf(node, person.key)
  if (head.balance === 0n) return undefined
  const amount = random.below(5) === 0 ? head.balance : (random.bigint(100) % head.balance) + 1n
  return person.send(head, random.pick(people).key, amount > head.balance ? head.balance : amount)
}

function nextConfirmation({ node }: Devnet): Promise<string> {
  return new Promise((resolve) => {
    const stop = node.listen((event) => {
      if (event.kind !== 'confirmed') return
      stop()
      resolve(event.stored.hash)
    })
  })
}
