import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEmail } from './email-field.ts'
import { readNewKey as read, readOverlap } from './wire-fields.ts'

const NOW = 1_000_000
const readNewKey = (body: Record<string, unknown>) => read(body, NOW)

const field = (name: string) => ({ body: { field: name } })

// A mail program would read these as a list, a second header or a display name.
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
    wanted: {},
  })
  assert.deepEqual(readNewKey({ name: 'a' }), { name: 'a', kind: 'secret', origins: [], wanted: {} })
  const others = ['https://shop.example/', 'https://Shop.example', 'shop.example', 'javascript:alert(1)', '*', 7]
  for (const wrong of others) {
    assert.throws(() => readNewKey({ name: 'a', kind: 'public', origins: [wrong] }), field('origins'), String(wrong))
  }
  assert.throws(() => readNewKey({ name: 'a', kind: 'public' }), field('origins'))
  assert.throws(() => readNewKey({ name: 'a', origins: ['https://shop.example'] }), field('origins'))
  assert.throws(() => readNewKey({ name: '\u200b' }), field('name'))
  assert.throws(() => readNewKey({ name: 'a', kind: 'admin' }), field('kind'))
})

test('rights of a key are read in every accepted form, or refused with the name of the field', () => {
  const given = { scopes: ['keys', 'read', 'read'], expires_unix: 1_001, per_minute: 5, spend_daily_nano: '0.5' }
  assert.deepEqual(readNewKey({ name: 'a', ...given }).wanted, {
    scopes: ['read', 'keys'],
    expiresAt: 1_001_000,
    perMinute: 5,
    spendDaily: 5n * 10n ** 29n,
  })
  assert.deepEqual(readNewKey({ name: 'a', scopes: null, expires_unix: null }).wanted, {})
  assert.equal(readNewKey({ name: 'a', spend_daily_nano: 1e-7 }).wanted.spendDaily, 10n ** 23n)
  const wrong: Record<string, unknown[]> = {
    scopes: [[], 'read', ['admin'], ['read', 'admin'], ['read', 7], {}],
    expires_unix: [1_000, 0, -1, 1_001.5, '1001', 1e15, true],
    per_minute: [0, -1, 1.5, '5', 1_000_001],
    spend_daily_nano: ['-1', 'all', '', 1e12, {}, true],
  }
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      assert.throws(() => readNewKey({ name: 'a', [name]: value }), field(name), `${name} ${JSON.stringify(value)}`)
    }
  }
  const origins = ['https://shop.example']
  for (const [name, value] of Object.entries({ scopes: ['read'], per_minute: 5, spend_daily_nano: '1' })) {
    assert.throws(() => readNewKey({ name: 'a', kind: 'public', origins, [name]: value }), field(name))
  }
})

test('an old key works beside the new one for up to a week, in whole hours', () => {
  assert.deepEqual([readOverlap({}), readOverlap({ overlap_hours: 0 })], [undefined, 0])
  assert.equal(readOverlap({ overlap_hours: 168 }), 7 * 86_400_000)
  for (const hours of [169, -1, 1.5, '1', null]) {
    assert.throws(() => readOverlap({ overlap_hours: hours }), field('overlap_hours'), String(hours))
  }
})
