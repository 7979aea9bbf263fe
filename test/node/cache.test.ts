import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Trace } from '../../src/kernel/ctx.ts'
import { hashBlock } from '../../src/kernel/nano/block.ts'
import { UNOPENED, frontierOf, nano, publish } from '../support/blocks.ts'
import { openGateway } from '../support/gateway.ts'
import { openRecordingNode } from '../support/recording-node.ts'
import { call } from '../support/rpc.ts'
import { until } from '../support/until.ts'
import { alice, bob, carol, eventReads, openWorld } from './cache-steps.ts'

test('a repeated read, in any spelling, is answered from the cache and marked as such', async (t) => {
  const { node, gateway, sourceOf } = await openWorld(t)
  for (const [action, params] of eventReads(alice)) {
    node.forgetHits()
    const first = await gateway.ask(action, params)
    const second = await gateway.ask(action, params)
    assert.deepEqual([first.cache, second.cache], ['miss', 'hit'])
    assert.deepEqual(second.body, first.body)
    assert.equal(node.hits(action), 1)
  }
  const account = alice.address
  node.forgetHits()
  await gateway.ask('receivable', { account, count: 5, source: true })
  assert.equal(await sourceOf('pending', { source: '1', count: '5', account: account.replace('nano_', 'xrb_') }), 'hit')
  assert.equal(node.hits('receivable'), 1)
})

test('a hundred equal reads at once are one question to the node', async (t) => {
  const { node, gateway } = await openWorld(t)
  const release = node.hold('account_balance')
  const reads = Array.from({ length: 100 }, () => gateway.ask('account_balance', { account: alice.address }))
  await until(() => node.hits('account_balance') === 1)
  release()
  const answers = await Promise.all(reads)
  assert.equal(node.hits('account_balance'), 1)
  assert.equal(answers.filter(({ cache }) => cache === 'miss').length, 1)
  assert.ok(answers.some(({ cache }) => cache === 'coalesced'))
  for (const { body } of answers) assert.deepEqual(body, answers[0]!.body)
})

test('equal reads share a question even where nothing is remembered, but not after its answer came', async (t) => {
  const { node, gateway } = await openWorld(t)
  const { nodes } = gateway.app
  for (const questions of [1, 2]) {
    const traces = Array.from({ length: 100 }, (): Trace => ({ cache: undefined, fresh: undefined }))
    await Promise.all(traces.map((trace) => nodes.forRequest(trace).read('account_info', { account: alice.address })))
    assert.equal(node.hits('account_info'), questions)
    const sources = traces.map(({ cache }) => cache)
    assert.deepEqual(sources, ['miss', ...Array.from({ length: 99 }, () => 'coalesced')])
  }
})

test('an error is shared by waiting callers and not cached', async (t) => {
  const { node, gateway } = await openWorld(t)
  const release = node.hold('account_info')
  await node.behave('html')
  const reads = [1, 2, 3].map(() => gateway.ask('account_info', { account: alice.address }))
  await until(() => node.hits('account_info') === 1)
  release()
  assert.deepEqual(
    (await Promise.all(reads)).map(({ status }) => status),
    [502, 502, 502],
  )
  await node.behave('none')
  assert.equal((await gateway.ask('account_info', { account: alice.address })).status, 200)
})

// A public proxy once answered one account's balance with another's, because its cache key was only the action's name.
test('reads with different parameters never share an answer', async (t) => {
  const { ledger, gateway } = await openWorld(t)
  const hash = await publish(ledger.node, alice.send(frontierOf(ledger.node, alice.key), bob.key, nano(7)))
  ledger.node.hold()
  await publish(ledger.node, alice.send(frontierOf(ledger.node, alice.key), bob.key, nano(9)))
  const reads: [string, object][] = [alice, bob, carol].flatMap((signer) => [
    ...eventReads(signer),
    ['account_balance', { account: signer.address, include_only_confirmed: 'false' }],
    ['accounts_balances', { accounts: [signer.address], include_only_confirmed: 'false' }],
    ['account_history', { account: signer.address, count: '1' }],
    ['account_history', { account: signer.address, count: '10', reverse: 'true' }],
    ['receivable', { account: signer.address, count: '10', source: 'true' }],
    ['receivable', { account: signer.address, count: '10', threshold: `${nano(8)}` }],
    ['receivable', { account: signer.address, count: '10', include_only_confirmed: 'false' }],
  ])
  reads.push(
    ['accounts_balances', { accounts: [alice.address, bob.address] }],
    ['accounts_balances', { accounts: [bob.address, alice.address] }],
    ['block_info', { hash, json_block: 'true' }],
    ['block_info', { hash: frontierOf(ledger.node, bob.key).previous, json_block: 'true' }],
    ['blocks_info', { hashes: [hash], json_block: 'true' }],
    ['blocks_info', { hashes: [hash], json_block: 'true', receive_hash: 'true' }],
    ['blocks_info', { hashes: [hash], json_block: 'true', source: 'true', receivable: 'true' }],
  )
  const answers = await Promise.all(reads.map(([action, params]) => gateway.ask(action, params)))
  for (const [at, [action, params]] of reads.entries()) {
    const truth = await call<Record<string, unknown>>(ledger.rpcUrl, action, params)
    assert.partialDeepStrictEqual(answers[at]!.body, truth, `${action} ${JSON.stringify(params)}`)
    assert.deepEqual((await gateway.ask(action, params)).body, answers[at]!.body)
  }
})

test('refusals and failures are not remembered', async (t) => {
  const { ledger, node, gateway, relay } = await openWorld(t)
  await relay.cut()
  const block = carol.receive(UNOPENED, await ledger.node.fund(carol.key, nano(1)), nano(1))
  const reads: [string, object][] = [
    ['block_info', { hash: hashBlock(block) }],
    ['account_history', { account: carol.address, count: '1', reverse: 'true' }],
  ]
  for (const [action, params] of [...reads, ...reads]) {
    const { cache, body } = await gateway.ask(action, params)
    assert.equal(cache, 'miss')
    assert.match(String(body.error), /not found$/)
  }
  await publish(ledger.node, block)
  for (const [action, params] of reads) assert.equal((await gateway.ask(action, params)).body.error, undefined)

  await node.behave('status 500')
  assert.equal((await gateway.ask('block_info', { hash: block.previous })).status, 502)
  await node.behave('none')
  assert.equal((await gateway.ask('block_info', { hash: block.previous })).status, 200)
})

test('the cache keeps to its limit and removes the least recently used answers', async (t) => {
  const bytesMax = 48 * 1024
  // Three eighths of the cache are for the node's answers, the rest for the responses made of them.
  const { gateway, sourceOf } = await openWorld(t, { CACHE_BYTES_MAX: String((bytesMax * 8) / 3) })
  const read = (count: number) => sourceOf('account_history', { account: alice.address, count, raw: 'true' })
  for (let count = 1; count <= 300; count++) {
    await read(count)
    await read(1)
    assert.ok(gateway.app.nodes.cachedBytes <= bytesMax)
  }
  assert.ok(gateway.app.nodes.cachedBytes > bytesMax * 0.9, 'it uses what it may')
  assert.equal(await read(300), 'hit')
  assert.equal(await read(1), 'hit', 'used all the time')
  assert.equal(await read(2), 'miss', 'not used for longest')
})

test('with no memory allowed nothing is remembered, and equal reads still share a question', async (t) => {
  const { node, gateway, sourceOf } = await openWorld(t, { CACHE_BYTES_MAX: '0' })
  for (const [action, params] of [...eventReads(alice), ...eventReads(alice)]) {
    assert.equal(await sourceOf(action, params), 'miss')
  }
  assert.deepEqual([await sourceOf('version'), await sourceOf('version')], ['miss', 'miss'])
  assert.equal(gateway.app.nodes.cachedBytes, 0)
  node.forgetHits()
  const release = node.hold('version')
  const reads = Array.from({ length: 20 }, () => sourceOf('version'))
  await until(() => node.hits('version') === 1)
  release()
  const sources = await Promise.all(reads)
  assert.ok(sources.includes('coalesced'))
})

test('a node that had just started left the list of representatives empty for a minute: nothing is not remembered', async (t) => {
  let known: object | string = ''
  const node = await openRecordingNode(t, () => ({ representatives: known }))
  const gateway = await openGateway(t, { NODE_URLS: node.url, NODE_NETWORK: 'dev' })
  const online = async () => (await gateway.call('representatives_online')).json<{ representatives: unknown }>()
  assert.deepEqual((await online()).representatives, '')
  known = [alice.address]
  assert.deepEqual((await online()).representatives, [alice.address])
  known = ''
  assert.deepEqual((await online()).representatives, [alice.address], 'what there is is remembered')
})
