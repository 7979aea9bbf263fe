import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errors } from 'undici'
import { closeQuietly } from './quiet-closing.ts'

test('the error that closes a connection is unchanged except for its stack; other errors keep theirs', () => {
  closeQuietly()
  const reset = new errors.InformationalError('reset')
  assert.deepEqual([reset.name, reset.code, reset.message], ['InformationalError', 'UND_ERR_INFO', 'reset'])
  assert.ok(reset instanceof errors.UndiciError && reset instanceof Error)
  assert.doesNotMatch(reset.stack!, /\n +at /)
  assert.match(new errors.SocketError('other side closed').stack!, /\n +at /)
  assert.match(new Error('any').stack!, /\n +at /)
})
