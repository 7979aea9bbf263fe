import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JobMemory } from './job-memory.ts'

const ROOT = [1n, 2n, 3n, 4n]

test('a thread reads the job with its own start', () => {
  const memory = new JobMemory(2)
  const generation = memory.begin(ROOT, 5n, [6n, 7n])
  const thread = new JobMemory(2, memory.buffer)
  assert.deepEqual(thread.waitForJob(1), { generation, root: ROOT, threshold: 5n, start: 7n })
})

// With an easy threshold all threads find a nonce at once, and the search may be stopped at the same moment.
test('a job ends once, and a thread that is late cannot end the next one', () => {
  const memory = new JobMemory(2)
  const generation = memory.begin(ROOT, 0n, [0n, 0n])
  assert.ok(memory.isRunning(generation))
  assert.deepEqual([memory.end(generation), memory.end(generation)], [true, false])
  assert.ok(!memory.isRunning(generation))
  const next = memory.begin(ROOT, 0n, [0n, 0n])
  assert.equal(memory.end(generation), false)
  assert.ok(memory.isRunning(next))
})

test('counts the hashes of all threads', () => {
  const memory = new JobMemory(2)
  memory.count(0, 10)
  memory.count(1, 5)
  memory.count(1, 1)
  assert.equal(memory.hashes, 16)
})
