import assert from 'node:assert/strict'
import { test } from 'node:test'
import { credentialsOf } from './remembered.ts'

test('a stranger filled the memory of answers with keys that are none: only texts are kept of a body', () => {
  assert.equal(credentialsOf({ action: 'block_count', key: Array.from({ length: 20_000 }, () => ({})) }), undefined)
  assert.equal(credentialsOf({ action: 'block_count' }), undefined)
  assert.deepEqual(credentialsOf({ key: 'rpc_sk_one', public_key: 5 }), { key: 'rpc_sk_one' })
  assert.deepEqual(credentialsOf({ public_key: 'rpc_pk_one' }), { public_key: 'rpc_pk_one' })
})
