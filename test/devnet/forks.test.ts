import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { UNOPENED, frontierAfter, frontierOf, nano, publish } from '../support/blocks.ts'
import { hashBlock } from '../../src/kernel/nano/block.ts'
import { assertConsistent, dumpLedger } from '../support/ledger-file.ts'
import { until } from '../support/until.ts'
import { openPeopled, openTimed } from './peopled.ts'

test('a payment that was seen loses to its rival: it is gone with what was built on it, and the rival is confirmed', async (t) => {
  const { node, file, clock, alice, bob, ask } = await openTimed(t, { confirmAfterMilliseconds: 1_000 })
  const head = frontierOf(node, alice.key)
  const send = alice.send(head, bob.key, nano(3))
  await node.process(send)
  const receive = bob.receive(frontierOf(node, bob.key), hashBlock(send), nano(3))
  const heard: string[] = []
  node.listen(({ kind, stored }) => heard.push(`${kind} ${stored.hash}`))
  const { hash: rival } = await ask('devnet_fork_block', { hash: hashBlock(send), wins_after_ms: '5000' })
  // An election with a fork takes longer than one without.
  clock.advance(1_500)
  await node.write(() => undefined)
  assert.equal((await ask('block_info', { hash: hashBlock(send) })).confirmed, 'false')
  await node.process(receive)
  assert.equal((await ask('block_info', { hash: rival })).error, 'Block not found')

  clock.advance(3_500)
  await until(() => node.ledger.store.hasBlock(rival!))
  for (const block of [send, receive]) {
    assert.equal((await ask('block_info', { hash: hashBlock(block) })).error, 'Block not found')
  }
  const won = await ask<{ confirmed: string; contents: { link: string } }>('block_info', {
    hash: rival,
    json_block: true,
  })
  assert.deepEqual([won.confirmed, won.contents.link], ['true', alice.key])
  assert.equal(frontierOf(node, alice.key).balance, head.balance - nano(3))
  assert.deepEqual(heard.slice(-2), [`arrived ${rival}`, `confirmed ${rival}`])
  assertConsistent(dumpLedger(file))
})

test('confirming a block before its rival wins decides for the block', async (t) => {
  const { node, clock, ask, spend } = await openTimed(t)
  node.hold()
  const hash = hashBlock(spend(3))
  await node.process(spend(3))
  const { hash: rival } = await ask('devnet_fork_block', { hash, wins_after_ms: '10' })
  await ask('devnet_confirm', { hash })
  clock.advance(10)
  await node.write(() => undefined)
  await node.write(() => undefined)
  assert.equal(node.ledger.store.hasBlock(rival!), false)
  assert.deepEqual(await ask('devnet_fork_block', { hash }), { error: 'hash: Block is confirmed' })
})

test('a receive and a change have rivals too, at once when no time is given', async (t) => {
  const { node, file, alice, bob, carol, ask } = await openPeopled(t)
  const send = await publish(node, alice.send(frontierOf(node, alice.key), carol.key, nano(3)))
  node.hold()
  const opening = carol.receive(UNOPENED, send, nano(3))
  await node.process(opening)
  await node.process(carol.change(frontierAfter(opening), bob.key))
  const change = bob.change(frontierOf(node, bob.key), carol.key)
  await node.process(change)
  for (const block of [opening, change]) {
    const { hash } = await ask('devnet_fork_block', { hash: hashBlock(block) })
    assert.equal((await ask('block_info', { hash })).confirmed, 'true')
    assert.equal(node.ledger.store.hasBlock(hashBlock(block)), false)
  }
  assert.equal(frontierOf(node, carol.key).balance, nano(3))
  assertConsistent(dumpLedger(file))
})

test('a rollback takes back even what is confirmed, with everything built on it, and leaves no trace', async (t) => {
  const { node, file, alice, bob, carol, ask } = await openPeopled(t)
  const before = dumpLedger(file)
  const send = alice.send(frontierOf(node, alice.key), carol.key, nano(3))
  const opening = carol.receive({ ...UNOPENED, representative: carol.key }, hashBlock(send), nano(3))
  const onward = carol.send(frontierAfter(opening), bob.key, nano(1))
  const receive = bob.receive(frontierOf(node, bob.key), hashBlock(onward), nano(1))
  const built = [send, opening, onward, receive]
  for (const block of built) await publish(node, block)
  const answer = await ask<{ rolled_back: string[] }>('devnet_rollback', { hash: hashBlock(send) })
  assert.deepEqual(answer.rolled_back.sort(), built.map(hashBlock).sort())
  assert.deepEqual(dumpLedger(file), before)
  const history = await ask<{ confirmations: { hash: string }[] }>('confirmation_history')
  assert.ok(!history.confirmations.some(({ hash }) => built.map(hashBlock).includes(hash)), 'no election is told of')
  for (const block of built) await publish(node, block)
  assertConsistent(dumpLedger(file))

  assert.deepEqual(await ask('devnet_rollback', { hash: DEV_NETWORK.genesisHash }), {
    error: 'Every ledger begins with this block',
  })
  assert.deepEqual(await ask('devnet_rollback', { hash: 'AB'.repeat(32) }), { error: 'Block not found' })
  assert.deepEqual(await ask('devnet_rollback', { hash: 'no hash' }), { error: 'hash must be a block hash' })
})
