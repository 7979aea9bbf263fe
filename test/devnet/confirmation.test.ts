import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Devnet } from '../../src/devnet/index.ts'
import { type StateBlock, hashBlock, rootOf } from '../../src/kernel/nano/block.ts'
import { Signer, frontierAfter, frontierOf, nano, publish } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { call } from '../support/rpc.ts'
import { openPeopled } from './peopled.ts'

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
  const { devnet, node, alice, bob } = await openPeopled(t)
  const send = alice.send(frontierOf(node, alice.key), bob.key, nano(3))
  const hash = await publish(node, send)
  assert.deepEqual(await look(devnet, alice, bob, send), confirmed(hash))
})

test('a held block is seen but not confirmed, wherever the node tells the two apart, until it is confirmed', async (t) => {
  const { devnet, node, alice, bob } = await openPeopled(t)
  node.hold()
  const send = alice.send(frontierOf(node, alice.key), bob.key, nano(3))
  const hash = await publish(node, send)
  assert.deepEqual(await look(devnet, alice, bob, send), seenOnly(hash))
  await node.confirm(hash)
  assert.deepEqual(await look(devnet, alice, bob, send), confirmed(hash))
})

test('hold, fund, confirm, drop and release work over the RPC', async (t) => {
  const { devnet, alice } = await openPeopled(t)
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
})

test('release confirms what waits in the order it came, and later blocks by themselves again', async (t) => {
  const { devnet, node, alice, bob } = await openPeopled(t)
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
  const { node, alice, bob } = await openPeopled(t)
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
  const { devnet, node, alice, bob } = await openPeopled(t, { clock, confirmAfterMilliseconds: 5000 })
  const send = alice.send(frontierOf(node, alice.key), bob.key, nano(3))
  await node.process(send)
  const hash = hashBlock(send)
  clock.advance(4999)
  assert.deepEqual(await look(devnet, alice, bob, send), seenOnly(hash))
  const heard = nextConfirmation(devnet)
  clock.advance(1)
  assert.equal(await heard, hash)
  assert.deepEqual(await look(devnet, alice, bob, send), confirmed(hash))
})

test('a delay that ends while blocks are held confirms nothing', async (t) => {
  const clock = new TestClock()
  const { devnet, node, alice, bob } = await openPeopled(t, { clock, confirmAfterMilliseconds: 5000 })
  const send = alice.send(frontierOf(node, alice.key), bob.key, nano(3))
  await node.process(send)
  const hash = hashBlock(send)
  node.hold()
  clock.advance(60_000)
  assert.deepEqual(await look(devnet, alice, bob, send), seenOnly(hash))
  await node.release()
  assert.deepEqual(await look(devnet, alice, bob, send), confirmed(hash))
})

function nextConfirmation({ node }: Devnet): Promise<string> {
  return new Promise((resolve) => {
    const stop = node.listen((event) => {
      if (event.kind !== 'confirmed') return
      stop()
      resolve(event.stored.hash)
    })
  })
}
