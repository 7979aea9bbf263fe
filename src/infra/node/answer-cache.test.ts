import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { repeat } from '../../../test/support/random.ts'
import { AnswerCache } from './answer-cache.ts'

const MEBIBYTE = 1024 * 1024
const LASTING = { stamp: 1, expiresAt: Infinity }

test('an answer is found under its own key until it expires', () => {
  const cache = new AnswerCache(MEBIBYTE)
  cache.put('a', { text: '{"balance":"1"}', stamp: 1, expiresAt: 100 })
  assert.equal(cache.find('a', 1, 99)?.text, '{"balance":"1"}')
  assert.equal(cache.find('b', 1, 99), undefined)
  assert.equal(cache.find('a', 1, 100), undefined)
  assert.equal(cache.bytes, 0, 'what expired takes no room')
})

test('an answer from before a write is not found, unless nothing can change it', () => {
  const cache = new AnswerCache(MEBIBYTE)
  cache.put('a', { text: '1', ...LASTING })
  assert.equal(cache.find('a', 2, 0), undefined)
  assert.equal(cache.find('a', 1, 0), undefined, 'nor does it come back')
  cache.put('b', { text: '2', stamp: undefined, expiresAt: Infinity })
  assert.equal(cache.find('b', 7, Number.MAX_SAFE_INTEGER)?.text, '2')
})

test('the least recently used answer is removed first', () => {
  const cache = new AnswerCache(2_800)
  const answer = { text: 'x'.repeat(100), ...LASTING }
  for (const key of 'abcdefgh') cache.put(key, answer)
  assert.ok(cache.bytes > 8 * 100 && cache.bytes <= 2_800, 'eight fit')
  cache.find('a', 1, 0)
  cache.put('i', answer)
  const kept = [...'abcdefghi'].filter((key) => cache.find(key, 1, 0) !== undefined)
  assert.equal(kept.join(''), 'acdefghi')
})

test('one answer never takes more than an eighth', () => {
  const cache = new AnswerCache(8_000)
  cache.put('small', { text: 'x', ...LASTING })
  cache.put('large', { text: 'x'.repeat(1_000), ...LASTING })
  assert.equal(cache.find('large', 1, 0), undefined)
  assert.ok(cache.find('small', 1, 0))
})

test('bytes are counted exactly: never above the bound, and nothing left when all is gone', async () => {
  await repeat(50, (random) => {
    const cache = new AnswerCache(20_000)
    const keys = Array.from({ length: 40 }, (_, at) => `key-${at}`)
    for (let step = 0; step < 200; step++) {
      const key = random.pick(keys)
      if (random.below(3) === 0) cache.find(key, random.below(2), random.below(10))
      else {
        const text = random.pick(['x', '\u{1f600}']).repeat(random.below(1_500))
        cache.put(key, { text, stamp: random.below(2), expiresAt: random.below(10) })
      }
      assert.ok(cache.bytes >= 0 && cache.bytes <= 20_000)
    }
    for (const key of keys) cache.find(key, 9, 99)
    assert.equal(cache.bytes, 0)
  })
})

// Another proxy meant 16 MB and got 16 KB, so the limit is compared with the memory that the process really uses.
test('the computed size is the real size of the answers, within a factor of two', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const bytesMax = 16 * MEBIBYTE
  const block = {
    block_account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
    amount: '1000000000000000000000000000000000',
    balance: '340281366920938463463374607431768211455',
    height: '4',
    confirmed: 'true',
    contents: { type: 'state', signature: 'A'.repeat(128), link: 'B'.repeat(64), previous: 'C'.repeat(64) },
    subtype: 'send',
  }
  collect()
  const before = process.memoryUsage().heapUsed
  const cache = new AnswerCache(bytesMax)
  for (let at = 0; at < 40_000; at++) {
    const hash = at.toString(16).padStart(64, '0')
    const key = JSON.stringify({ action: 'block_info', hash, json_block: 'true' })
    cache.put(key, { text: JSON.stringify({ ...block, height: `${at}` }), ...LASTING })
  }
  collect()
  const taken = process.memoryUsage().heapUsed - before
  assert.ok(cache.bytes > bytesMax * 0.99, 'it is full')
  assert.ok(taken < bytesMax * 1.1 && taken > bytesMax / 4, `${taken} bytes for ${bytesMax}`)
})

test('expired answers free their memory at once, not only when the cache is full', () => {
  const cache = new AnswerCache(100_000)
  for (let at = 0; at < 20; at++) cache.put(`old ${at}`, { text: '1', stamp: 1, expiresAt: 100 }, 50)
  const full = cache.bytes
  cache.put('new', { text: '1', stamp: 1, expiresAt: 300 }, 200)
  assert.ok(cache.bytes < full / 10)
  assert.notEqual(cache.find('new', 1, 200), undefined)
})
