import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eddsa } from '@noble/curves/abstract/edwards.js'
import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToNumberLE, concatBytes, numberToBytesLE } from '@noble/curves/utils.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { type SeededRandom, repeat } from '../../test/support/random.ts'
import { isThorough } from '../../test/support/thorough.ts'
import { type Curve, Signatures, nobleCurve } from '../kernel/nano/signatures.ts'
import { bytesToHex, hexToBytes } from '../kernel/nano/hex.ts'
import { loadSodiumCurve } from './sodium-curve.ts'

/*
 * Gateways with and without the native library must accept the same signatures as a node; otherwise one gateway would
 * settle a payment that another refuses. So: R is compared as written, there is no cofactor, and every point is a key.
 */

const { BASE, Fn } = ed25519.Point
const ORDER = Fn.ORDER
const PRIME = ed25519.Point.Fp.ORDER
const NEUTRAL = numberToBytesLE(1n, 32)

/** Undefined if the optional package is not installed. */
function sodiumIfThere(): Curve | undefined {
  try {
    return loadSodiumCurve()
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('Cannot find')) return undefined
    throw error
  }
}
const sodium = sodiumIfThere()
const both = [nobleCurve, ...(sodium ? [sodium] : [])].map((curve) => ({
  name: curve.name,
  curve,
  signatures: new Signatures(curve),
}))

function needsSodium(t: TestContext): Curve | undefined {
  if (!sodium) t.skip('sodium-native is not installed')
  return sodium
}

/** The same scheme composed from the library's parts, which shares no code with ours. */
const blake2b512 = Object.assign((message: Uint8Array) => blake2b(message, { dkLen: 64 }), {
  outputLen: 64,
  blockLen: 128,
  create: () => blake2b.create({ dkLen: 64 }),
})
const reference = eddsa(ed25519.Point, blake2b512, {
  adjustScalarBytes(bytes: Uint8Array) {
    bytes[0]! &= 248
    bytes[31]! &= 127
    bytes[31]! |= 64
    return bytes
  },
})

function verdict(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const [first, ...others] = both.map(({ signatures }) => signatures.verify(key, message, signature))
  for (const other of others) assert.equal(other, first, `key ${bytesToHex(key)} ${bytesToHex(signature)}`)
  return first!
}

const challengeOf = (commitment: Uint8Array, key: Uint8Array, message: Uint8Array) =>
  bytesToNumberLE(blake2b512(concatBytes(commitment, key, message))) % ORDER

/** The eight points whose order divides eight. */
const torsion = (() => {
  const point = ed25519.Point.fromBytes(
    hexToBytes('26E8958FC2B227B045C3F489F2EF98F0D5DFAC05D3C63339B13802886D53FC05'),
    true,
  )
  const points = [ed25519.Point.ZERO]
  while (points.length < 8) points.push(points.at(-1)!.add(point))
  return points
})()

test('a key signs the same bytes natively, in JavaScript and with another composition, and all of them verify', () =>
  repeat(isThorough ? 600 : 30, (random) => {
    const privateKey = random.bytes(32)
    const message = random.bytes(random.pick([32, 32, 1, 33, 200]))
    const key = reference.getPublicKey(privateKey)
    const signature = reference.sign(message, privateKey)
    for (const { name, signatures } of both) {
      assert.deepEqual(signatures.publicKey(privateKey), key, name)
      assert.deepEqual(signatures.sign(privateKey, message), signature, name)
    }
    assert.ok(verdict(key, message, signature))
    for (const part of [signature, message, key]) {
      const bit = random.below(part.length * 8)
      part[bit >> 3]! ^= 1 << (bit & 7)
      assert.ok(!verdict(key, message, signature))
      part[bit >> 3]! ^= 1 << (bit & 7)
    }
  }))

test('native code and JavaScript agree on keys, scalars and hashes that are nothing but noise', (t) => {
  const native = needsSodium(t)
  if (!native) return undefined
  return repeat(isThorough ? 4_000 : 60, (random) => {
    const key = oddKey(random)
    const signature = concatBytes(oddKey(random), oddScalar(random))
    verdict(key, random.bytes(32), signature)
    const wide = random.bytes(64)
    const length = random.pick([32, 64])
    const [ours, theirs] = [nobleCurve, native].map((curve) => {
      const out = { reduced: new Uint8Array(32), hashed: new Uint8Array(length) }
      curve.reduce(out.reduced, wide)
      curve.hash(out.hashed, [wide, key])
      return out
    })
    assert.deepEqual(theirs, ours)
  })
})

/** Random bytes, coordinates near the limits of the field, points of small order, with either sign. */
function oddKey(random: SeededRandom): Uint8Array {
  const kind = random.below(4)
  const bytes =
    kind === 0
      ? random.bytes(32)
      : kind === 1
        ? numberToBytesLE(PRIME - 2n + random.bigint(4), 32)
        : kind === 2
          ? numberToBytesLE(random.bigint(5), 32)
          : random.pick(torsion).toBytes()
  if (random.below(3) === 0) bytes[31]! ^= 128
  return bytes
}

function oddScalar(random: SeededRandom): Uint8Array {
  const edges = [0n, 1n, ORDER - 1n, ORDER, ORDER + 1n, 2n ** 252n, 2n ** 253n - 1n, 2n ** 253n, 2n ** 256n - 1n]
  return random.below(2) === 0 ? random.bytes(32) : numberToBytesLE(random.pick(edges), 32)
}

test('a signature that was increased by the group order on its way is accepted, as by the node', () =>
  repeat(10, (random) => {
    const privateKey = random.bytes(32)
    const message = random.bytes(32)
    const key = reference.getPublicKey(privateKey)
    const signature = reference.sign(message, privateKey)
    const commitment = signature.subarray(0, 32)
    const scalar = bytesToNumberLE(signature.subarray(32))
    for (const times of [0n, 1n, 2n, 3n]) {
      const larger = scalar + times * ORDER
      const wanted = larger < 2n ** 253n
      assert.equal(verdict(key, message, concatBytes(commitment, numberToBytesLE(larger, 32))), wanted, `${times}`)
    }
    for (const { signatures } of both) {
      assert.ok(signatures.isReduced(signature))
      assert.ok(!signatures.isReduced(concatBytes(commitment, numberToBytesLE(scalar + ORDER, 32))))
    }
  }))

test('a key of small or mixed order is judged without the cofactor, as the node does', () =>
  repeat(isThorough ? 40 : 4, (random) => {
    const scalar = (bytesToNumberLE(random.bytes(32)) % (ORDER - 1n)) + 1n
    for (const [index, small] of torsion.entries()) {
      for (const secret of [0n, scalar]) {
        const key = BASE.multiplyUnsafe(secret).add(small).toBytes()
        const nonce = (bytesToNumberLE(random.bytes(32)) % (ORDER - 1n)) + 1n
        const commitment = BASE.multiply(nonce).toBytes()
        const message = random.bytes(32)
        const challenge = challengeOf(commitment, key, message)
        const signature = concatBytes(commitment, numberToBytesLE(Fn.create(nonce + challenge * secret), 32))
        // The torsion part must vanish: its order divides the challenge, or there is none.
        const wanted = (challenge * BigInt(index)) % 8n === 0n
        assert.equal(verdict(key, message, signature), wanted, `${index} of ${secret}`)
      }
    }
  }))

test('a key may be written with a height above the prime or a sign of zero, R may not', () => {
  const message = new Uint8Array(32).fill(1)
  const zero = new Uint8Array(32)
  const signed = NEUTRAL.slice()
  signed[31]! |= 128
  const writings = { plain: NEUTRAL, above: numberToBytesLE(PRIME + 1n, 32), signed }
  for (const key of Object.values(writings)) {
    assert.ok(verdict(key, message, concatBytes(writings.plain, zero)))
    assert.ok(!verdict(key, message, concatBytes(writings.above, zero)))
    assert.ok(!verdict(key, message, concatBytes(writings.signed, zero)))
  }
  const offTheCurve = numberToBytesLE(2n, 32)
  assert.ok(!verdict(offTheCurve, message, concatBytes(NEUTRAL, zero)))
})

test('nothing of a key is left in the memory in which it signed', () => {
  for (const { curve } of both) {
    let memory: Uint8Array = new Uint8Array(0)
    const watched = { ...curve, secretMemory: (length: number) => (memory = curve.secretMemory(length)) }
    const signatures = new Signatures(watched)
    const key = new Uint8Array(32).fill(3)
    const isWiped = () => memory.length > 0 && memory.every((byte) => byte === 0)
    signatures.sign(key, key)
    assert.ok(isWiped(), curve.name)
    signatures.signWithScalar(key, key, key)
    assert.ok(isWiped(), curve.name)
    signatures.publicKey(key)
    assert.ok(isWiped(), curve.name)
    assert.throws(() => signatures.publicKeyOfScalar(numberToBytesLE(ORDER, 32)))
    assert.throws(() => signatures.signWithScalar(key, key.subarray(1), key))
    assert.ok(isWiped(), curve.name)
  }
})
