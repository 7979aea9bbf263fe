import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { frontierOf, nano, publish } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { call } from '../support/rpc.ts'
import { until } from '../support/until.ts'
import { WsClient } from '../support/ws-client.ts'
import { openPeopled } from './peopled.ts'

test('an action fails as often as it was ordered to, and others do not', async (t) => {
  const { devnet } = await openPeopled(t)
  const { rpcUrl } = devnet
  await call(rpcUrl, 'devnet_fault', { target: 'block_count', kind: 'error', count: '2' })
  const failed = { error: 'Internal server error in RPC' }
  assert.deepEqual(await call(rpcUrl, 'block_count'), failed)
  assert.equal((await call(rpcUrl, 'version')).network, 'dev')
  assert.deepEqual(await call(rpcUrl, 'block_count'), failed)
  assert.equal((await call(rpcUrl, 'block_count')).count, '7')

  await call(rpcUrl, 'devnet_fault', { target: '*', kind: 'error' })
  for (const action of ['version', 'block_count', 'process']) assert.deepEqual(await call(rpcUrl, action), failed)
  await call(rpcUrl, 'devnet_fault', { target: '*', count: '0' })
  assert.equal((await call(rpcUrl, 'version')).network, 'dev')
})

test('a block whose answer was dropped is on the ledger all the same', async (t) => {
  const { devnet, node, alice, bob } = await openPeopled(t)
  const block = alice.send(frontierOf(node, alice.key), bob.key, nano(1))
  const request = { json_block: true, block: toBlockJson(block) }
  await call(devnet.rpcUrl, 'devnet_fault', { target: 'process', kind: 'drop', count: '1' })
  await assert.rejects(call(devnet.rpcUrl, 'process', request), /socket hang up|ECONNRESET/)
  assert.equal(node.ledger.store.hasBlock(hashBlock(block)), true)
  assert.deepEqual(await call(devnet.rpcUrl, 'process', request), { error: 'Old block' })
})

test('a delayed action is answered when its time has come, and not at all when the ledger was put back before', async (t) => {
  const clock = new TestClock()
  const { devnet, node, alice, bob } = await openPeopled(t, { clock })
  const { rpcUrl } = devnet
  const { id } = await call(rpcUrl, 'devnet_snapshot')
  await call(rpcUrl, 'devnet_fault', { target: 'process', kind: 'delay', ms: '5000' })
  const block = alice.send(frontierOf(node, alice.key), bob.key, nano(1))
  const request = { json_block: true, block: toBlockJson(block) }
  const late = call(rpcUrl, 'process', request)
  await until(() => clock.waiting === 1)
  assert.equal(node.ledger.store.hasBlock(hashBlock(block)), false)
  clock.advance(5_000)
  assert.deepEqual(await late, { hash: hashBlock(block) })

  const next = alice.send(frontierOf(node, alice.key), bob.key, nano(1))
  const lost = assert.rejects(call(rpcUrl, 'process', { json_block: true, block: toBlockJson(next) }))
  await until(() => clock.waiting === 1)
  await call(rpcUrl, 'devnet_revert', { id })
  await lost
  assert.equal(clock.waiting, 0)
})

test('a node that lags tells what was, by the time it is behind, and takes blocks as ever', async (t) => {
  const clock = new TestClock()
  const { devnet, node, alice, bob } = await openPeopled(t, { clock })
  const { rpcUrl } = devnet
  const balance = async () => (await call(rpcUrl, 'account_balance', { account: alice.address })).balance
  await call(rpcUrl, 'devnet_fault', { target: 'account_balance', kind: 'lag', ms: '10000' })
  assert.equal(await balance(), nano(10).toString())
  clock.advance(1_000)
  await publish(node, alice.send(frontierOf(node, alice.key), bob.key, nano(1)))
  clock.advance(1_000)
  await publish(node, alice.send(frontierOf(node, alice.key), bob.key, nano(1)))
  assert.equal(await balance(), nano(10).toString())
  assert.equal((await call(rpcUrl, 'account_info', { account: alice.address })).balance, nano(8).toString())
  clock.advance(9_000)
  assert.equal(await balance(), nano(9).toString())
  clock.advance(1_000)
  assert.equal(await balance(), nano(8).toString())

  await publish(node, alice.send(frontierOf(node, alice.key), bob.key, nano(1)))
  assert.equal(await balance(), nano(8).toString())
  await call(rpcUrl, 'devnet_fault', { target: 'account_balance', count: '0' })
  assert.equal(await balance(), nano(7).toString())
})

test('a ledger that lagged can be kept and put back, and the other way round', async (t) => {
  const clock = new TestClock()
  const { devnet, node, alice, bob } = await openPeopled(t, { clock })
  const { rpcUrl } = devnet
  const balance = async () => (await call(rpcUrl, 'account_balance', { account: alice.address })).balance
  const pay = () => publish(node, alice.send(frontierOf(node, alice.key), bob.key, nano(1)))
  await call(rpcUrl, 'devnet_fault', { target: '*', kind: 'lag', ms: '1000' })
  const { id } = await call(rpcUrl, 'devnet_snapshot')
  clock.advance(1)
  await pay()
  assert.equal(await balance(), nano(10).toString())
  await call(rpcUrl, 'devnet_fault', { target: '*', count: '0' })
  assert.equal(await balance(), nano(9).toString())
  await call(rpcUrl, 'devnet_revert', { id })
  assert.equal(await balance(), nano(10).toString())
  await pay()
  // The lag was there when the ledger was kept.
  assert.equal(await balance(), nano(10).toString())
  clock.advance(1_001)
  assert.equal(await balance(), nano(9).toString())
})

test('a websocket that stalls tells nothing, or tells it late, and nothing of a ledger that is gone', async (t) => {
  const clock = new TestClock()
  const { devnet, node, alice, bob } = await openPeopled(t, { clock })
  const { rpcUrl } = devnet
  const client = await WsClient.connect(t, devnet.wsUrl)
  client.send({ action: 'subscribe', topic: 'confirmation' })
  await client.settle()
  const pay = () => publish(node, alice.send(frontierOf(node, alice.key), bob.key, nano(1)))
  const heard = async () =>
    (await client.settle()).map((frame) => (JSON.parse(frame) as { message: { hash: string } }).message.hash)

  // Each block is two messages: that it arrived, and that it is confirmed.
  await call(rpcUrl, 'devnet_fault', { target: 'websocket', kind: 'drop', count: '2' })
  await pay()
  assert.deepEqual(await heard(), [])
  const told = await pay()
  assert.deepEqual(await heard(), [told])

  await call(rpcUrl, 'devnet_fault', { target: 'websocket', kind: 'delay', ms: '3000' })
  const late = await pay()
  assert.deepEqual(await heard(), [])
  clock.advance(3_000)
  assert.deepEqual(await heard(), [late])

  const { id } = await call(rpcUrl, 'devnet_snapshot')
  await pay()
  await call(rpcUrl, 'devnet_revert', { id })
  clock.advance(3_000)
  assert.deepEqual(await heard(), [])
})
