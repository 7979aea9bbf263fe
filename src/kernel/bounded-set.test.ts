import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedSet } from './bounded-set.ts'

test('of texts without end at least the latest half is remembered, and never more than the bound', () => {
  const [set, bound] = [new BoundedSet(10), 10]
  const listKnown = (last: number) => Array.from({ length: last + 1 }, (_, at) => at).filter((at) => set.has(`${at}`))
  for (let at = 0; at < 100; at++) {
    set.add(`${at}`)
    set.add(`${at}`)
    const known = listKnown(at)
    assert.ok(known.length <= bound && known.length >= Math.min(at + 1, bound / 2), `${known.length} after ${at}`)
    assert.deepEqual(
      known,
      known.map((_, index) => at - known.length + 1 + index),
    )
  }
})
