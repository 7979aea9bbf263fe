import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Latencies } from './upstream.ts'

test('nothing is said before there are 16 samples', () => {
  const latencies = new Latencies()
  for (let sample = 0; sample < 15; sample++) latencies.add(5)
  assert.equal(latencies.p95, undefined)
  latencies.add(5)
  assert.equal(latencies.p95, 5)
})

test('one in twenty is slower than the 95th percentile, whatever the order; only the latest 128 samples count', () => {
  const latencies = new Latencies()
  // Steps of an odd size reach every number from 0 to 127 once, in a mixed order.
  for (let sample = 0; sample < 128; sample++) latencies.add((sample * 37) % 128)
  assert.equal(latencies.p95, 121)
  for (let sample = 0; sample < 1_000; sample++) latencies.add(10_000)
  for (let sample = 0; sample < 136; sample++) latencies.add(1)
  assert.equal(latencies.p95, 1)
})
