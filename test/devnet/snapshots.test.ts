import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { NO_WORK, Signer, UNOPENED, frontierAfter, frontierOf, nano, publish } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { ledgerFile, openDevnet } from '../support/devnet.ts'
import { assertConsistent, dumpLedger } from '../support/ledger-file.ts'
import { call } from '../support/rpc.ts'
import { until } from '../support/until.ts'
import { openPeopled, openTimed } from './peopled.ts'

test('a ledger that is put back is the one that was kept, row for row, as often as one likes', async (t) => {
  const { node, file, alice, bob, carol, ask } = await openPeopled(t)
  const before = dumpLedger(file)
  const { id } = await ask('devnet_snapshot')

  for (const turn of [1, 2]) {
    const send = alice.send(frontierOf(node, alice.key), carol.key, nano(3))
    await publish(node, send)
    await publish(node, carol.receive(UNOPENED, hashBlock(send), nano(3)))
    await publish(node, bob.change(frontierOf(node, bob.key), carol.key))
    await ask('devnet_fund', { account: bob.address, amount: '5' })
    await ask('devnet_resync', { timestamp: '1700000000' })
    assert.notDeepEqual(dumpLedger(file), before)
    assertConsistent(dumpLedger(file))
    assert.deepEqual(await ask('devnet_revert', { id }), { success: '' }, `turn ${turn}`)
    assert.deepEqual(dumpLedger(file), before)
  }
  const again = alice.send(frontierOf(node, alice.key), carol.key, nano(4))
  await publish(node, again)
  assertConsistent(dumpLedger(file))
})

test('reverting to a snapshot deletes later ones, and reverting to a missing one changes nothing', async (t) => {
  const { node, file, ask, spend } = await openPeopled(t)
  const first = await ask('devnet_snapshot')
  const begun = dumpLedger(file)
  await publish(node, spend(1))
  const second = await ask('devnet_snapshot')
  const between = dumpLedger(file)
  await publish(node, spend(1))
  await ask('devnet_revert', second)
  assert.deepEqual(dumpLedger(file), between)
  await ask('devnet_revert', first)
  assert.deepEqual(dumpLedger(file), begun)
  assert.deepEqual(await ask('devnet_revert', second), { error: 'id: no such snapshot: 2' })
  assert.deepEqual(await ask('devnet_revert'), { error: 'id is missing' })
  assert.deepEqual(dumpLedger(file), begun)
})

test('a snapshot around each of a thousand tests is one at a time, and leaves nothing that costs later writes', async (t) => {
  const { node, file, ask, spend } = await openPeopled(t)
  const before = dumpLedger(file)
  const outer = await ask('devnet_snapshot')
  for (let turn = 0; turn < 1_010; turn++) {
    const { id, error } = await ask('devnet_snapshot')
    assert.equal(error, undefined, `turn ${turn}`)
    assert.deepEqual(await ask('devnet_revert', { id, end: 'true' }), { success: '' })
    assert.deepEqual(await ask('devnet_revert', { id }), { error: `id: no such snapshot: ${id}` })
  }
  await publish(node, spend(1))
  await ask('devnet_revert', { id: outer.id, end: 'true' })
  assert.deepEqual(dumpLedger(file), before)
  assert.equal(node.snapshots.isEmpty, true)
  assert.throws(() => node.ledger.store.undo.mark(), /no such table/, 'what would undo a write is not kept any more')
})

test('a block that was held and reverted is gone, and its confirmation never comes', async (t) => {
  const { node, clock, bob, carol, ask, spend } = await openTimed(t, { confirmAfterMilliseconds: 5_000 })
  const heard: string[] = []
  node.listen(({ kind, stored }) => heard.push(`${kind} ${stored.hash}`))
  const { id } = await ask('devnet_snapshot')

  const delayed = spend(3)
  await node.process(delayed)
  await ask('devnet_hold')
  const held = bob.send(frontierOf(node, bob.key), carol.key, nano(1))
  await node.process(held)
  // It waits for a block that has not been published.
  const early = carol.receive(UNOPENED, 'AB'.repeat(32), nano(1))
  await node.process(early)
  assert.equal((await ask('block_count')).unchecked, '1')
  await ask('devnet_revert', { id })

  for (const block of [delayed, held]) {
    assert.equal((await ask('block_info', { hash: hashBlock(block) })).error, 'Block not found')
  }
  assert.equal(node.holds, false)
  assert.equal((await ask('block_count')).unchecked, '0')
  assert.equal(clock.waiting, 0)

  // The same block, published again, must wait its full time, not the rest of the removed block's.
  clock.advance(3_000)
  await node.process(delayed)
  clock.advance(2_500)
  await node.write(() => undefined)
  assert.equal(node.ledger.isConfirmed(node.ledger.store.findBlock(hashBlock(delayed))!), false)
  clock.advance(2_500)
  const confirmations = () => heard.filter((line) => line.startsWith('confirmed'))
  await until(() => confirmations().length > 0)
  assert.deepEqual(confirmations(), [`confirmed ${hashBlock(delayed)}`])
})

test('a block that waited for its confirmation when the ledger was kept waits again when it is put back', async (t) => {
  const { node, clock, ask, spend } = await openTimed(t, { confirmAfterMilliseconds: 5_000 })
  const send = spend(3)
  await node.process(send)
  const isConfirmed = () => node.ledger.isConfirmed(node.ledger.store.findBlock(hashBlock(send))!)
  const { id } = await ask('devnet_snapshot')
  clock.advance(5_000)
  await until(isConfirmed)
  await ask('devnet_revert', { id })
  assert.equal(isConfirmed(), false)
  const { confirmations } = await ask<{ confirmations: { hash: string }[] }>('confirmation_history')
  assert.ok(!confirmations.some(({ hash }) => hash === hashBlock(send)), 'it was never confirmed')
  clock.advance(5_000)
  await until(isConfirmed)
})

test('a revert also restores what the controls have set: time, impersonation, faults', async (t) => {
  const { node, clock, alice, ask } = await openTimed(t)
  const { id } = await ask('devnet_snapshot')
  await ask('devnet_set_time', { advance: '1000' })
  await ask('devnet_impersonate', { account: alice.address })
  await ask('devnet_fault', { target: 'version', kind: 'error' })
  assert.ok((await ask('version')).error)
  await ask('devnet_revert', { id })
  assert.equal(node.clock.now(), clock.now())
  assert.equal(node.ledger.impersonated.size, 0)
  assert.equal((await ask('version')).network, 'dev')
})

test('blocks that arrive while the ledger is put back are on it whole or not at all', async (t) => {
  const { node, file, alice, bob, ask, spend } = await openPeopled(t)
  const { id } = await ask('devnet_snapshot')
  const first = spend(1)
  const second = alice.send(frontierAfter(first), bob.key, nano(1))
  const other = bob.change(frontierOf(node, bob.key), alice.key)
  const written = [node.process(first), node.process(second)]
  const reverted = ask('devnet_revert', { id })
  const funded = node.fund(bob.key, nano(2))
  await Promise.all([...written, reverted, funded])
  await publish(node, other)
  assertConsistent(dumpLedger(file))
  assert.equal(frontierOf(node, bob.key).representative, alice.key)
})

test('a reset leaves nothing but the genesis: no block, snapshot, hold or other time', async (t) => {
  const clock = new TestClock()
  const file = ledgerFile(t)
  const fresh = ledgerFile(t)
  const devnet = await openDevnet(t, { file, clock, confirmAfterMilliseconds: 0 })
  const { rpcUrl, node } = devnet
  await openDevnet(t, { file: fresh, clock, confirmAfterMilliseconds: 0 })
  const { id } = await call(rpcUrl, 'devnet_snapshot')
  await call(rpcUrl, 'devnet_set_time', { advance: '77' })
  await call(rpcUrl, 'devnet_hold')
  const account = new Signer(7).address
  await call(rpcUrl, 'devnet_fund', { account, amount_nano: '1' })
  assert.deepEqual(await call(rpcUrl, 'devnet_reset'), { success: '' })

  assert.equal(node.clock.now(), clock.now())
  assert.equal(node.holds, false)
  const { blocks, accounts, totals } = dumpLedger(fresh)
  const after = dumpLedger(file)
  assert.deepEqual([after.blocks.map(({ hash }) => hash), after.totals], [blocks.map(({ hash }) => hash), totals])
  assert.equal(after.accounts[0]!.head, accounts[0]!.head)
  assertConsistent(after)
  assert.deepEqual(await call(rpcUrl, 'devnet_revert', { id }), { error: `id: no such snapshot: ${id}` })
  assert.equal((await call(rpcUrl, 'devnet_fund', { account, amount_nano: '1' })).error, undefined)
  assertConsistent(dumpLedger(file))
})

test('snapshots work in memory, over the ledger’s own port, with signed and worked blocks', async (t) => {
  const { rpcUrl, node } = await openDevnet(t, { confirmAfterMilliseconds: 0, thresholds: NO_WORK })
  const alice = new Signer(1)
  const { id } = await call(rpcUrl, 'devnet_snapshot')
  const { hash } = await call(rpcUrl, 'devnet_fund', { account: alice.address, amount: nano(1).toString() })
  const block = toBlockJson(alice.receive(UNOPENED, hash!, nano(1)))
  assert.ok((await call(rpcUrl, 'process', { json_block: true, block })).hash)
  await call(rpcUrl, 'devnet_revert', { id })
  assert.equal((await call(rpcUrl, 'account_info', { account: alice.address })).error, 'Account not found')
  assert.equal(node.ledger.store.totals().blocks, 3)
})
