import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromMultiplier, workValue } from '../kernel/nano/work.ts'
import { searchWork } from './search-work.ts'

/* Work for a payer without a gateway that provides it. */

const ROOT = '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419'
/** A difficulty that one try in so many reaches, on average. */
const oneIn = (tries: number) => fromMultiplier(tries, 0n)

test('work is found at low and at high thresholds, with a different result each time', async () => {
  for (const tries of [1_000, 300_000]) {
    const threshold = oneIn(tries)
    assert.ok(workValue(ROOT, await searchWork(ROOT, threshold)) >= threshold)
  }
  const [one, other] = [await searchWork(ROOT, oneIn(100_000)), await searchWork(ROOT, oneIn(100_000))]
  assert.notEqual(one, other, 'nobody who searches beside us tries the same')
})

test('who searches leaves others their turn', async () => {
  let turns = 0
  const others = setInterval(() => turns++, 1)
  // One search may be lucky and end at once, but not all six.
  for (let searches = 0; searches < 6; searches++) await searchWork(ROOT, oneIn(300_000))
  clearInterval(others)
  assert.ok(turns > 0)
})
