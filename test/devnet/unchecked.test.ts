import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Raw } from '../../src/kernel/money.ts'
import { type StateBlock, ZERO_HASH, hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { signHash } from '../../src/kernel/nano/keys.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { UNOPENED, frontierAfter, frontierOf, nano, publish } from '../support/blocks.ts'
import { assertConsistent, dumpLedger } from '../support/ledger-file.ts'
import { openPeopled } from './peopled.ts'

test('blocks that come too early are kept and follow when what they need arrives; with a wrong signature they are refused, not kept', async (t) => {
  const { node, file, alice, bob, carol, ask } = await openPeopled(t)
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
  const publishEarly = (block: StateBlock) => ask('process', { block: toBlockJson(block), json_block: true })
  const forged = { ...alice.receive(UNOPENED, '7'.repeat(64), nano(1)), account: carol.key }
  assert.deepEqual(await publishEarly(forged), { error: 'Bad signature' })
  assert.equal((await ask('block_count')).unchecked, '0')
  for (const [block, error] of early) {
    assert.deepEqual(await publishEarly(block), { error })
    // A block that is published twice is stored once.
    assert.deepEqual(await publishEarly(block), { error })
  }
  assert.equal((await ask('block_count')).unchecked, '4')

  await publish(node, send)
  const { count, cemented, unchecked } = await ask('block_count')
  assert.deepEqual([cemented, unchecked], [count, '0'])
  for (const block of [send, opening, onward, receive, change]) {
    assert.ok(node.ledger.store.hasBlock(hashBlock(block)))
  }
  assertConsistent(dumpLedger(file))
})

test('an epoch block for an account without blocks waits for its first receivable', async (t) => {
  const { node, file, carol, ask } = await openPeopled(t)
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
  const info = await ask('account_info', { account: carol.address })
  assert.deepEqual([info.frontier, info.account_version, info.balance], [hashBlock(epoch), '2', '0'])
  assertConsistent(dumpLedger(file))
})
