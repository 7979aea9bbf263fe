import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSettled, policyOf } from './policy.ts'

const NONE = '0'.repeat(64)
const NEXT = 'A'.repeat(64)
const send = { confirmed: 'true', successor: NEXT, subtype: 'send' }

test('a block is settled when it is confirmed and has a successor, and nothing else ever is', () => {
  assert.equal(isSettled('block_info', send), true)
  assert.equal(isSettled('block_info', { ...send, confirmed: 'false' }), false)
  assert.equal(isSettled('block_info', { ...send, successor: NONE }), false)
  assert.equal(isSettled('block_info', {}), false)
  for (const action of ['account_info', 'account_history', 'version', 'process']) {
    assert.equal(isSettled(action, send), false)
  }
})

test('a send is final only when the requested facts about its receive can no longer change', () => {
  const cases: [object, boolean][] = [
    [{ ...send, receive_hash: NONE }, false],
    [{ ...send, receive_hash: NEXT }, true],
    [{ ...send, receivable: '1', pending: '1' }, false],
    [{ ...send, pending: '1' }, false],
    [{ ...send, receivable: '0', pending: '0' }, true],
    [{ ...send, subtype: 'receive', receive_hash: NONE }, true],
    [{ ...send, subtype: 'change', receive_hash: NONE }, true],
    // Legacy blocks have no subtype, so an old send may still be received today.
    [{ confirmed: 'true', successor: NEXT, contents: { type: 'send' }, receive_hash: NONE }, false],
    [{ confirmed: 'true', successor: NEXT, contents: { type: 'send' } }, true],
  ]
  for (const [block, settled] of cases) {
    assert.equal(isSettled('blocks_info', { blocks: { [NEXT]: block } }), settled, JSON.stringify(block))
  }
})

test('a list is settled when all of it is', () => {
  const blocks = { [NEXT]: send, [NONE]: send }
  assert.equal(isSettled('blocks_info', { blocks }), true)
  assert.equal(isSettled('blocks_info', { blocks: { ...blocks, B: { ...send, confirmed: 'false' } } }), false)
  assert.equal(isSettled('blocks_info', { blocks, blocks_not_found: ['C'] }), false)
  assert.equal(isSettled('blocks_info', { blocks, blocks_not_found: '' }), true)
  assert.equal(isSettled('blocks_info', { blocks: '', blocks_not_found: ['C'] }), false)
  assert.equal(isSettled('blocks_info', { blocks: null }), false)
})

test('fields outside the table are never cached, above all the frontier', () => {
  for (const action of ['account_info', 'accounts_frontiers', 'process', 'anything']) {
    assert.equal(policyOf(action).cache.kind, 'never')
  }
})
