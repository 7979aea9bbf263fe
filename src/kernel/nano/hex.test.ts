import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeat } from '../../../test/support/random.ts'
import { bytesToHex, hexToBytes, isHex } from './hex.ts'

test('bytes survive the way over hexadecimal in either case', () =>
  repeat(200, (random) => {
    const bytes = random.bytes(random.below(80))
    const hex = bytesToHex(bytes)
    assert.match(hex, /^[0-9A-F]*$/)
    assert.deepEqual(hexToBytes(hex), bytes)
    assert.deepEqual(hexToBytes(hex.toLowerCase()), bytes)
  }))

test('a view into a larger buffer prints its own bytes only', () => {
  assert.equal(bytesToHex(Uint8Array.of(1, 2, 0xab, 4).subarray(1, 3)), '02AB')
})

test('text that is not hexadecimal throws instead of being cut short', () => {
  for (const text of ['0', 'ABC', 'zz', '0x', '0xAB', 'AB ', ' AB', 'AB\n', 'ＡＢ']) {
    assert.throws(() => hexToBytes(text), TypeError, JSON.stringify(text))
  }
  assert.deepEqual(hexToBytes(''), new Uint8Array())
})

test('a digit count is exact', () => {
  assert.ok(isHex('aB09', 4))
  for (const text of ['aB0', 'aB091', 'aB0g', '0xB0', 'aB0\n']) assert.ok(!isHex(text, 4), JSON.stringify(text))
})
