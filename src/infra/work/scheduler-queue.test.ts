import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../../test/support/clock.ts'
import { newHash } from '../../../test/support/random.ts'
import { openScheduler, refusedWith } from '../../../test/support/scheduler.ts'
import { ScriptedEngine, turn } from '../../../test/support/scripted-engine.ts'
import { AppError } from '../../kernel/errors.ts'
import { WORK_THRESHOLDS, expectedHashes } from '../../kernel/nano/work.ts'
import { Scheduler } from './scheduler.ts'

const { send, receive } = WORK_THRESHOLDS.dev

test('a queue that is too long is refused with the time after which to come back', async () => {
  const engine = new ScriptedEngine({ rate: expectedHashes(send) / 10 })
  const { ask } = openScheduler([engine])
  const waits = Array.from({ length: 6 }, (_, at) => ask({ payer: `${at}` }))
  assert.ok(waits.every((wait) => wait instanceof Promise))
  assert.equal(engine.begun.length, 1)
  void ask({ payer: 'late' })
  await assert.rejects(ask({ payer: 'later' }), (error: AppError) => {
    assert.equal(error.message, 'No work source available.')
    assert.equal(error.status, 503)
    assert.equal(error.retryAfterSeconds, 10)
    return true
  })
  void ask({ threshold: receive, payer: 'cheap' })
  await turn()
  assert.equal(engine.running[0]!.threshold, receive, 'a receive is still let in, and goes first')
})

test('every wait is limited, and without an engine there is none', async () => {
  const { ask, engine, clock, scheduler } = openScheduler()
  const wait = ask()
  clock.advance(300_000)
  await assert.rejects(wait, refusedWith('No work source available.'))
  await turn()
  assert.equal(engine.running.length, 0)
  assert.equal(scheduler.load.jobs, 0)
  await assert.rejects(openScheduler([]).ask(), refusedWith('No work source available.'))
})

test('work prepared in advance leaves capacity for callers, and does not use fallback engines', async () => {
  const { ask, engine } = openScheduler()
  const later = Array.from({ length: 60 }, (_, at) => ask({ class: 'precompute', payer: `prepare:${at}` }))
  const outcomes = await Promise.race([Promise.allSettled(later.slice(50)), turn()])
  const isRefused = outcomes?.every(({ status }) => status === 'rejected')
  assert.ok(isRefused, 'fifty are enough')
  const person = ask()
  await turn()
  assert.equal(engine.running[0]!.root, person.root)

  const node = new ScriptedEngine({ name: 'node', kind: 'peer', spare: false })
  await assert.rejects(openScheduler([node]).ask({ class: 'precompute' }), refusedWith('No work source available.'))
})

test('the long queue of one payer does not delay others', async () => {
  const { ask } = openScheduler([new ScriptedEngine({ rate: expectedHashes(send) / 25 })])
  for (let at = 0; at < 3; at++) void ask({ payer: 'greedy' })
  await assert.rejects(ask({ payer: 'greedy' }), refusedWith('No work source available.'))
  const other = ask({ payer: 'modest' })
  const outcome = await Promise.race([other, turn()])
  assert.equal(outcome, undefined, 'it waits')
})

test('a search that would take too long here is refused before it begins', async () => {
  const { ask, engine } = openScheduler([new ScriptedEngine({ rate: expectedHashes(send) / 400 })])
  await assert.rejects(ask(), refusedWith('No work source available.'))
  assert.deepEqual(engine.begun, [])
})

test('a clock that is set back harms nothing', async () => {
  const hashes: number[] = []
  const clock = new TestClock()
  let back = 0
  const engine = new ScriptedEngine()
  const scheduler = new Scheduler({
    engines: [engine],
    clock: { now: () => clock.now() - back, after: (milliseconds, run) => clock.after(milliseconds, run) },
    queueSecondsMax: 60,
    waitSecondsMax: 300,
    onSearched: (event) => hashes.push(event.hashes),
  })
  const root = newHash()
  const wait = scheduler.search({ root, threshold: send, class: 'interactive', payer: 'a' })
  back = 60_000
  await engine.find(root)
  await wait
  assert.deepEqual(hashes, [0])
})

test('closing ends every wait', async () => {
  const { ask, engine, scheduler } = openScheduler()
  const wait = ask()
  await scheduler.close()
  await assert.rejects(wait, refusedWith('No work source available.'))
  await assert.rejects(ask(), refusedWith('No work source available.'))
  assert.ok(engine.closed)
})
