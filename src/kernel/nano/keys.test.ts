import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ed25519 } from '@noble/curves/ed25519.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { type SeededRandom, repeat } from '../../../test/support/random.ts'
import { bytesToHex, hexToBytes } from './hex.ts'
import {
  type ScalarKey,
  deriveKey,
  publicKeyOf,
  publicKeyOfScalar,
  signHash,
  signHashWithScalar,
  signText,
  verifyHash,
  verifyText,
} from './keys.ts'

function randomSigned(random: SeededRandom) {
  const privateKey = random.hex(64)
  const hash = random.hex(64)
  return { privateKey, key: publicKeyOf(privateKey), hash, signature: signHash(privateKey, hash) }
}

function flipBit(hex: string, bit: number): string {
  const bytes = hexToBytes(hex)
  bytes[bit >> 3]! ^= 1 << (bit & 7)
  return bytesToHex(bytes)
}

test('the zero seed gives the keys that every wallet knows, and an index counts in four bytes, the highest first', () =>
  repeat(20, (random) => {
    const privateKey = deriveKey('0'.repeat(64), 0)
    assert.equal(privateKey, '9F0E444C69F77A49BD0BE89DB92C38FE713E0963165CCA12FAF5712D7657120F')
    assert.equal(publicKeyOf(privateKey), 'C008B814A7D269A1FA3C6528B19201A24D797912DB9996FF02A1FF356E45552B')
    const seed = random.hex(64)
    const keys = [0, 1, 256, 65_536, 16_777_216, 2 ** 31, 2 ** 32 - 1].map((index) => deriveKey(seed, index))
    assert.equal(new Set(keys).size, keys.length)
    assert.equal(deriveKey(seed.toLowerCase(), 1), keys[1])
  }))

test('what a key signs verifies with its public key, and the signature is always the same', () =>
  repeat(20, (random) => {
    const { privateKey, key, hash, signature } = randomSigned(random)
    assert.ok(verifyHash(key, hash, signature))
    assert.ok(verifyHash(key.toLowerCase(), hash.toLowerCase(), signature.toLowerCase()))
    assert.equal(signHash(privateKey, hash), signature)
    assert.match(signature, /^[0-9A-F]{128}$/)
  }))

test('any flipped bit of signature, hash or key makes a signature fail: it is worth nothing for another', () =>
  repeat(2, (random) => {
    const { key, hash, signature } = randomSigned(random)
    // One bit of each byte is changed; testing all eight would take seconds.
    const offset = random.below(8)
    for (let bit = offset; bit < 512; bit += 8) {
      assert.ok(!verifyHash(key, hash, flipBit(signature, bit)), `signature bit ${bit}`)
    }
    for (let bit = offset; bit < 256; bit += 8)
      assert.ok(!verifyHash(key, flipBit(hash, bit), signature), `hash ${bit}`)
    for (let bit = offset; bit < 256; bit += 8) assert.ok(!verifyHash(flipBit(key, bit), hash, signature), `key ${bit}`)
  }))

test('malformed signatures, hashes and keys are false and never throw', () =>
  repeat(10, (random) => {
    const { key, hash, signature } = randomSigned(random)
    const wrongKeys = ['', 'zz', '0', key.slice(2), `${key}00`, 'F'.repeat(64), '0'.repeat(64), `02${'0'.repeat(62)}`]
    for (const wrong of wrongKeys) assert.equal(verifyHash(wrong, hash, signature), false, `key ${wrong}`)
    const wrongSignatures = ['', 'zz', '0', signature.slice(2), `${signature}00`, 'F'.repeat(128), '0'.repeat(128)]
    for (const wrong of [...wrongSignatures, random.hex(128), key + hash]) {
      assert.equal(verifyHash(key, hash, wrong), false, `signature ${wrong}`)
    }
    for (const wrong of ['', 'zz', '0', hash.slice(2), `${hash}00`]) {
      assert.equal(verifyHash(key, wrong, signature), false, `hash ${wrong}`)
    }
  }))

test('a text has only one signature: adding the group order does not give a second one', () =>
  repeat(5, (random) => {
    const privateKey = random.hex(64)
    const key = publicKeyOf(privateKey)
    const signature = signText(privateKey, 'some words')
    const scalar = Buffer.from(hexToBytes(signature.slice(64))).reverse()
    const larger = BigInt(`0x${scalar.toString('hex')}`) + ed25519.Point.Fn.ORDER
    const bytes = hexToBytes(larger.toString(16).padStart(64, '0')).reverse()
    assert.ok(verifyText(key, 'some words', signature))
    assert.equal(verifyText(key, 'some words', signature.slice(0, 64) + bytesToHex(bytes)), false)
  }))

test('ownership of an address whose key is a point of small order, such as the burn address, cannot be proved', () => {
  // With such a key, the neutral point and the scalar zero are a valid signature for at least every eighth text.
  const neutral = `01${'0'.repeat(62)}`
  const smallOrders = [
    '0'.repeat(64),
    `${'0'.repeat(62)}80`,
    neutral,
    `EC${'F'.repeat(60)}7F`,
    `ED${'F'.repeat(60)}FF`,
    `EE${'F'.repeat(60)}7F`,
    'C7176A703D4DD84FBA3C0B760D10670F2A2053FA2C39CCC64EC7FD7792AC037A',
    '26E8958FC2B227B045C3F489F2EF98F0D5DFAC05D3C63339B13802886D53FC85',
  ]
  for (const key of smallOrders) {
    for (let round = 0; round < 32; round++) {
      assert.equal(verifyText(key, `words ${round}`, neutral + '0'.repeat(64)), false, key)
    }
  }
})

/** Expands a private key as the standard requires before signing. */
function expand(privateKey: string): ScalarKey {
  const bytes = blake2b(hexToBytes(privateKey), { dkLen: 64 })
  bytes[0]! &= 248
  bytes[31]! &= 127
  bytes[31]! |= 64
  return { scalar: bytesToHex(bytes.subarray(0, 32)), prefix: bytesToHex(bytes.subarray(32)) }
}

const toLittleEndian = (scalar: bigint) => bytesToHex(hexToBytes(scalar.toString(16).padStart(64, '0')).reverse())

test('an expanded private key has the same public key and signs with the same bytes', () =>
  repeat(20, (random) => {
    const { privateKey, key, hash, signature } = randomSigned(random)
    const expanded = expand(privateKey)
    assert.equal(publicKeyOfScalar(expanded.scalar), key)
    assert.equal(signHashWithScalar(expanded, hash), signature)
  }))

test('what any scalar signs verifies with its public key, always the same, with a nonce of its prefix and hash', () =>
  repeat(20, (random) => {
    const signer = { scalar: random.hex(64), prefix: random.hex(64) }
    const hash = random.hex(64)
    const signature = signHashWithScalar(signer, hash)
    assert.ok(verifyHash(publicKeyOfScalar(signer.scalar), hash, signature))
    assert.equal(signHashWithScalar(signer, hash.toLowerCase()), signature)
    assert.match(signature, /^[0-9A-F]{128}$/)
    // No two hashes may have the same nonce.
    const nonceOf = (signer: ScalarKey, hash: string) => signHashWithScalar(signer, hash).slice(0, 64)
    assert.notEqual(nonceOf(signer, random.hex(64)), signature.slice(0, 64))
    assert.notEqual(nonceOf({ ...signer, prefix: random.hex(64) }, hash), signature.slice(0, 64))
  }))

test('a scalar above the order of the group is the same key', () =>
  repeat(5, (random) => {
    const scalar = random.bigint(250) + 1n
    const prefix = random.hex(64)
    const hash = random.hex(64)
    const larger = toLittleEndian(scalar + ed25519.Point.Fn.ORDER)
    assert.equal(publicKeyOfScalar(larger), publicKeyOfScalar(toLittleEndian(scalar)))
    assert.equal(
      signHashWithScalar({ scalar: larger, prefix }, hash),
      signHashWithScalar({ scalar: toLittleEndian(scalar), prefix }, hash),
    )
  }))

test('a scalar of zero and halves of a wrong length are refused, and no error repeats them', () =>
  repeat(5, (random) => {
    const secret = random.hex(64)
    const hash = random.hex(64)
    const refuses = (run: () => unknown) =>
      assert.throws(run, (error: Error) => !error.message.toUpperCase().includes(secret.slice(0, 16)))
    for (const zero of ['0'.repeat(64), toLittleEndian(ed25519.Point.Fn.ORDER)]) {
      refuses(() => publicKeyOfScalar(zero))
      refuses(() => signHashWithScalar({ scalar: zero, prefix: secret }, hash))
    }
    for (const wrong of ['', secret.slice(2), `${secret}00`, `${secret.slice(1)}g`]) {
      refuses(() => publicKeyOfScalar(wrong))
      refuses(() => signHashWithScalar({ scalar: wrong, prefix: secret }, hash))
      refuses(() => signHashWithScalar({ scalar: secret, prefix: wrong }, hash))
    }
  }))
