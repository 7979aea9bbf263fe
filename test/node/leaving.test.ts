import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Leaving } from '../../src/kernel/leaving.ts'
import { hashBlock } from '../../src/kernel/nano/block.ts'
import { NO_WORK, Signer, frontierOf, nano, openAccount } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { openPooledGateway } from '../support/pooled-gateway.ts'
import { until } from '../support/until.ts'

const alice = new Signer(1)
const PARAMS = { account: alice.address }

/** One node, the gateway's pool in front of it, and a caller, with or without an abort signal. */
async function openWorld(t: TestContext) {
  const ledger = await openDevnet(t, { thresholds: NO_WORK })
  await openAccount(ledger.node, alice, nano(100))
  const node = await FaultyNode.start(t, { ledger })
  const { nodes } = (await openPooledGateway(t, [node])).app
  const ask = (leaving?: Leaving) => nodes.forRequest(undefined, leaving).read('account_info', PARAMS)
  return { ledger, node, nodes, ask }
}

test('a read ends at the node when the only one who waits leaves, and the node is not blamed', async (t) => {
  const { node, nodes, ask } = await openWorld(t)
  for (let round = 1; round <= 5; round++) {
    node.hold('account_info')
    const client = new Leaving()
    const read = ask(client)
    await until(() => node.hits('account_info') === round)
    client.leave()
    await assert.rejects(read)
    await until(() => node.abandoned === round)
  }
  assert.equal(nodes.pool.upstreams[0]!.healthy, true)
})

test('a read continues while any client waits for it', async (t) => {
  const { node, ask } = await openWorld(t)
  const release = node.hold('account_info')
  const clients = [new Leaving(), new Leaving(), new Leaving()]
  const reads = clients.map((client) => ask(client))
  await until(() => node.hits('account_info') === 1)
  clients[0]!.leave()
  clients[2]!.leave()
  release()
  assert.equal((await reads[1]!).balance, `${nano(100)}`)
  assert.equal(node.abandoned, 0)
})

test('a read continues for a caller that cannot disconnect', async (t) => {
  const { node, ask } = await openWorld(t)
  const release = node.hold('account_info')
  const client = new Leaving()
  const reads = [ask(client), ask()]
  await until(() => node.hits('account_info') === 1)
  client.leave()
  release()
  assert.equal((await reads[1]!).balance, `${nano(100)}`)
})

test('an aborted read is not shared', async (t) => {
  const { node, ask } = await openWorld(t)
  const release = node.hold('account_info')
  const client = new Leaving()
  const left = ask(client)
  await until(() => node.hits('account_info') === 1)
  client.leave()
  const next = ask()
  await assert.rejects(left)
  await until(() => node.hits('account_info') === 2)
  const other = ask()
  release()
  assert.equal((await next).balance, `${nano(100)}`)
  assert.equal(await other, await next)
  assert.equal(node.hits('account_info'), 2)
})

test('a block is published although its sender has disconnected', async (t) => {
  const { ledger, nodes } = await openWorld(t)
  const client = new Leaving()
  const block = alice.send(frontierOf(ledger.node, alice.key), alice.key, nano(1))
  const published = nodes.forRequest(undefined, client).publish(block, 'send')
  client.leave()
  assert.equal(await published, hashBlock(block))
  assert.ok(ledger.node.ledger.store.hasBlock(hashBlock(block)))
})
