import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Devnet, DevnetOptions } from '../../src/devnet/index.ts'
import { type StateBlock, hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import {
  NO_WORK,
  Signer,
  UNOPENED,
  allConfirmed,
  frontierAfter,
  frontierOf,
  nano,
  openAccount,
  publish,
} from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { openDevnet } from '../support/devnet.ts'
import { EventRelay } from '../support/event-relay.ts'
import { type Fault, FaultyNode } from '../support/faulty-node.ts'
import { type Answer, type PooledGateway, openPooledGateway } from '../support/pooled-gateway.ts'
import { repeat } from '../support/random.ts'
import { isThorough } from '../support/thorough.ts'
import { until } from '../support/until.ts'

const alice = new Signer(1)
const bob = new Signer(2)

/** A ledger where Alice has 100 nano. */
async function openLedger(t: TestContext, options: Partial<DevnetOptions> = {}): Promise<Devnet> {
  const devnet = await openDevnet(t, { thresholds: NO_WORK, ...options })
  await openAccount(devnet.node, alice, nano(100))
  return devnet
}

/** Alice's next send. */
const sendOf = (devnet: Devnet, amount = 1) => alice.send(frontierOf(devnet.node, alice.key), bob.key, nano(amount))

const process = (gateway: PooledGateway, block: StateBlock, subtype = 'send') =>
  gateway.ask('process', { json_block: 'true', subtype, block: toBlockJson(block) })

const isOn = (devnet: Devnet, block: StateBlock) => devnet.node.ledger.store.hasBlock(hashBlock(block))

function assertPublished({ status, body }: Answer, block: StateBlock): void {
  assert.deepEqual({ status, body }, { status: 200, body: { hash: hashBlock(block) } })
}

const NO_NODE = 'No node available. Try again in a few seconds.'
const UNKNOWN = 'No node confirmed the block. Look up its hash before sending again.'

function assertUnknown({ status, body }: Answer, block: StateBlock, expected: 502 | 504): void {
  const code = expected === 502 ? 'publish_unknown' : 'publish_timeout'
  const error = { error: UNKNOWN, message: UNKNOWN, code, hash: hashBlock(block) }
  assert.deepEqual({ status, body }, { status: expected, body: error })
}

const startNodes = (t: TestContext, ledgers: readonly Devnet[]) =>
  Promise.all(ledgers.map((ledger) => FaultyNode.start(t, { ledger })))

/** The second node is a fallback, so that the first is always asked first. */
const inOrder = (nodes: readonly FaultyNode[]) =>
  nodes.map(({ url }, at) => ({ url, options: at === 0 ? '' : `role=fallback&weight=${1e6 ** (nodes.length - at)}` }))

/** Two nodes of one ledger; the first is asked first. */
async function openPair(t: TestContext, clock?: TestClock) {
  const ledger = await openLedger(t)
  const nodes = await startNodes(t, [ledger, ledger])
  return { ledger, nodes, gateway: await openPooledGateway(t, inOrder(nodes), clock && { clock }) }
}

test('a lost reply to an accepted block is a success, found by its hash, and nothing is sent twice (contract 4.1, rule 5; 7, rule 2)', async (t) => {
  const ledger = await openLedger(t)
  const nodes = await startNodes(t, [ledger, ledger, ledger])
  for (const [among, fault] of [
    [nodes.slice(0, 2), 'reply lost'],
    [nodes.slice(2), 'reply lost'],
    [nodes.slice(2), 'cut'],
  ] as const) {
    const gateway = await openPooledGateway(t, inOrder(among))
    await among[0]!.behave(fault, { actions: ['process'] })
    for (const node of among) node.forgetHits()
    const block = sendOf(ledger)
    assertPublished(await process(gateway, block), block)
    assert.equal(among[0]!.hits('process'), 1)
    assert.ok((among[1]?.hits('process') ?? 0) <= 1)
    await gateway.close()
  }
})

test('a reply that never comes is a success once the hash is found', async (t) => {
  const clock = new TestClock()
  const { ledger, nodes, gateway } = await openPair(t, clock)
  await nodes[0]!.behave('mute', { actions: ['process'] })
  const block = sendOf(ledger)
  const answer = process(gateway, block)
  await until(() => isOn(ledger, block))
  clock.advance(9_999)
  assert.equal(nodes[0]!.hits('block_info') + nodes[1]!.hits('process'), 0, 'it has ten seconds')
  clock.advance(1)
  assertPublished(await answer, block)
})

// One slow node must not delay the answer of another.
test('a lookup answers as soon as one node has the block', async (t) => {
  const { ledger, nodes, gateway } = await openPair(t, new TestClock())
  await nodes[0]!.behave('reply lost', { actions: ['process'] })
  await nodes[1]!.behave('mute', { actions: ['block_info'] })
  const block = sendOf(ledger)
  assertPublished(await process(gateway, block), block)
})

for (const fault of ['dead', 'request lost', 'html', 'status 500', 'rate limit', 'nonsense', 'garbage'] as const) {
  test(`if a node does not accept the block (${fault}), the next one gets it`, async (t) => {
    const { ledger, nodes, gateway } = await openPair(t)
    await nodes[0]!.behave(fault)
    const block = sendOf(ledger)
    assertPublished(await process(gateway, block), block)
    assert.ok(isOn(ledger, block))
    assert.equal(nodes[1]!.hits('process'), 1)
  })
}

test('a block that is early for one node and right for the next is published, and then read from who has it', async (t) => {
  const behind = await openLedger(t)
  const current = await openLedger(t)
  const clock = new TestClock()
  const nodes = await startNodes(t, [behind, current])
  const gateway = await openPooledGateway(t, inOrder(nodes), { clock })
  await publish(current.node, sendOf(current))
  const block = sendOf(current, 2)
  assertPublished(await process(gateway, block), block)
  assert.equal(isOn(behind, block), false)
  // The first node would still answer with the previous state: a wallet that builds on it would fork itself.
  const account = alice.address
  assert.equal((await gateway.ask('account_info', { account })).body.frontier, hashBlock(block))
  await allConfirmed(current.node)
  assert.equal((await gateway.ask('account_balance', { account })).body.balance, `${nano(97)}`)
  assert.equal((await gateway.ask('block_info', { hash: hashBlock(block) })).body.confirmed, 'true')
  const next = alice.send(frontierAfter(block), bob.key, nano(1))
  nodes[0]!.forgetHits()
  assertPublished(await process(gateway, next), next)
  clock.advance(60_000)
  assert.equal((await gateway.ask('account_info', { account })).body.block_count, '1', 'after a minute all are equal')
})

for (const fault of ['request lost', 'html', 'nonsense', 'status 500'] as const) {
  test(`502 with the hash when the outcome of the block is unknown (${fault})`, async (t) => {
    const { ledger, nodes, gateway } = await openPair(t)
    for (const node of nodes) await node.behave(fault)
    const block = sendOf(ledger)
    assertUnknown(await process(gateway, block), block, 502)
    for (const node of nodes) assert.equal(node.hits('process'), 1)
  })
}

test('504 with the hash when the nodes are silent', async (t) => {
  const ledger = await openLedger(t)
  const clock = new TestClock()
  const [node] = await startNodes(t, [ledger])
  const gateway = await openPooledGateway(t, [node!], { clock })
  await node!.behave('mute')
  const block = sendOf(ledger)
  const answer = process(gateway, block)
  await until(() => node!.hits('process') === 1)
  let isAnswered = false
  void answer.finally(() => (isAnswered = true))
  // Both requests time out, whether or not the node is considered reachable for the second.
  await until(() => {
    if (!isAnswered) clock.advance(250)
    return isAnswered
  })
  assertUnknown(await answer, block, 504)
})

test('502 without doubt when no node could be reached at all', async (t) => {
  const { ledger, nodes, gateway } = await openPair(t)
  for (const node of nodes) await node.behave('dead')
  const { status, body } = await process(gateway, sendOf(ledger))
  assert.deepEqual({ status, body }, { status: 502, body: { error: NO_NODE, message: NO_NODE, code: 'no_node' } })
})

test('200 with the exact text of a refusal, once every node has refused', async (t) => {
  const { ledger, nodes, gateway } = await openPair(t)
  const before = frontierOf(ledger.node, alice.key)
  const first = sendOf(ledger)
  await publish(ledger.node, first)
  const next = sendOf(ledger)
  const refusals: [StateBlock, string, string][] = [
    [alice.send(before, bob.key, nano(2)), '', 'Fork'],
    [first, '', 'Old block'],
    [first, 'send', 'Invalid block balance for given subtype'],
    [{ ...next, signature: '0'.repeat(128) }, 'send', 'Bad signature'],
    [{ ...next, balance: (next.balance + nano(10)) as never }, 'send', 'Invalid block balance for given subtype'],
    [bob.receive(UNOPENED, hashBlock(next), nano(1)), '', 'Gap source block'],
    [alice.send({ ...before, previous: 'A'.repeat(64) }, bob.key, nano(1)), '', 'Gap previous block'],
  ]
  for (const [block, subtype, text] of refusals) {
    nodes.forEach((node) => node.forgetHits())
    const { status, body } = await process(gateway, block, subtype)
    assert.deepEqual({ status, body }, { status: 200, body: { error: text } })
    assert.equal(nodes[0]!.hits('process'), 1)
    assert.equal(nodes[1]!.hits('process'), 1)
  }
})

test('the word of the node that is not behind is the one that counts', async (t) => {
  const behind = await openLedger(t)
  const current = await openLedger(t)
  const nodes = await startNodes(t, [behind, current])
  const gateway = await openPooledGateway(t, inOrder(nodes))
  await publish(current.node, sendOf(current))
  const block = sendOf(current)
  await publish(current.node, block)
  assert.deepEqual((await process(gateway, block, '')).body, { error: 'Old block' })
})

test('a node that has another block in this place, or says so, keeps no block from the ledger', async (t) => {
  const other = await openLedger(t)
  const current = await openLedger(t)
  const nodes = await startNodes(t, [other, current])
  const gateway = await openPooledGateway(t, inOrder(nodes))
  const block = sendOf(current)
  await publish(other.node, alice.send(frontierOf(other.node, alice.key), bob.key, nano(3)))
  assert.deepEqual((await process(gateway, block, 'send')).body, { hash: hashBlock(block) })
})

// The first node accepted the block, but its reply was lost. That the second node lacks the previous block proves nothing.
test('after a lost reply a refusal by another node is not passed off as the truth', async (t) => {
  const current = await openLedger(t)
  const behind = await openLedger(t)
  const nodes = await startNodes(t, [current, behind])
  const gateway = await openPooledGateway(t, inOrder(nodes))
  await publish(current.node, sendOf(current))
  const block = sendOf(current)
  await nodes[0]!.behave('reply lost')
  assertUnknown(await process(gateway, block), block, 502)
  assert.ok(isOn(current, block))
})

test('after a lost reply a collision with the block itself is a success', async (t) => {
  const { ledger, nodes, gateway } = await openPair(t)
  await nodes[0]!.behave('reply lost')
  await nodes[1]!.behave('status 500', { actions: ['block_info'] })
  // The second node must refuse the duplicate first; only then can the hash be looked up.
  const release = nodes[1]!.hold('process')
  const block = sendOf(ledger)
  const answer = process(gateway, block)
  await until(() => nodes[1]!.hits('process') === 1)
  await nodes[1]!.behave('none')
  release()
  assertPublished(await answer, block)
})

// Contract: a block is published once, whatever happens to the replies. Every answer is compared with the ledger.
test('random faults never make a second block, a false success or a false failure', async (t) => {
  const ledger = await openLedger(t)
  const nodes = await startNodes(t, [ledger, ledger, ledger])
  const gateway = await openPooledGateway(t, nodes)
  const faults: Fault[] = ['none', 'dead', 'reply lost', 'request lost', 'cut', 'html', 'status 500', 'garbage']
  const seen = { published: 0, unknown: 0, unreached: 0 }
  await repeat(isThorough ? 80 : 40, async (random) => {
    // A block that never arrived may be published again, byte for byte.
    for (const node of nodes) node.forgetHits()
    const chosen = nodes.map(() => random.pick(faults))
    for (const [at, node] of nodes.entries()) {
      await node.behave(chosen[at]!, random.below(2) === 0 ? { actions: ['process'] } : {})
    }
    const blocksBefore = ledger.node.ledger.store.findAccount(alice.key)!.blockCount
    const block = alice.send(frontierOf(ledger.node, alice.key), bob.key, BigInt(random.below(1_000) + 1))
    const { status, body } = await process(gateway, block)
    for (const node of nodes) {
      const times = node.bodies('process').filter((body) => body.includes(block.signature)).length
      assert.ok(times <= 1)
    }
    const grown = ledger.node.ledger.store.findAccount(alice.key)!.blockCount - blocksBefore
    assert.equal(grown, isOn(ledger, block) ? 1 : 0)
    if (status === 200) {
      assert.deepEqual(body, { hash: hashBlock(block) })
      assert.equal(grown, 1)
      seen.published++
    } else if (body.code === 'no_node') {
      assert.equal(grown, 0)
      assert.ok(!chosen.includes('none'))
      seen.unreached++
    } else {
      assertUnknown({ status, body, cache: undefined }, block, 502)
      assert.ok(!chosen.includes('none'), 'one good node is enough')
      seen.unknown++
    }
  })
  t.diagnostic(JSON.stringify(seen))
  assert.ok(seen.published > 0 && seen.unknown > 0)
})

for (const socket of ['with', 'without'] as const) {
  test(`after a block no read returns or shares an answer from before it (${socket} confirmations)`, async (t) => {
    // Answers that count only confirmed blocks must change with the block too, or an old answer would look like a new one.
    const ledger = await openLedger(t, { confirmAfterMilliseconds: 0 })
    const [node] = await startNodes(t, [ledger])
    const relay = await EventRelay.start(t, ledger.wsUrl)
    const wsUrl = socket === 'with' ? { wsUrl: relay.url } : {}
    const gateway = await openPooledGateway(t, [{ url: node!.url, ...wsUrl }])
    if (socket === 'with') await until(() => gateway.app.nodes.confirmations.connected)
    const frontier = frontierOf(ledger.node, alice.key)
    const block = sendOf(ledger)
    const hash = hashBlock(block)
    const reads: [string, object, string, string, string][] = [
      ['account_info', { account: alice.address }, 'frontier', frontier.previous, hash],
      ['account_balance', { account: alice.address }, 'balance', `${nano(100)}`, `${nano(99)}`],
      ['account_balance', { account: bob.address }, 'receivable', '0', `${nano(1)}`],
      ['block_info', { hash: frontier.previous }, 'successor', '0'.repeat(64), hash],
      ['block_info', { hash }, 'height', 'Block not found', '2'],
    ]
    // Each answer is made when the node is asked and arrives when it is released, so the early ones are outdated by then.
    const releases = ['account_info', 'account_balance', 'block_info'].map((action) => node!.hold(action))
    const isAsked = (times: number) =>
      node!.hits('account_info') + node!.hits('account_balance') + node!.hits('block_info') === times * reads.length
    const early = reads.map(([action, params]) => gateway.ask(action, params))
    await until(() => isAsked(1))
    assertPublished(await process(gateway, block), block)
    const late = reads.map(([action, params]) => gateway.ask(action, params))
    await until(() => isAsked(2))
    releases.forEach((release) => release())
    for (const [at, [action, , member, before, after]] of reads.entries()) {
      const [old, fresh] = [await early[at]!, await late[at]!]
      assert.equal(old.body[member] ?? old.body.error, before, action)
      assert.equal(fresh.body[member], after, action)
      assert.equal(fresh.cache, 'miss')
    }
    for (const [action, params, member, , after] of reads) {
      assert.equal((await gateway.ask(action, params)).body[member], after)
    }
  })
}
