import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { nano, publish } from '../support/blocks.ts'
import { until } from '../support/until.ts'
import { WsClient } from '../support/ws-client.ts'
import { openPeopled, openTimed } from './peopled.ts'

test('an action fails as often as it was ordered to, and others do not', async (t) => {
  const { ask } = await openPeopled(t)
  await ask('devnet_fault', { target: 'block_count', kind: 'error', count: '2' })
  const failed = { error: 'Internal server error in RPC' }
  assert.deepEqual(await ask('block_count'), failed)
  assert.equal((await ask('version')).network, 'dev')
  assert.deepEqual(await ask('block_count'), failed)
  assert.equal((await ask('block_count')).count, '7')

  await ask('devnet_fault', { target: '*', kind: 'error' })
  for (const action of ['version', 'block_count', 'process']) assert.deepEqual(await ask(action), failed)
  await ask('devnet_fault', { target: '*', count: '0' })
  assert.equal((await ask('version')).network, 'dev')
})

test('a block whose answer was dropped is on the ledger all the same', async (t) => {
  const { node, ask, spend } = await openPeopled(t)
  const block = spend(1)
  const request = { json_block: true, block: toBlockJson(block) }
  await ask('devnet_fault', { target: 'process', kind: 'drop', count: '1' })
  await assert.rejects(ask('process', request), /socket hang up|ECONNRESET/)
  assert.equal(node.ledger.store.hasBlock(hashBlock(block)), true)
  assert.deepEqual(await ask('process', request), { error: 'Old block' })
})

test('a delayed action is answered when its time has come, and not at all when the ledger was put back before', async (t) => {
  const { node, clock, ask, spend } = await openTimed(t)
  const { id } = await ask('devnet_snapshot')
  await ask('devnet_fault', { target: 'process', kind: 'delay', ms: '5000' })
  const block = spend(1)
  const request = { json_block: true, block: toBlockJson(block) }
  const late = ask('process', request)
  await until(() => clock.waiting === 1)
  assert.equal(node.ledger.store.hasBlock(hashBlock(block)), false)
  clock.advance(5_000)
  assert.deepEqual(await late, { hash: hashBlock(block) })

  const next = spend(1)
  const lost = assert.rejects(ask('process', { json_block: true, block: toBlockJson(next) }))
  await until(() => clock.waiting === 1)
  await ask('devnet_revert', { id })
  await lost
  assert.equal(clock.waiting, 0)
})

test('a lagging node answers with an earlier state and accepts blocks as usual; the lag is part of a snapshot', async (t) => {
  const { node, clock, alice, ask, spend } = await openTimed(t)
  const balance = async () => (await ask('account_balance', { account: alice.address })).balance
  await ask('devnet_fault', { target: 'account_balance', kind: 'lag', ms: '10000' })
  assert.equal(await balance(), nano(10).toString())
  clock.advance(1_000)
  await publish(node, spend(1))
  clock.advance(1_000)
  await publish(node, spend(1))
  assert.equal(await balance(), nano(10).toString())
  assert.equal((await ask('account_info', { account: alice.address })).balance, nano(8).toString())
  clock.advance(9_000)
  assert.equal(await balance(), nano(9).toString())
  clock.advance(1_000)
  assert.equal(await balance(), nano(8).toString())

  await publish(node, spend(1))
  assert.equal(await balance(), nano(8).toString())
  await ask('devnet_fault', { target: 'account_balance', count: '0' })
  assert.equal(await balance(), nano(7).toString())

  await ask('devnet_fault', { target: '*', kind: 'lag', ms: '1000' })
  const { id } = await ask('devnet_snapshot')
  clock.advance(1)
  await publish(node, spend(1))
  assert.equal(await balance(), nano(7).toString())
  await ask('devnet_fault', { target: '*', count: '0' })
  assert.equal(await balance(), nano(6).toString())
  await ask('devnet_revert', { id })
  assert.equal(await balance(), nano(7).toString())
  await publish(node, spend(1))
  // The saved state includes the lag.
  assert.equal(await balance(), nano(7).toString())
  clock.advance(1_001)
  assert.equal(await balance(), nano(6).toString())
})

test('a stalled websocket sends nothing, or sends it late, and nothing of a ledger that was reset', async (t) => {
  const { devnet, node, clock, ask, spend } = await openTimed(t)
  const client = await WsClient.connect(t, devnet.wsUrl)
  client.send({ action: 'subscribe', topic: 'confirmation' })
  await client.settle()
  const pay = () => publish(node, spend(1))
  const heard = async () =>
    (await client.settle()).map((frame) => (JSON.parse(frame) as { message: { hash: string } }).message.hash)

  // Two messages for each block: its arrival and its confirmation.
  await ask('devnet_fault', { target: 'websocket', kind: 'drop', count: '2' })
  await pay()
  assert.deepEqual(await heard(), [])
  const told = await pay()
  assert.deepEqual(await heard(), [told])

  await ask('devnet_fault', { target: 'websocket', kind: 'delay', ms: '3000' })
  const late = await pay()
  assert.deepEqual(await heard(), [])
  clock.advance(3_000)
  assert.deepEqual(await heard(), [late])

  const { id } = await ask('devnet_snapshot')
  await pay()
  await ask('devnet_revert', { id })
  clock.advance(3_000)
  assert.deepEqual(await heard(), [])
})
