import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Gathered } from './gathered.ts'

test('requests at the same time, or during a batch, become one batch, and each gets its own answer', async () => {
  const batches: number[][] = []
  const first = Promise.withResolvers<void>()
  const doubles = new Gathered<number, number>(async (inputs) => {
    batches.push(inputs)
    if (batches.length === 1) await first.promise
    return inputs.map((input) => input * 2)
  }, 3)
  const early = [doubles.ask(1), doubles.ask(2)]
  await new Promise((resolve) => setImmediate(resolve))
  const late = [3, 4, 5, 6].map((input) => doubles.ask(input))
  first.resolve()
  assert.deepEqual(await Promise.all([...early, ...late]), [2, 4, 6, 8, 10, 12])
  assert.deepEqual(batches, [[1, 2], [3, 4, 5], [6]])
})

test('one that cannot be done fails alone, and those beside it are done', async () => {
  const halves = new Gathered<number, number>((inputs) => {
    if (inputs.includes(3)) return Promise.reject(new Error('odd'))
    return Promise.resolve(inputs.map((input) => input / 2))
  }, 10)
  const results = await Promise.allSettled([2, 3, 4].map((input) => halves.ask(input)))
  const answers = results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed'))
  assert.deepEqual(answers, [1, 'failed', 2])
  assert.equal(await halves.ask(8), 4)
})
