import assert from 'node:assert/strict'
import { test } from 'node:test'
import { credentialsOf } from './remembered.ts'

test('an anonymous caller filled the cache with invalid keys: only strings of a body are kept', () => {
  assert.equal(credentialsOf({ action: 'block_count', key: Array.from({ length: 20_000 }, () => ({})) }), undefined)
  assert.equal(credentialsOf({ action: 'block_count' }), undefined)
  assert.deepEqual(credentialsOf({ key: 'rpc_sk_one', public_key: 5 }), { key: 'rpc_sk_one' })
  assert.deepEqual(credentialsOf({ public_key: 'rpc_pk_one' }), { public_key: 'rpc_pk_one' })
})
