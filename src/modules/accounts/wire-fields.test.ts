import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEmail, readNewKey, readOverlap } from './wire-fields.ts'

const field = (name: string) => ({ body: { field: name } })

// A mail program would read a list, a second header or a name of its own in these.
test('one plain mail address is taken, and nothing that reaches another mailbox besides', () => {
  assert.equal(readEmail({ email: 'zoë+shop@example.com' }), 'zoë+shop@example.com')
  for (const email of [
    'a@example.com,b@example.com',
    'a@example.com;b@example.com',
    'a@example.com\r\nBcc: b@example.com',
    'Alice <a@example.com>',
    '"a"@example.com',
    'a@b@example.com',
    '@example.com',
    `${'a'.repeat(65)}@example.com`,
    ['a@example.com'],
  ]) {
    assert.throws(() => readEmail({ email }), { code: 'invalid_email', ...field('email') }, String(email))
  }
})

test('a public key has origins, exactly as browsers send them; a secret key has none', () => {
  const origins = ['https://shop.example', 'https://shop.example', 'http://127.0.0.1:3000']
  assert.deepEqual(readNewKey({ name: ' Shop\u200b ', kind: 'public', origins }), {
    name: 'Shop',
    kind: 'public',
    origins: ['https://shop.example', 'http://127.0.0.1:3000'],
  })
  assert.deepEqual(readNewKey({ name: 'a' }), { name: 'a', kind: 'secret', origins: [] })
  for (const wrong of [
    'https://shop.example/',
    'https://Shop.example',
    'shop.example',
    'javascript:alert(1)',
    '*',
    7,
  ]) {
    assert.throws(() => readNewKey({ name: 'a', kind: 'public', origins: [wrong] }), field('origins'), String(wrong))
  }
  assert.throws(() => readNewKey({ name: 'a', kind: 'public' }), field('origins'))
  assert.throws(() => readNewKey({ name: 'a', origins: ['https://shop.example'] }), field('origins'))
  assert.throws(() => readNewKey({ name: '\u200b' }), field('name'))
  assert.throws(() => readNewKey({ name: 'a', kind: 'admin' }), field('kind'))
})

test('an old key works beside the new one for up to a week, in whole hours', () => {
  assert.deepEqual([readOverlap({}), readOverlap({ overlap_hours: 0 })], [undefined, 0])
  assert.equal(readOverlap({ overlap_hours: 168 }), 7 * 86_400_000)
  for (const hours of [169, -1, 1.5, '1', null]) {
    assert.throws(() => readOverlap({ overlap_hours: hours }), field('overlap_hours'), String(hours))
  }
})
