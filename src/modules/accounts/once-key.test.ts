import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fingerprintOf, readIdempotencyKey } from '../../guard/once.ts'
import { AppError } from '../../kernel/errors.ts'

test('bodies that mean the same have one fingerprint, whatever their order and credentials', () => {
  const body = { action: 'send', amount: '1', to: { a: 1, b: [1, { c: null, d: 'x' }] } }
  const same = { key: 'rpc_sk_', idempotency_key: 'k', to: { b: [1, { d: 'x', c: null }], a: 1 }, amount: '1' }
  assert.equal(fingerprintOf(body), fingerprintOf(same))
  for (const other of [{ amount: 1 }, { amount: '1', x: null }, { to: [1, 2] }, { to: [2, 1] }, { to: '[1,2]' }, {}]) {
    assert.notEqual(fingerprintOf(body), fingerprintOf(other))
  }
  assert.notEqual(fingerprintOf({ to: [1, 2] }), fingerprintOf({ to: [2, 1] }))
  assert.notEqual(fingerprintOf({ to: [1, 2] }), fingerprintOf({ to: '[1,2]' }))
  assert.match(fingerprintOf({}), /^[0-9a-f]{64}$/)
})

test('400 names the place of an idempotency key that cannot be one', () => {
  const header = (value: string) => readIdempotencyKey({ 'idempotency-key': value }, {})
  const body = (value: unknown) => readIdempotencyKey({}, { idempotency_key: value })
  assert.equal(readIdempotencyKey({}, {}), undefined)
  assert.equal(header('a b~'), 'a b~')
  assert.equal(body('x'.repeat(255)), 'x'.repeat(255))
  assert.equal(readIdempotencyKey({ 'idempotency-key': 'k' }, { idempotency_key: 'k' }), 'k')
  const refused: [() => unknown, string][] = [
    [() => header(''), 'Idempotency-Key'],
    [() => header('x'.repeat(256)), 'Idempotency-Key'],
    [() => header('tab\t'), 'Idempotency-Key'],
    [() => body('Zoë'), 'idempotency_key'],
    [() => body(7), 'idempotency_key'],
    [() => readIdempotencyKey({ 'idempotency-key': 'k' }, { idempotency_key: 'other' }), 'idempotency_key'],
  ]
  for (const [read, field] of refused) {
    assert.throws(read, (error: AppError) => error.status === 400 && error.body.field === field)
  }
})
