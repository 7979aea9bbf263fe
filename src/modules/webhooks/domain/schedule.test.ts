import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRetryAfter, waitAfter } from './deliver.ts'

const plain = (chance: number) => ({ chance, retryAfter: undefined })

test('the plan of the contract, a fifth more or less by chance, and an end after eleven attempts', () => {
  const seconds = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400]
  for (const [at, planned] of seconds.entries()) {
    const waits = [0, 0.5, 1].map((chance) => waitAfter(at + 1, plain(chance)))
    assert.deepEqual(waits, [planned * 800, planned * 1_000, planned * 1_200])
  }
  assert.equal(waitAfter(11, plain(0.5)), undefined)
})

test('a receiver may ask for more time, between once and twice the plan', () => {
  const asked = (retryAfter: number) => waitAfter(2, { chance: 0, retryAfter })
  assert.deepEqual([0, 29_999, 45_000, 60_000, 10 ** 12].map(asked), [30_000, 30_000, 45_000, 60_000, 60_000])
  assert.equal(waitAfter(11, { chance: 0, retryAfter: 1 }), undefined)
})

test('Retry-After is seconds or a date; anything else is nothing', () => {
  const now = Date.UTC(2026, 0, 1)
  assert.equal(readRetryAfter('120', now), 120_000)
  assert.equal(readRetryAfter('Thu, 01 Jan 2026 00:01:00 GMT', now), 60_000)
  assert.equal(readRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now), 0)
  for (const header of [undefined, '', 'soon', '-1x', '9'.repeat(30)]) {
    assert.equal(readRetryAfter(header, now), undefined, header)
  }
})
