import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeat } from '../../../test/support/random.ts'
import { toAddress } from '../../kernel/nano/address.ts'
import { hexToBytes } from '../../kernel/nano/hex.ts'
import { VANITY_MAX, isVanityPrefix, toPattern } from './walk.ts'

const ALPHABET = '13456789abcdefghijkmnopqrstuwxyz'

/** The y coordinate of a key begins with its lowest byte; the highest bits are ignored. */
const lowestBits = (key: string) => Buffer.from(hexToBytes(key)).readInt32LE()

function fits(key: string, prefix: string): boolean {
  const { mask, wanted } = toPattern(prefix)
  return (lowestBits(key) & mask) === wanted
}

test('a pattern fits exactly the keys whose address begins with the prefix', () =>
  repeat(2_000, (random) => {
    const key = random.hex(64)
    const start = toAddress(key).slice('nano_'.length)
    for (let length = 1; length <= VANITY_MAX; length++) {
      const prefix = start.slice(0, length)
      assert.ok(isVanityPrefix(prefix))
      assert.ok(fits(key, prefix), `${key} ${prefix}`)
      const letter = length === 1 ? random.pick('13') : random.pick(ALPHABET)
      const other = prefix.slice(0, -1) + letter
      assert.equal(fits(key, other), other === prefix, `${key} ${other}`)
    }
  }))

test('every letter of the alphabet can follow, and none else', () => {
  for (let code = 0; code < 256; code++) {
    const letter = String.fromCharCode(code)
    assert.equal(isVanityPrefix(`1${letter}`), ALPHABET.includes(letter), letter)
    assert.equal(isVanityPrefix(letter), letter === '1' || letter === '3', letter)
  }
})

test('prefixes that no address has, and those that take too long, are refused', () => {
  for (const prefix of ['1', '3', '11111', '3zzzz', '1abc', '3nano']) assert.ok(isVanityPrefix(prefix), prefix)
  for (const prefix of ['', 'nano', '4abc', '1l', '3v', '10', '12', '3NANO', '1 a', '1a\n', '1é', '1💰', '111111']) {
    assert.ok(!isVanityPrefix(prefix), prefix)
  }
})
