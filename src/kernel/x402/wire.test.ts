import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeHeader, encodeHeader } from './wire.ts'

test('what is encoded is standard base64, and reads back in either alphabet', () => {
  const value = { success: true, transaction: '', network: 'nano:mainnet', payer: 'ÿ??>>ü' }
  const text = encodeHeader(value)
  assert.match(text, /^[A-Za-z0-9+/]+=*$/)
  assert.deepEqual(decodeHeader(text), value)
  assert.deepEqual(decodeHeader(text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')), value)
})

test('anything but base64 of a JSON object is refused cheaply', () => {
  const encode = (text: string) => Buffer.from(text).toString('base64')
  const others = ['null', '[]', '"x"', '{'].map(encode)
  const nothing = ['', ' ', '{}', 'a b', 'é', ...others, encode('{}').repeat(2)]
  for (const text of nothing) assert.equal(decodeHeader(text), undefined, text)
  assert.equal(decodeHeader('A'.repeat(10 * 1024 * 1024)), undefined)
  assert.equal(decodeHeader(encode(`{"a":"${'x'.repeat(8_192)}"}`)), undefined)
  // Names with a meaning in JavaScript are ordinary members here.
  assert.equal(Object.getPrototypeOf(decodeHeader(encode('{"__proto__":{"x402Version":2}}'))), Object.prototype)
})
