import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { Signer, UNOPENED, nano } from '../support/blocks.ts'
import { bob, openTown } from './town.ts'

/* Contract 9: nothing is versioned, and old names work for ever. */

test('every synonym of an action answers as the action does (contract 9, Synonyms: action; 9, rules 6 and 7)', async (t) => {
  const { call, app, opened } = await openTown(t)
  const account = { account: bob.address }
  const accounts = { accounts: [bob.address] }
  const same: [string, string, object][] = [
    ['receivable', 'pending', account],
    ['accounts_receivable', 'accounts_pending', accounts],
    ['accounts_frontiers', 'account_frontiers', accounts],
    ['price', 'fiat_price', { currency: 'EUR' }],
    ['block_info', 'block', { hash: opened }],
  ]
  for (const [name, synonym, fields] of same) {
    const [one, other] = [await call(name, fields), await call(synonym, fields)]
    assert.equal(one.status, 200, name)
    assert.deepEqual(other.json(), one.json(), synonym)
  }
  for (const action of ['rpc_key', 'gpu_key']) {
    assert.equal((await call(action, { email: 'alice@example.com' })).json<{ success: boolean }>().success, true)
  }
  const names = app.doors.actions.flatMap(({ name, synonyms = [] }) => [name, ...synonyms])
  assert.equal(new Set(names).size, names.length, 'no name means two things')
})

test('a body with a block and its subtype is a publication, and a version in a request changes nothing (contract 9, Synonyms: action; 9, rules 1 and 5)', async (t) => {
  const { post, call, app } = await openTown(t)
  const { node } = app.devnet!
  const carol = new Signer(3, node.ledger.thresholds)
  const opening = carol.receive(UNOPENED, await node.fund(carol.key, nano(1)), nano(1))
  const reply = await post(JSON.stringify({ block: toBlockJson(opening), subtype: 'open', json_block: 'true' }))
  assert.match(reply.json().hash!, /^[0-9A-F]{64}$/)
  const plain = (await call('account_key', { account: carol.address })).text
  assert.equal((await call('account_key', { account: carol.address, version: '3' })).text, plain)
})
