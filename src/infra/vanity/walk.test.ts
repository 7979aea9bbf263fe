import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ed25519 } from '@noble/curves/ed25519.js'
import { repeat } from '../../../test/support/random.ts'
import { toAddress } from '../../kernel/nano/address.ts'
import { bytesToHex } from '../../kernel/nano/hex.ts'
import { VanityWalk, toPattern, toStart } from './walk.ts'

const { BASE, Fn } = ed25519.Point
const REACH = 256n
const AROUND = 2n * REACH + 1n

const addressOf = (scalar: bigint) => toAddress(bytesToHex(BASE.multiply(scalar).toBytes()))

/** All 32 bits of a pattern, so that no other key matches by chance. */
const patternOf = (scalar: bigint) => ({
  mask: -1,
  wanted: Buffer.from(BASE.multiply(scalar).toBytes()).readInt32LE(),
})

/** The first match within this number of centres. */
function findWithin(walk: VanityWalk, centres: number): bigint | undefined {
  for (let centre = 0; centre < centres; centre++) {
    const scalar = walk.next()
    if (scalar !== undefined) return scalar
  }
  return undefined
}

test('every key around a centre is looked at: the first, the last, the centre and any other', () =>
  repeat(3, (random) => {
    const start = toStart(random.bytes(64))
    const steps = [-REACH, -REACH + 1n, -1n, 0n, 1n, REACH - 1n, REACH, BigInt(random.below(513)) - REACH]
    for (const step of steps) {
      const scalar = start + 8n * step
      assert.equal(new VanityWalk(start, patternOf(scalar)).next(), scalar, `${step}`)
    }
  }))

test('centres follow one another without a gap, and what was found does not end a walk', () =>
  repeat(3, (random) => {
    const start = toStart(random.bytes(64))
    for (const step of [REACH + 1n, AROUND, AROUND + REACH, AROUND + REACH + 1n, 3n * AROUND]) {
      const scalar = start + 8n * step
      assert.equal(findWithin(new VanityWalk(start, patternOf(scalar)), 4), scalar, `${step}`)
    }
    const walk = new VanityWalk(start, toPattern('1'))
    const found = [walk.next()!, walk.next()!, walk.next()!]
    assert.equal(new Set(found).size, 3)
    for (const scalar of found) assert.ok(addressOf(scalar).startsWith('nano_1'))
  }))

test('keys that do not fit are passed over', () =>
  repeat(3, (random) => {
    const start = toStart(random.bytes(64))
    const step = BASE.multiply(8n)
    let point = BASE.multiply(start - 8n * REACH)
    const seen = new Set<string>()
    for (let at = 0n; at < AROUND; at++) {
      seen.add(toAddress(bytesToHex(point.toBytes())).slice('nano_'.length, 'nano_'.length + 3))
      point = point.add(step)
    }
    for (let round = 0; round < 10; round++) {
      const prefix = random.pick('13') + random.pick('13456789abcdefgh') + random.pick('ijkmnopqrstuwxyz')
      const scalar = new VanityWalk(start, toPattern(prefix)).next()
      assert.equal(scalar !== undefined, seen.has(prefix), prefix)
    }
  }))

// If the walk passed the order of the group, its scalars would no longer be multiples of eight.
test('a start is a multiple of eight and not near either end of the range', () =>
  repeat(50, (random) => {
    for (const bytes of [random.bytes(64), new Uint8Array(64), new Uint8Array(64).fill(255)]) {
      const start = toStart(bytes)
      assert.equal(start % 8n, 0n)
      assert.ok(start > 2n ** 64n && start < Fn.ORDER - 2n ** 64n)
    }
  }))
