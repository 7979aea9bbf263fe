import assert from 'node:assert/strict'
import { test } from 'node:test'
import { give } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { growLedger } from '../support/grown-ledger.ts'
import { openPooledGateway } from '../support/pooled-gateway.ts'
import { until } from '../support/until.ts'
import { Tally, collectQuestions, startNodes } from './questions.ts'

test('when every node looks bad they are all used', async (t) => {
  const ledgers = await growLedger(t, 3)
  const nodes = await startNodes(t, ledgers, 3)
  const questions = await collectQuestions(nodes[0]!, ledgers)
  for (const node of nodes) await node.behave('status 500', { actions: ['block_count'] })
  const gateway = await openPooledGateway(t, nodes)
  const tally = new Tally()
  const answerable = questions.filter(({ action }) => action !== 'block_count')
  await tally.ask(gateway, answerable, 200)
  tally.assertFlawless()
  assert.deepEqual(
    gateway.app.nodes.pool.upstreams.map(({ healthy }) => healthy),
    [false, false, false],
  )
  for (const node of nodes) assert.ok(node.hits('block_info') > 0)
})

// A stale node gives wrong answers quickly, so it must not be preferred because a good one failed once.
test('a node known to be behind is asked last, also when the good one stops answering probes, and is used once it is alone', async (t) => {
  const ledgers = await growLedger(t, 4)
  const clock = new TestClock()
  const [good, lagging] = await startNodes(t, ledgers, 2)
  await lagging!.behave('lagging')
  const questions = await collectQuestions(good!, ledgers)
  const gateway = await openPooledGateway(t, [good!, lagging!], { clock, env: { CACHE_BYTES_MAX: '0' } })
  await good!.behave('status 500', { actions: ['block_count'] })
  good!.forgetHits()
  clock.advance(3_000)
  await until(() => gateway.app.nodes.pool.upstreams.every(({ healthy }) => !healthy))
  const tally = new Tally()
  const answerable = questions.filter(({ action }) => action !== 'block_count')
  await tally.ask(gateway, answerable, 200)
  tally.assertFlawless()
  await good!.behave('dead')
  clock.advance(3_000)
  await until(() => !gateway.app.nodes.pool.upstreams[0]!.reachable)
  const { status, body } = await gateway.ask('account_info', { account: ledgers.signers[0]!.address })
  assert.deepEqual([status, body.block_count], [200, '1'])
})

for (const fault of ['dead', 'html', 'cut', 'status 429', 'lagging', 'nonsense'] as const) {
  test(`a node that recovers is readmitted by the next probe (${fault})`, async (t) => {
    const ledgers = await growLedger(t, 1)
    const clock = new TestClock()
    const nodes = await startNodes(t, ledgers, 2)
    await nodes[0]!.behave(fault)
    const gateway = await openPooledGateway(t, nodes, { clock })
    const upstream = gateway.app.nodes.pool.upstreams[0]!
    assert.equal(upstream.healthy, false)
    await nodes[0]!.behave('none')
    clock.advance(2_999)
    await gateway.ask('account_info', { account: ledgers.signers[0]!.address })
    assert.equal(upstream.healthy, false)
    clock.advance(1)
    await until(() => upstream.healthy)
  })
}

test('a node that fails three times in a row is left alone until a probe finds it well', async (t) => {
  const ledgers = await growLedger(t, 8)
  const clock = new TestClock()
  const nodes = await startNodes(t, ledgers, 2)
  const [bad] = nodes
  // The gateway reads the representatives after its start: a success in between would reset the count of failures.
  const release = bad!.hold('representatives_online')
  const gateway = await openPooledGateway(t, nodes, { clock })
  const upstream = gateway.app.nodes.pool.upstreams[0]!
  const ask = async () => {
    for (const { address } of ledgers.signers) {
      assert.equal((await gateway.ask('account_info', { account: address })).status, 200)
    }
  }
  await ask()
  assert.ok(bad!.hits('account_info') >= 3, 'the accounts of this test are spread over both nodes')
  await bad!.behave('html', { actions: ['account_info'] })
  bad!.forgetHits()
  await ask()
  await ask()
  assert.equal(bad!.hits('account_info'), 3)
  assert.equal(upstream.healthy, false)
  release()
  await bad!.behave('none')
  clock.advance(3_000)
  await until(() => upstream.healthy)
})

// Blocks have no time: only other nodes' progress shows that one stands still.
test('a node without progress for 30 seconds, while others have some, is not used', async (t) => {
  const ledgers = await growLedger(t, 2)
  const clock = new TestClock()
  const nodes = await startNodes(t, ledgers, 2)
  const gateway = await openPooledGateway(t, nodes, { clock })
  const [moving, stuck] = gateway.app.nodes.pool.upstreams
  await nodes[1]!.behave('stuck')
  const probe = async (seconds: number) => {
    nodes.forEach((node) => node.forgetHits())
    clock.advance(seconds * 1_000)
    const before = moving!.cemented
    await until(() => nodes.every((node) => node.hits('block_count') > 0))
    await until(() => moving!.cemented > before)
  }
  for (let passed = 0; passed < 30; passed += 3) {
    await give(ledgers.current.node, ledgers.signers[0]!.key, 1n as never)
    await probe(3)
    assert.equal(stuck!.lagging, false)
  }
  await give(ledgers.current.node, ledgers.signers[0]!.key, 1n as never)
  await probe(3)
  await until(() => stuck!.lagging)
  assert.equal(moving!.healthy, true)
})
