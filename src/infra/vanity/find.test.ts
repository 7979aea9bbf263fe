import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../../test/support/clock.ts'
import { repeat, testRandom, type SeededRandom } from '../../../test/support/random.ts'
import { fromAddress, toAddress } from '../../kernel/nano/address.ts'
import { publicKeyOfScalar, signHashWithScalar, verifyHash } from '../../kernel/nano/keys.ts'
import { type VanityRequest, findVanity } from './find.ts'

const LETTERS = '13456789abcdefghijkmnopqrstuwxyz'

/** Time does not advance unless the test advances it, so a slow machine finds the same. */
const request = (random: SeededRandom, prefix: string): VanityRequest => ({
  prefix,
  timeLimitMilliseconds: 30_000,
  random,
  clock: new TestClock(),
})

const prefixOf = (random: SeededRandom, length: number) =>
  random.pick('13') + Array.from({ length: length - 1 }, () => random.pick(LETTERS)).join('')

test('the address begins as wished, and what the scalar signs verifies for it', () =>
  repeat(2, async (random) => {
    for (const length of [1, 2, 3]) {
      const prefix = prefixOf(random, length)
      const key = await findVanity(request(random, prefix))
      assert.ok(key)
      const address = toAddress(key.publicKey)
      assert.ok(address.startsWith(`nano_${prefix}`), `${prefix} ${address}`)
      assert.equal(fromAddress(address), key.publicKey)
      assert.equal(publicKeyOfScalar(key.scalar), key.publicKey)
      const hash = random.hex(64)
      assert.ok(verifyHash(key.publicKey, hash, signHashWithScalar(key, hash)))
    }
  }))

test('a scalar is a multiple of eight and both halves are secrets of their own', () =>
  repeat(1, async (random) => {
    const prefix = prefixOf(random, 2)
    const keys = [await findVanity(request(random, prefix)), await findVanity(request(random, prefix))]
    for (const key of keys) {
      assert.match(key!.scalar, /^[0-9A-F]{64}$/)
      assert.match(key!.prefix, /^[0-9A-F]{64}$/)
      assert.equal(parseInt(key!.scalar.slice(0, 2), 16) % 8, 0)
    }
    assert.equal(new Set(keys.flatMap((key) => [key!.scalar, key!.prefix, key!.publicKey])).size, 6)
  }))

test('several threads look from several starts and one of them is enough', () =>
  repeat(1, async (random) => {
    const prefix = prefixOf(random, 3)
    const key = await findVanity({ ...request(random, prefix), threads: 2 })
    assert.ok(toAddress(key!.publicKey).startsWith(`nano_${prefix}`))
  }))

// On no machine can a thread find five characters before it has started.
test('when time runs out there is no key (contract 4.2, rule 4; 7, Texts and codes: vanity search out of time; 8, Other areas: vanity)', () =>
  repeat(1, async (random) => {
    const clock = new TestClock()
    const searching = findVanity({ ...request(random, prefixOf(random, 5)), clock })
    clock.advance(30_000)
    assert.equal(await searching, undefined)
    const prefix = prefixOf(random, 5)
    assert.equal(await findVanity({ prefix, timeLimitMilliseconds: 0, random: testRandom }), undefined)
  }))

test('when no caller waits any more, the threads end without a key', () =>
  repeat(1, async (random) => {
    const controller = new AbortController()
    const searching = findVanity({ ...request(random, prefixOf(random, 5)), threads: 2, signal: controller.signal })
    controller.abort()
    assert.equal(await searching, undefined)
    const late = findVanity({ ...request(random, '1'), signal: controller.signal })
    assert.equal(await late, undefined)
  }))

test('prefixes that no address has are refused before anything is started', () =>
  repeat(1, async (random) => {
    for (const prefix of ['', '2', 'nano_1', '1abcde', '3NANO', '1l']) {
      await assert.rejects(findVanity(request(random, prefix)), RangeError)
    }
  }))
