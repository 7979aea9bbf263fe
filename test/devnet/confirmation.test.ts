import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StateBlock, hashBlock, rootOf } from '../../src/kernel/nano/block.ts'
import { frontierAfter, frontierOf, nano, publish } from '../support/blocks.ts'
import { openPeopled, openTimed } from './peopled.ts'

/** Every answer of the node that distinguishes confirmed from unconfirmed blocks, after Alice sent 3 nano to Bob. */
async function look({ ask, alice, bob }: Awaited<ReturnType<typeof openPeopled>>, send: StateBlock) {
  const hash = hashBlock(send)
  const everything = { include_only_confirmed: false, include_active: true }
  const info = await ask('account_info', { account: alice.address, include_confirmed: true, representative: true })
  const waiting = await ask('account_info', { account: bob.address, include_confirmed: true, receivable: true })
  const election = await ask('confirmation_info', { root: rootOf(send) + send.previous })
  const { count, cemented } = await ask('block_count', {})
  const blocks = (which: object) => ask<{ blocks: unknown }>('receivable', { account: bob.address, ...which })
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
    receivable: (await blocks({})).blocks,
    receivableSeen: (await blocks(everything)).blocks,
    receivableInactive: (await blocks({ include_only_confirmed: false })).blocks,
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
  // Blocks with an open election are listed only with `include_active`.
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
  const world = await openPeopled(t)
  const send = world.spend(3)
  const hash = await publish(world.node, send)
  assert.deepEqual(await look(world, send), confirmed(hash))
})

test('a held block is seen but not confirmed, wherever the node distinguishes the two, until it is confirmed', async (t) => {
  const world = await openPeopled(t)
  world.node.hold()
  const send = world.spend(3)
  const hash = await publish(world.node, send)
  assert.deepEqual(await look(world, send), seenOnly(hash))
  await world.node.confirm(hash)
  assert.deepEqual(await look(world, send), confirmed(hash))
})

test('hold, fund, confirm, drop and release work over the RPC', async (t) => {
  const { alice, ask } = await openPeopled(t)
  const heldNow = async () => (await ask('account_balance', { account: alice.address })).receivable
  assert.deepEqual(await ask('devnet_hold'), { success: '' })
  const fund = { account: alice.address, amount_nano: '0.5' }
  const first = await ask('devnet_fund', fund)
  const second = await ask('devnet_fund', fund)
  const third = await ask('devnet_fund', fund)
  assert.equal(await heldNow(), '0')
  assert.deepEqual(await ask('devnet_confirm', { hash: first.hash }), { success: '' })
  assert.equal(await heldNow(), (nano(1) / 2n).toString())
  assert.deepEqual(await ask('devnet_drop', { hash: second.hash }), { dropped: [third.hash, second.hash] })
  assert.deepEqual(await ask('devnet_drop', { hash: second.hash }), { error: 'Block not found' })
  assert.deepEqual(await ask('devnet_release'), { success: '' })
  assert.equal(await heldNow(), (nano(1) / 2n).toString())
})

test('release confirms waiting blocks in order, later blocks automatically, and the send before its receive', async (t) => {
  const { node, alice, bob, ask, spend } = await openPeopled(t)
  const told: [hash: string, type: string][] = []
  node.listen((event) => {
    if (event.kind === 'confirmed') told.push([event.stored.hash, event.type])
  })
  const order = () => told.map(([hash]) => hash)
  node.hold()
  const send = spend(3)
  const hashes = [await publish(node, send), await node.fund(bob.key, nano(1))]
  hashes.push(await publish(node, bob.receive(frontierOf(node, bob.key), hashes[0]!, nano(3))))
  hashes.push(await publish(node, alice.change(frontierAfter(send), bob.key)))
  assert.deepEqual(told, [])
  await node.release()
  assert.deepEqual(order(), hashes)
  assert.equal((await ask('block_count')).cemented, (await ask('block_count')).count)

  hashes.push(await node.fund(bob.key, nano(1)))
  assert.deepEqual(order(), hashes)

  node.hold()
  const sent = await publish(node, spend(2))
  const received = await publish(node, bob.receive(frontierOf(node, bob.key), sent, nano(2)))
  await node.confirm(received)
  assert.deepEqual(told.slice(hashes.length), [
    [sent, 'inactive'],
    [received, 'active_quorum'],
  ])
})

test('with a delay a block is confirmed when the time has come, and not before', async (t) => {
  const world = await openTimed(t, { confirmAfterMilliseconds: 5000 })
  const { node, clock } = world
  const send = world.spend(3)
  await node.process(send)
  const hash = hashBlock(send)
  clock.advance(4999)
  assert.deepEqual(await look(world, send), seenOnly(hash))
  const heard = new Promise((resolve) => node.listen(({ kind, stored }) => resolve([kind, stored.hash])))
  clock.advance(1)
  assert.deepEqual(await heard, ['confirmed', hash])
  assert.deepEqual(await look(world, send), confirmed(hash))
})

test('a delay that ends while blocks are held confirms nothing', async (t) => {
  const world = await openTimed(t, { confirmAfterMilliseconds: 5000 })
  const send = world.spend(3)
  await world.node.process(send)
  const hash = hashBlock(send)
  world.node.hold()
  world.clock.advance(60_000)
  assert.deepEqual(await look(world, send), seenOnly(hash))
  await world.node.release()
  assert.deepEqual(await look(world, send), confirmed(hash))
})
