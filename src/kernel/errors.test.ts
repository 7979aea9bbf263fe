import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, LedgerRefusal, badField } from './errors.ts'

// Most refusals answer mistakes of callers, and recording a stack would cost more than the rest of the answer.
test('the log says where a failure came from; a refusal records no stack, and changes nothing for errors after it', () => {
  const isRecorded = ({ stack }: Error) => /\n +at /.test(stack!)
  assert.equal(isRecorded(badField('account', 'account is required')), false)
  assert.equal(isRecorded(new LedgerRefusal('Account not found')), false)
  assert.ok(isRecorded(new AppError('internal_error', 'Internal error')))
  assert.ok(isRecorded(new Error('any')))
})
