import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { Signer, UNOPENED, frontierAfter, frontierOf, nano, publish } from '../support/blocks.ts'
import { assertConsistent, dumpLedger } from '../support/ledger-file.ts'
import { openPeopled, openTimed } from './peopled.ts'

test('a block that was dropped during its delay stays gone', async (t) => {
  const { node, file, clock, ask, spend } = await openTimed(t, { confirmAfterMilliseconds: 5000 })
  const before = dumpLedger(file)
  const send = spend(3)
  await node.process(send)
  const hash = hashBlock(send)
  await node.drop(hash)
  clock.advance(5000)
  assert.equal((await ask('block_info', { hash })).error, 'Block not found')
  assert.deepEqual(dumpLedger(file), before)
})

test('dropping a send removes everything built on it, and leaves no trace', async (t) => {
  const { node, file, alice, bob, carol, spend } = await openPeopled(t)
  node.hold()
  const kept = await publish(node, alice.change(frontierOf(node, alice.key), bob.key))
  const before = dumpLedger(file)

  const send = spend(3)
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

  // The same blocks are accepted again.
  for (const block of built) await publish(node, block)
  await node.release()
  assertConsistent(dumpLedger(file))
  assert.equal(node.ledger.isConfirmed(node.ledger.store.findBlock(kept)!), true)
})

test('a payment handed on through a hundred accounts can be dropped as a whole', async (t) => {
  const { node, file, alice } = await openPeopled(t)
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
  const { node, file, opened, ask, spend } = await openPeopled(t)
  const hash = await publish(node, spend(3))
  const before = dumpLedger(file)
  for (const block of [hash, opened, DEV_NETWORK.genesisHash]) {
    await assert.rejects(node.drop(block), { message: 'Block is confirmed' })
    assert.deepEqual(await ask('devnet_drop', { hash: block }), { error: 'Block is confirmed' })
  }
  assert.deepEqual(dumpLedger(file), before)
})

test('process with force never replaces a confirmed rival, and an unconfirmed one with what was built on it, a first block too', async (t) => {
  const { node, file, alice, bob, carol, ask } = await openPeopled(t)
  const first = frontierOf(node, alice.key)
  const won = await publish(node, alice.send(first, bob.key, nano(2)))
  const late = alice.send(first, carol.key, nano(5))
  const before = dumpLedger(file)
  // The node answers with the hash anyway.
  assert.deepEqual(await node.process(late, { force: true }), { hash: hashBlock(late) })
  assert.equal(frontierOf(node, alice.key).previous, won)
  assert.deepEqual(dumpLedger(file), before)

  const sends = [await node.fund(carol.key, nano(1)), await node.fund(carol.key, nano(2))]
  node.hold()
  const head = frontierOf(node, alice.key)
  const rival = alice.send(head, bob.key, nano(3))
  await publish(node, rival)
  await publish(node, bob.receive(frontierOf(node, bob.key), hashBlock(rival), nano(3)))
  await publish(node, alice.change(frontierAfter(rival), bob.key))

  const block = alice.send(head, carol.key, nano(5))
  const request = { block: toBlockJson(block), json_block: true }
  assert.deepEqual(await ask('process', request), { error: 'Fork' })
  assert.deepEqual(await ask('process', { ...request, force: true }), { hash: hashBlock(block) })

  assert.equal(frontierOf(node, alice.key).previous, hashBlock(block))
  assert.equal(node.ledger.store.hasBlock(hashBlock(rival)), false)
  assert.equal(frontierOf(node, bob.key).balance, nano(1))
  assertConsistent(dumpLedger(file))

  await publish(node, carol.receive(UNOPENED, sends[0]!, nano(1)))
  const other = carol.receive(UNOPENED, sends[1]!, nano(2))
  assert.deepEqual(await node.process(other, { force: true }), { hash: hashBlock(other) })
  assert.equal(frontierOf(node, carol.key).balance, nano(2))
  assertConsistent(dumpLedger(file))
})
