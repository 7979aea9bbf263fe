import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StateBlock, hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { WORK_THRESHOLDS, formatWork, workValue } from '../../src/kernel/nano/work.ts'
import { NO_WORK, Signer, UNOPENED, findWork, frontierAfter, nano } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { openGateway } from '../support/gateway.ts'
import { call as callLedger } from '../support/rpc.ts'

/*
 * Wallets for the live network send its thresholds or check them. Work takes a minute to find, so it was computed once for the first two blocks of an
 * account that is the same in every run.
 */
const { send, receive } = WORK_THRESHOLDS.live
const alice = new Signer(1)
const bob = new Signer(2)
const LIVE_WORK = { open: '7a4d8325da9ffc44', send: 'd48dfad916c0c9db' }

const withWork = (block: StateBlock, work: string) => ({ block: toBlockJson({ ...block, work }), json_block: 'true' })

test('a ledger of DEVNET_WORK=live reports the live thresholds, and accepts only blocks with live work', async (t) => {
  const { app, call } = await openGateway(t, { DEVNET_WORK: 'live' })
  assert.equal(app.nodes.pool.upstreams[0]!.state, 'well', 'it is still the ledger of this gateway')
  const { network_minimum, network_receive_minimum } = (await call('active_difficulty')).json()
  assert.deepEqual([network_minimum, network_receive_minimum], [formatWork(send), formatWork(receive)])

  const gift = await app.devnet!.node.fund(alice.key, nano(10))
  const open = alice.receive(UNOPENED, gift, nano(10))
  const spend = alice.send(frontierAfter(open), bob.key, nano(1))
  const validity = async (hash: string, work: string) => {
    const { valid_all, valid_receive } = (await call('work_validate', { hash, work })).json()
    return [valid_all, valid_receive]
  }
  assert.deepEqual(await validity(alice.key, LIVE_WORK.open), ['0', '1'])
  assert.deepEqual(await validity(hashBlock(open), LIVE_WORK.send), ['1', '1'])

  const publish = async (block: StateBlock, work: string) => (await call('process', withWork(block, work))).json()
  const tooLow = { error: 'Block work is less than threshold' }
  assert.deepEqual(await publish(open, findWork(alice.key)), tooLow)
  assert.deepEqual(await publish(open, LIVE_WORK.open), { hash: hashBlock(open) })
  assert.deepEqual(await publish(spend, findWork(hashBlock(open))), tooLow)
  assert.deepEqual(await publish(spend, LIVE_WORK.send), { hash: hashBlock(spend) })
})

test('a wallet that asks a gateway on the development ledger for the live threshold was refused; now it gets live work, also from the ledger itself', async (t) => {
  const { app, call } = await openGateway(t, { WORK_THREADS: '1', WORK_NODES: 'false' })
  const difficulty = formatWork(receive)
  const asked = { hash: 'F'.repeat(64), difficulty }
  const found = (await call('work_generate', asked)).json()
  assert.ok(workValue(asked.hash, found.work!) >= receive)
  const validated = (await call('work_validate', { ...asked, work: found.work })).json()
  assert.equal(validated.valid, '1')
  // The threads compute for the ledger too: alone it would take minutes.
  const own = await callLedger(app.devnet!.rpcUrl, 'work_generate', { ...asked, hash: 'E'.repeat(64) })
  assert.ok(workValue('E'.repeat(64), String(own.work)) >= receive)
  const tooMuch = await callLedger(app.devnet!.rpcUrl, 'work_generate', { ...asked, difficulty: 'ffffffffe0000001' })
  assert.deepEqual(tooMuch, { error: 'Difficulty above config limit or below publish threshold' })
})

test('a gateway that computes dev work has no business on a ledger that asks for live work, until it is set to', async (t) => {
  const ledger = await openDevnet(t, { thresholds: WORK_THRESHOLDS.live })
  const env = { NODE_URLS: ledger.rpcUrl, NODE_NETWORK: 'dev' }
  const unverified = await openGateway(t, env)
  assert.equal(unverified.app.nodes.pool.upstreams[0]!.state, 'foreign')
  const told = await openGateway(t, { ...env, DEVNET_WORK: 'live' })
  assert.equal(told.app.nodes.pool.upstreams[0]!.state, 'well')
  const generous = await openDevnet(t, { thresholds: NO_WORK })
  const other = await openGateway(t, { ...env, NODE_URLS: generous.rpcUrl, DEVNET_WORK: 'live' })
  assert.equal(other.app.nodes.pool.upstreams[0]!.state, 'well', 'one that asks for less takes our blocks all the same')
})

test('a ledger that requires no work accepts every block, and reports that', async (t) => {
  const { rpcUrl, node } = await openDevnet(t, { thresholds: WORK_THRESHOLDS.none })
  const { network_minimum, network_receive_minimum } = await callLedger(rpcUrl, 'active_difficulty')
  assert.deepEqual([network_minimum, network_receive_minimum], [formatWork(0n), formatWork(0n)])
  const open = alice.receive(UNOPENED, await node.fund(alice.key, nano(10)), nano(10))
  const worthless = withWork(open, formatWork(0n))
  assert.deepEqual(await callLedger(rpcUrl, 'process', worthless), { hash: hashBlock(open) })
  assert.match((await callLedger(rpcUrl, 'work_generate', { hash: hashBlock(open) })).work!, /^[0-9a-f]{16}$/)
})
