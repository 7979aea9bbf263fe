import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../../test/support/clock.ts'
import { until } from '../../../test/support/until.ts'
import { AppError } from '../../kernel/errors.ts'
import { Leaving } from '../../kernel/leaving.ts'
import { VanityTurns } from './find.ts'

function openTurns() {
  const clock = new TestClock()
  const turns = new VanityTurns(clock)
  const begun: string[] = []
  const ask = (name: string, leaving = new Leaving()) => {
    const search = Promise.withResolvers<string>()
    const answered = turns.take({ payer: name[0]!, waitMilliseconds: 30_000, leaving }, () => {
      begun.push(name)
      return search.promise
    })
    return { answered, end: () => search.resolve(name) }
  }
  return { clock, begun, ask }
}

test('an account has one search at a time, so it does not delay those of others', async () => {
  const { begun, ask } = openTurns()
  const [first, second] = [ask('a1'), ask('a2')]
  const other = ask('b1')
  const third = ask('c1')
  await until(() => begun.length > 1)
  assert.deepEqual(begun, ['a1', 'b1'])
  other.end()
  assert.equal(await other.answered, 'b1')
  third.end()
  assert.equal(await third.answered, 'c1')
  first.end()
  assert.equal(await first.answered, 'a1')
  second.end()
  assert.equal(await second.answered, 'a2')
  assert.deepEqual(begun, ['a1', 'b1', 'c1', 'a2'])
})

test('a caller that waits too long is asked to retry, and one that disconnects frees its slot', async () => {
  const { clock, begun, ask } = openTurns()
  const running = [ask('a1'), ask('b1')]
  const leaving = new Leaving()
  const left = ask('c1', leaving)
  const late = ask('d1')
  leaving.leave()
  assert.equal(await left.answered, undefined)
  clock.advance(30_000)
  await assert.rejects(late.answered, (error: AppError) => error.code === 'overloaded')
  const next = ask('e1')
  running[0]!.end()
  await running[0]!.answered
  next.end()
  assert.equal(await next.answered, 'e1')
  assert.deepEqual(begun, ['a1', 'b1', 'e1'])
})
