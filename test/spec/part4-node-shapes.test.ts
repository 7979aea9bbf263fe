import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { Signer, UNOPENED, nano } from '../support/blocks.ts'
import { WsClient } from '../support/ws-client.ts'
import { alice, bob, openLedgerWorld } from './ledger-world.ts'

/* Contract 4.1: what programs that were written for a node rely on at the service's own door. */

test('json_block: false gives the contents as a text, and everything else an object (contract 4.1, rule 10; 4.1, Blocks and work: blocks_info; 4.1, Further node reads: blocks)', async (t) => {
  const { call, opened } = await openLedgerWorld(t)
  const contentsOf = async (json_block: unknown) => {
    const { contents } = (await call('block_info', { hash: opened, json_block })).json<{ contents: unknown }>()
    const many = (await call('blocks_info', { hashes: [opened], json_block })).json<{
      blocks: Record<string, { contents: unknown }>
    }>()
    const plain = (await call('blocks', { hashes: [opened], json_block })).json<{ blocks: Record<string, unknown> }>()
    return [contents, many.blocks[opened]!.contents, plain.blocks[opened]]
  }
  for (const no of [false, 'false', 0, '0']) {
    const given = await contentsOf(no)
    assert.deepEqual(
      given.map((contents) => typeof contents),
      ['string', 'string', 'string'],
    )
    // bananojs reads what it has asked for as a text, and failed on an object.
    assert.equal((JSON.parse(String(given[1])) as { account: string }).account, alice.address)
  }
  for (const yes of [undefined, true, 'true']) {
    for (const contents of await contentsOf(yes)) {
      assert.equal((contents as { account: string; balance_nano: string }).balance_nano, '10')
    }
  }
})

test('accounts_pending has the shapes that the node gives it, by its flags (contract 4.1, Node and account reads: accounts_pending; 4.1, Receivable: accounts_pending, accounts_pending with threshold, accounts_pending with source)', async (t) => {
  const { call, sent } = await openLedgerWorld(t)
  const ask = async (fields: object) =>
    (await call('accounts_pending', { accounts: [bob.address, alice.address], ...fields })).json<object>()
  const amount = `${nano(2)}`
  assert.deepEqual(await ask({}), { blocks: { [bob.address]: [sent] } })
  assert.deepEqual(await ask({ threshold: '1' }), { blocks: { [bob.address]: { [sent]: amount } } })
  assert.deepEqual(await ask({ sorting: true }), { blocks: { [bob.address]: { [sent]: amount } } })
  const known = { amount, amount_nano: '2', source: alice.address, username: 'Alice' }
  assert.deepEqual(await ask({ source: 'true' }), { blocks: { [bob.address]: { [sent]: known } } })
  assert.deepEqual(await ask({ accounts: [alice.address] }), { blocks: '' })
  assert.deepEqual(await ask({ accounts: ['@nobody', bob.address] }), {
    blocks: { [bob.address]: [sent] },
    errors: { '@nobody': 'Username not found.' },
  })
  assert.equal((await call('accounts_pending', { accounts: ['nano_wrong'] })).json().error, 'Bad account number')
})

test('block_confirm starts a vote on what waits, and makes no node shout of what is confirmed (contract 4.1, Further node reads: block_confirm)', async (t) => {
  const { call, app, opened } = await openLedgerWorld(t)
  const { node, wsUrl } = app.devnet!
  const listener = await WsClient.connect(t, wsUrl)
  listener.send({ action: 'subscribe', topic: 'confirmation', ack: true })
  await listener.settle()
  assert.deepEqual((await call('block_confirm', { hash: opened })).json(), { started: '1' })
  assert.deepEqual(await listener.settle(), [])
  node.hold()
  const carol = new Signer(7, node.ledger.thresholds)
  const gift = await node.fund(carol.key, nano(1))
  const block = carol.receive(UNOPENED, gift, nano(1))
  const { hash } = (await call('process', { block: toBlockJson(block) })).json()
  // Its own send waits too, so that nobody votes on it yet.
  assert.equal(node.isActive(node.ledger.store.findBlock(hash!)!), false)
  assert.deepEqual((await call('block_confirm', { hash })).json(), { started: '1' })
  assert.equal(node.isActive(node.ledger.store.findBlock(hash!)!), true)
  assert.deepEqual((await call('block_confirm', { hash: 'A'.repeat(64) })).json(), { error: 'Block not found' })
  const wrong = await call('block_confirm', { hash: 'q' })
  assert.deepEqual([wrong.status, wrong.json().error], [400, 'Invalid block hash'])
})

test('an address with a dash is valid, and said to be written in an old way (contract 4.1, Further node reads: validate_account_number)', async (t) => {
  const { call, url } = await openLedgerWorld(t)
  const validate = async (account: string) => (await call('validate_account_number', { account })).json()
  const dashed = alice.address.replace('_', '-')
  assert.deepEqual(await validate(alice.address), { valid: '1' })
  assert.deepEqual(await validate(dashed), { deprecated_account_format: '1', valid: '1' })
  assert.deepEqual(await validate(dashed.replace('nano-', 'xrb-')), { deprecated_account_format: '1', valid: '1' })
  assert.deepEqual(await validate(`${dashed.slice(0, -1)}1`), { valid: '0' })
  const body = JSON.stringify({ action: 'validate_account_number', account: dashed })
  const answer = await fetch(`${url}/node`, { method: 'POST', body })
  assert.deepEqual(await answer.json(), { deprecated_account_format: '1', valid: '1' })
})
