import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeat } from '../../../test/support/random.ts'
import { WriteEpochs } from './write-epochs.ts'

const KEYS = Array.from({ length: 12 }, (_, at) => `key-${at}`)

// If a stamp returned to an earlier value, a read could join one from before a write and get a stale frontier.
test('a stamp never returns to an earlier value once one of its keys was written', async () => {
  await repeat(300, (random) => {
    const epochs = new WriteEpochs()
    const lists = Array.from({ length: 6 }, () => KEYS.filter(() => random.below(3) === 0))
    const seen = lists.map((keys) => new Set([epochs.stamp(keys)]))
    for (let step = 0; step < 40; step++) {
      const before = lists.map((keys) => epochs.stamp(keys))
      const everything = random.below(8) === 0
      const written = KEYS.filter(() => random.below(4) === 0)
      if (everything) epochs.bumpAll()
      else epochs.bump(written)
      for (const [at, keys] of lists.entries()) {
        const stamp = epochs.stamp(keys)
        const isTouched = everything || keys.some((key) => written.includes(key))
        if (isTouched) assert.ok(!seen[at]!.has(stamp), `${keys.join()} has stamp ${stamp} again`)
        else assert.equal(stamp, before[at], 'others are left in peace')
        seen[at]!.add(stamp)
      }
    }
  })
})

test('a stamp over the longest list a request may have never returns either', () => {
  const epochs = new WriteEpochs()
  const keys = Array.from({ length: 2_000 }, (_, at) => `key-${at}`)
  const seen = new Set<number>()
  for (let round = 0; round < 50; round++) {
    epochs.bump(keys)
    seen.add(epochs.stamp(keys))
    epochs.bumpAll()
    seen.add(epochs.stamp(keys))
    epochs.bump(keys.slice(0, 1))
    seen.add(epochs.stamp(keys))
  }
  assert.equal(seen.size, 150)
})

test('evicting keys when the memory is full counts as writing them', () => {
  const epochs = new WriteEpochs()
  const stamps = new Set([epochs.stamp(['mine']), epochs.stamp(['unwritten'])])
  epochs.bump(['mine'])
  stamps.add(epochs.stamp(['mine']))
  for (let key = 0; key < 250_000; key++) epochs.stamp([`other-${key}`])
  assert.ok(!stamps.has(epochs.stamp(['mine'])))
  assert.ok(!stamps.has(epochs.stamp(['unwritten'])))
  assert.ok(Number.isSafeInteger(epochs.stamp(['mine'])))
})

test('a busy network emptied the cache: blocks of accounts that nobody has read invalidate nothing', () => {
  const epochs = new WriteEpochs()
  const before = epochs.stamp(['mine'])
  for (let key = 0; key < 250_000; key++) epochs.bump([`other-${key}`])
  assert.equal(epochs.stamp(['mine']), before)
})
