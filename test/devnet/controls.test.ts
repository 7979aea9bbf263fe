import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StateBlock, hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { RAW_MAX } from '../../src/kernel/money.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { Signer, UNOPENED, frontierOf, nano, publish } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { assertConsistent, dumpLedger } from '../support/ledger-file.ts'
import { call } from '../support/rpc.ts'
import { until } from '../support/until.ts'
import { openPeopled, openTimed } from './peopled.ts'

test('blocks arrive and are confirmed at the time that the ledger’s clock was set to, and the clock goes on from there', async (t) => {
  const { node, clock, alice, ask, spend } = await openTimed(t)
  assert.deepEqual(await ask('devnet_set_time', { unix: '2000000000' }), { unix: '2000000000' })
  clock.advance(5_000)
  const hash = await publish(node, spend(1))
  assert.equal((await ask('block_info', { hash })).local_timestamp, '2000000005')
  assert.equal((await ask('account_info', { account: alice.address })).modified_timestamp, '2000000005')
  const { confirmations } = await ask<{ confirmations: { time: string }[] }>('confirmation_history', { hash })
  assert.deepEqual([confirmations.length, confirmations[0]?.time], [1, '2000000005000'])
  assert.deepEqual(await ask('devnet_set_time', { advance: '60' }), { unix: '2000000065' })
  assert.deepEqual(await ask('uptime'), { seconds: '5' })
})

test('a confirmation that falls due because time was advanced comes at once; turned back, it takes as long as before', async (t) => {
  const { node, clock, ask, spend } = await openTimed(t, { confirmAfterMilliseconds: 60_000 })
  const isConfirmed = (hash: string) => node.ledger.isConfirmed(node.ledger.store.findBlock(hash)!)
  const first = spend(1)
  await node.process(first)
  await ask('devnet_set_time', { advance: '59' })
  await node.write(() => undefined)
  assert.equal(isConfirmed(hashBlock(first)), false)
  await ask('devnet_set_time', { advance: '1' })
  await until(() => isConfirmed(hashBlock(first)))

  const second = spend(1)
  await node.process(second)
  await ask('devnet_set_time', { unix: '1000000000' })
  clock.advance(59_999)
  await node.write(() => undefined)
  assert.equal(isConfirmed(hashBlock(second)), false)
  clock.advance(1)
  await until(() => isConfirmed(hashBlock(second)))
})

test('an impersonated account needs no signature until that is ended; every other rule holds, and everybody else signs', async (t) => {
  const { node, file, alice, bob, ask, spend } = await openPeopled(t)
  const unsigned = () => ({ ...spend(1), signature: '0'.repeat(128) })
  const send = (block: StateBlock) => ask('process', { json_block: true, block: toBlockJson(block) })
  const account = alice.address
  assert.deepEqual(await send(unsigned()), { error: 'Bad signature' })
  assert.deepEqual(await ask('devnet_impersonate', { account }), { impersonated: [account] })
  const block = unsigned()
  assert.deepEqual(await send(block), { hash: hashBlock(block) })
  assert.deepEqual(await send(block), { error: 'Old block' })
  const forged = { ...bob.change(frontierOf(node, bob.key), alice.key), signature: '0'.repeat(128) }
  assert.deepEqual(await send(forged), { error: 'Bad signature' })
  assert.deepEqual(await ask('devnet_impersonate', { account, end: 'true' }), { impersonated: '' })
  assert.deepEqual(await send(unsigned()), { error: 'Bad signature' })
  assertConsistent(dumpLedger(file))
})

test('any amount comes at once, in raw, up to all there is', async (t) => {
  const { rpcUrl, node } = await openDevnet(t, { confirmAfterMilliseconds: 0 })
  const [alice, bob] = [new Signer(1), new Signer(2)]
  assert.ok((await call(rpcUrl, 'devnet_fund', { account: alice.address, amount: '1' })).hash)
  const rest = (RAW_MAX - 1n).toString()
  assert.ok((await call(rpcUrl, 'devnet_fund', { account: bob.address, amount: rest })).hash)
  assert.equal(node.ledger.receivableSum(alice.key, true), 1n)
  assert.equal(node.ledger.receivableSum(bob.key, true), RAW_MAX - 1n)
  const more = await call(rpcUrl, 'devnet_fund', { account: bob.address, amount: '1' })
  assert.deepEqual(more, { error: 'Insufficient balance' })
})

test('a dumped ledger is loaded as it was, blocks of impersonated and unconfirmed ones included', async (t) => {
  const { node, file, clock, alice, bob, carol, ask } = await openTimed(t)
  clock.advance(60_000)
  const send = await publish(node, alice.send(frontierOf(node, alice.key), carol.key, nano(2)))
  await ask('devnet_impersonate', { account: carol.address })
  await publish(node, { ...carol.receive(UNOPENED, send, nano(2)), signature: '0'.repeat(128) })
  node.hold()
  await publish(node, bob.send(frontierOf(node, bob.key), alice.key, nano(1)))
  const before = dumpLedger(file)
  const { state } = await ask<{ state: { blocks: string[] } }>('devnet_dump')
  assert.equal(state.blocks.length, before.blocks.length - 3)

  clock.advance(60_000)
  await ask('devnet_reset')
  await ask('devnet_hold')
  assert.notDeepEqual(dumpLedger(file), before)
  // Loading a state ends a hold, as a reset does. The held block is confirmed as soon as the clock advances.
  assert.deepEqual(await ask('devnet_load', { state }), { blocks: `${state.blocks.length}` })
  assert.deepEqual(dumpLedger(file), before)
  assert.equal(node.holds, false)
  assert.equal((await ask('account_info', { account: carol.address })).balance, nano(2).toString())
  assertConsistent(dumpLedger(file))
  assert.deepEqual(await ask('devnet_dump'), { state })
  clock.advance(1)
  await until(() => node.ledger.listUnconfirmed().length === 0)
})

test('a state with one wrong line is refused by its place, and the ledger stays as it is', async (t) => {
  const { node, file, ask, spend } = await openPeopled(t)
  const { state } = await ask<{ state: { blocks: string[]; genesis: string } }>('devnet_dump')
  const { id } = await ask('devnet_snapshot')
  const before = dumpLedger(file)
  const last = state.blocks.length - 1
  const wrong: [object | undefined, string][] = [
    [undefined, 'state is missing'],
    [{}, 'state.format must be "nano-gateway devnet 1"'],
    [{ ...state, genesis: '0'.repeat(64) }, 'state.genesis is that of another ledger'],
    [{ ...state, began: 'x' }, 'state.began must be unix seconds'],
    [{ ...state, blocks: ['x'] }, 'state.blocks.0 is not a block'],
    [{ ...state, blocks: [...state.blocks, state.blocks[last]] }, `state.blocks.${last + 1}: Old block`],
    [{ ...state, blocks: state.blocks.slice(1) }, 'state.blocks.0: Gap source block'],
  ]
  for (const [given, error] of wrong) {
    const answer = await ask('devnet_load', { ...(given && { state: given }) })
    assert.deepEqual(answer, { error })
    assert.deepEqual(dumpLedger(file), before)
  }
  await publish(node, spend(1))
  await ask('devnet_revert', { id })
  assert.deepEqual(dumpLedger(file), before)
})

test('wrong input of a control is reported by the name of its field', async (t) => {
  const { rpcUrl, node } = await openDevnet(t, { confirmAfterMilliseconds: 0 })
  const hash = DEV_NETWORK.genesisHash
  const wrong: [action: string, given: object, error: string | RegExp][] = [
    ['set_time', {}, 'Give unix or advance, in seconds'],
    ['set_time', { unix: '1', advance: '1' }, 'Give unix or advance, in seconds'],
    ['set_time', { unix: '-1' }, 'unix must be a whole number up to 9999999999'],
    ['set_time', { advance: '9999999999' }, 'advance leads beyond 9999999999'],
    ['fund', { account: new Signer(1).address }, 'amount is missing'],
    ['fund', { account: new Signer(1).address, amount: '1.5' }, 'amount must be whole raw'],
    ['fund', { account: new Signer(1).address, amount: '1', amount_nano: '1' }, 'Give amount or amount_nano, not both'],
    ['impersonate', {}, 'account is missing'],
    ['impersonate', { account: 'nano_1' }, 'account must be a Nano address'],
    ['revert', { id: '9' }, 'id: no such snapshot: 9'],
    ['rollback', {}, 'hash is missing'],
    ['fork_block', { hash: 'AB'.repeat(32) }, 'hash: Block not found'],
    ['fork_block', { hash, wins_after_ms: 'soon' }, 'wins_after_ms must be a whole number up to 3600000'],
    ['fault', { kind: 'error' }, 'target is missing'],
    ['fault', { target: 'devnet_fault', kind: 'error' }, 'target must be an action of a node, * or websocket'],
    ['fault', { target: 'version', kind: 'x' }, 'kind must be one of delay, error, drop, lag'],
    ['fault', { target: 'version', kind: 'delay' }, 'ms is missing'],
    ['fault', { target: 'version', kind: 'delay', ms: '1e9' }, 'ms must be a whole number up to 3600000'],
    ['fault', { target: 'websocket', kind: 'lag', ms: '1' }, 'kind must be delay or drop for the websocket'],
    ['fault', { target: 'version', kind: 'error', count: '-1' }, 'count must be a whole number up to 1000000000'],
  ]
  for (const [action, given, error] of wrong) {
    assert.deepEqual(await call(rpcUrl, `devnet_${action}`, given), { error })
  }
  assert.equal(node.ledger.store.totals().blocks, 3)
  assert.equal((await call(rpcUrl, 'version')).network, 'dev')
})

test('no control is served where control is off', async (t) => {
  const { rpcUrl } = await openDevnet(t, { control: false })
  const controls = `confirm drop dump fault fork_block fund hold impersonate load release reset resync revert rollback
    set_time snapshot`.split(/\s+/)
  for (const name of controls) {
    assert.deepEqual(await call(rpcUrl, `devnet_${name}`), { error: 'RPC control is disabled' }, name)
  }
})
