import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../../test/support/clock.ts'
import { CatchUp } from './ledger-feed.ts'

const START = 1_000_000

function open() {
  const clock = new TestClock(START)
  const seen = { asked: [] as string[], failures: 0, isAway: false }
  const catchUp = new CatchUp({
    clock,
    hasten: async (at, after) => {
      seen.asked.push(`${at - START} ${after}`)
      await Promise.resolve()
      if (seen.isAway) throw new Error('no store')
      return after === '' ? 'b' : undefined
    },
    failed: () => seen.failures++,
  })
  return { clock, seen, catchUp }
}

test('during an outage of the store every silence of the node started its own attempts: now one series serves all, ever slower, and resumes from the first page', async () => {
  const { clock, seen, catchUp } = open()
  seen.isAway = true
  for (let gap = 0; gap < 5; gap++) await catchUp.afterGap()
  assert.equal(seen.failures, 1)
  const pauses = [1_000, 2_000, 4_000, 8_000, 8_000]
  for (const [at, pause] of pauses.entries()) {
    clock.advance(pause - 1)
    await catchUp.idle()
    assert.equal(seen.failures, at + 1)
    clock.advance(1)
    await catchUp.idle()
    assert.equal(seen.failures, at + 2)
  }
  seen.isAway = false
  seen.asked.length = 0
  clock.advance(8_000)
  await catchUp.idle()
  assert.deepEqual(seen.asked, ['31000 ', '31000 b'])
  clock.advance(100_000)
  await catchUp.idle()
  assert.equal(seen.asked.length, 2)
})

test('a silence that ends while an earlier one is caught up with is caught up with as well, from its own moment on', async () => {
  const { clock, seen, catchUp } = open()
  const first = catchUp.afterGap()
  clock.advance(10)
  await Promise.all([first, catchUp.afterGap()])
  assert.deepEqual(seen.asked, ['0 ', '0 b', '10 ', '10 b'])
})

test('stopping waits for the attempt in progress, and none follows it', async () => {
  const { clock, seen, catchUp } = open()
  seen.isAway = true
  void catchUp.afterGap()
  await catchUp.stop()
  assert.equal(seen.failures, 1)
  clock.advance(100_000)
  await catchUp.afterGap()
  assert.equal(seen.asked.length, 1)
})
