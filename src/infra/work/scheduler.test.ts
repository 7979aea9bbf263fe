import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../../test/support/clock.ts'
import { ScriptedEngine, newRoot, turn, workFor } from '../../../test/support/scripted-engine.ts'
import { AppError, LedgerRefusal } from '../../kernel/errors.ts'
import { Leaving } from '../../kernel/leaving.ts'
import { WORK_THRESHOLDS, expectedHashes, workValue } from '../../kernel/nano/work.ts'
import type { FoundWork, WorkRequest } from '../../kernel/ports.ts'
import { PeerFailure } from './peer-answer.ts'
import { Scheduler, type SchedulerOptions } from './scheduler.ts'

const { send, receive } = WORK_THRESHOLDS.dev

interface Wait extends Promise<FoundWork> {
  root: string
}

function open(engines: ScriptedEngine[] = [new ScriptedEngine()], options: Partial<SchedulerOptions> = {}) {
  const clock = new TestClock()
  const scheduler = new Scheduler({ engines, clock, queueSecondsMax: 60, waitSecondsMax: 300, ...options })
  const ask = (request: Partial<WorkRequest> = {}): Wait => {
    const root = request.root ?? newRoot()
    const promise = scheduler.search({ root, threshold: send, class: 'interactive', payer: 'a', ...request })
    promise.catch(() => undefined)
    return Object.assign(promise, { root })
  }
  return { clock, scheduler, ask, engine: engines[0]! }
}

const refusedWith = (text: string) => (error: unknown) =>
  (error instanceof AppError || error instanceof LedgerRefusal) && error.message === text

test('50 identical requests cause one search, and all get its result', async () => {
  const { ask, engine } = open()
  const root = newRoot()
  const waits = Array.from({ length: 50 }, (_, payer) => ask({ root, payer: `payer ${payer}` }))
  assert.deepEqual(engine.begun, [root])
  await engine.find(root)
  const works = new Set((await Promise.all(waits)).map(({ work }) => work))
  assert.equal(works.size, 1)
  assert.ok(workValue(root, [...works][0]!) >= send)
})

test('a request in the very moment in which the work was found causes no second search', async () => {
  const { ask, engine } = open()
  const root = newRoot()
  const first = ask({ root })
  engine.running[0]!.finish(workFor(root, send))
  await first
  assert.equal((await ask({ root })).work, (await first).work)
  assert.deepEqual(engine.begun, [root])
})

test('a receive that arrives behind ten sends of the same key is answered first', async () => {
  const { ask, engine, scheduler } = open()
  const sends = Array.from({ length: 10 }, () => ask())
  const cheap = ask({ threshold: receive })
  await turn()
  assert.equal(engine.running[0]!.root, cheap.root, 'it takes the place of the running send')
  await engine.find(cheap.root)
  await cheap
  assert.equal(engine.running[0]!.root, sends[0]!.root, 'the send goes on')
  for (const { root } of sends) await engine.find(root)
  await Promise.all(sends)
  assert.equal(scheduler.load.jobs, 0)
})

test('receives that never end do not starve a send', async () => {
  const { ask, engine, clock } = open([new ScriptedEngine({ rate: 1_000 })])
  const expensive = ask({ payer: 'patient' })
  const eager = () => ask({ threshold: receive, payer: 'eager' })
  void eager()
  await turn()
  let served = 0
  while (engine.running[0]!.root !== expensive.root) {
    assert.ok(served++ < 200, 'the send comes to its turn')
    void eager()
    clock.advance(20)
    await engine.find(engine.running[0]!.root)
  }
  assert.ok(served > 10, 'cheap ones went first for a while')
  void eager()
  await turn()
  assert.equal(engine.running[0]!.root, expensive.root)
})

test('a key with many searches does not keep another waiting', async () => {
  const { ask, engine, clock } = open()
  const greedy = Array.from({ length: 20 }, () => ask({ payer: 'greedy' }))
  clock.advance(1)
  await engine.find(greedy[0]!.root)
  const modest = ask({ payer: 'modest' })
  clock.advance(1)
  await engine.find(engine.running[0]!.root)
  assert.equal(engine.running[0]!.root, modest.root, 'second in line, not twentieth')
})

test('a payer of double weight gets two searches for each one of another', async () => {
  const { ask, engine, clock } = open()
  const heavy = new Set(Array.from({ length: 12 }, () => ask({ payer: 'heavy', weight: 2 })).map(({ root }) => root))
  for (let at = 0; at < 12; at++) void ask({ payer: 'light' })
  let served = 0
  for (let at = 0; at < 12; at++) {
    const { root } = engine.running[0]!
    if (heavy.has(root)) served++
    clock.advance(1)
    await engine.find(root)
  }
  assert.ok(served >= 7 && served <= 9, `${served} of 12`)
})

test('somebody who waits comes before a wallet, and both before what may be wanted later', async () => {
  const { ask, engine } = open()
  const later = ask({ class: 'precompute', threshold: receive })
  const wallet = ask({ class: 'wallet', threshold: receive })
  const person = ask({ class: 'interactive' })
  await turn()
  const order: string[] = []
  for (let at = 0; at < 3; at++) {
    order.push(engine.running[0]!.root)
    await engine.find(engine.running[0]!.root)
  }
  assert.deepEqual(order, [person.root, wallet.root, later.root])
})

test('a wallet that has waited long enough stands beside those at a screen', async () => {
  const { ask, engine, clock } = open()
  const first = ask({ payer: 'a' })
  const wallet = ask({ class: 'wallet', threshold: receive, payer: 'wallet' })
  await turn()
  assert.equal(engine.running[0]!.root, first.root)
  clock.advance(11_000)
  void ask({ payer: 'b' })
  await engine.find(first.root)
  assert.equal(engine.running[0]!.root, wallet.root)
})

test('two who need different strengths share one search, and each gets what suffices', async () => {
  const { ask, engine, scheduler } = open()
  const root = newRoot()
  const high = ask({ root, threshold: send, payer: 'high' })
  const low = ask({ root, threshold: receive, payer: 'low' })
  await turn()
  assert.equal(engine.running.length, 1)
  assert.equal(engine.running[0]!.threshold, receive)
  engine.running[0]!.finish(workFor(root, receive, send))
  await turn()
  const { value } = await low
  assert.ok(value >= receive && value < send)
  assert.equal(engine.running[0]!.threshold, send, 'the search goes on for the other')
  await engine.find(root)
  assert.ok((await high).value >= send)
  assert.equal(scheduler.load.jobs, 0)
})

test('one caller cancels its own wait and nobody else’s', async () => {
  const { ask, engine, scheduler } = open()
  const root = newRoot()
  const mine = ask({ root, payer: 'me' })
  const theirs = ask({ root, payer: 'them' })
  assert.equal(scheduler.cancel(root, 'stranger'), false)
  assert.equal(scheduler.cancel(root, 'me'), true)
  await assert.rejects(mine, refusedWith('Cancelled'))
  assert.equal(engine.running.length, 1)
  await engine.find(root)
  assert.ok(await theirs)
})

test('when the last who waited has left, the search ends at once and the next begins', async () => {
  const { ask, engine, scheduler } = open()
  const leaving = new Leaving()
  const left = ask({ leaving })
  const next = ask({ payer: 'b' })
  leaving.leave()
  await assert.rejects(left, refusedWith('Cancelled'))
  await turn()
  assert.deepEqual(
    engine.running.map(({ root }) => root),
    [next.root],
  )
  assert.equal(scheduler.load.jobs, 1)
})

test('a root asked for again while its old search still ends is searched once more', async () => {
  const engine = new ScriptedEngine()
  const { ask, scheduler } = open([engine])
  const root = newRoot()
  const first = ask({ root })
  scheduler.cancel(root, 'a')
  const second = ask({ root })
  await assert.rejects(first, refusedWith('Cancelled'))
  await turn()
  assert.equal(engine.running.length, 1, 'never two searches in an engine that takes one')
  await engine.find(root)
  assert.ok(await second)
})

test('a queue that is too long is refused with the time after which to come back', async () => {
  const engine = new ScriptedEngine({ rate: expectedHashes(send) / 10 })
  const { ask } = open([engine])
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

test('nobody waits for ever', async () => {
  const { ask, engine, clock, scheduler } = open()
  const wait = ask()
  clock.advance(300_000)
  await assert.rejects(wait, refusedWith('No work source available.'))
  await turn()
  assert.equal(engine.running.length, 0)
  assert.equal(scheduler.load.jobs, 0)
})

test('without any engine the answer is a refusal, at once', async () => {
  await assert.rejects(open([]).ask(), refusedWith('No work source available.'))
})

test('a short rest of the only engine empties no queue, a long one does', async () => {
  const { ask, engine, clock } = open([new ScriptedEngine({ kind: 'peer' })])
  const [first, second] = [ask({ payer: 'a' }), ask({ payer: 'b' })]
  engine.usable = false
  engine.running[0]!.fail(new Error('connection lost'))
  await turn()
  clock.advance(1_000)
  engine.usable = true
  clock.advance(500)
  await engine.find(first.root)
  await engine.find(second.root)
  await Promise.all([first, second])

  const third = ask()
  engine.usable = false
  engine.running[0]!.fail(new Error('connection lost'))
  await turn()
  clock.advance(3_000)
  await assert.rejects(third, refusedWith('No work source available.'))
  await assert.rejects(ask(), refusedWith('No work source available.'))
})

test('what one engine refuses goes to another, and what all refuse is refused', async () => {
  const peer = new ScriptedEngine({ name: 'peer', kind: 'peer', rate: 1e9 })
  const cpu = new ScriptedEngine({ rate: 1_000 })
  const { ask } = open([cpu, peer])
  const wait = ask()
  peer.running[0]!.fail(new PeerFailure('refused', 'too hard'))
  await turn()
  assert.deepEqual([peer.running.length, cpu.running.length], [0, 1])
  await cpu.find(wait.root)
  await wait
  const alone = open([new ScriptedEngine({ kind: 'peer' })])
  const refused = alone.ask()
  alone.engine.running[0]!.fail(new PeerFailure('refused', 'too hard'))
  await assert.rejects(refused, refusedWith('No work source available.'))
})

test('work that nobody waits for yet leaves room for everybody, and spares those who only lend a hand', async () => {
  const { ask, engine } = open()
  const later = Array.from({ length: 60 }, (_, at) => ask({ class: 'precompute', payer: `prepare:${at}` }))
  const outcomes = await Promise.race([Promise.allSettled(later.slice(50)), turn()])
  assert.ok(
    outcomes?.every(({ status }) => status === 'rejected'),
    'fifty are enough',
  )
  const person = ask()
  await turn()
  assert.equal(engine.running[0]!.root, person.root)

  const node = new ScriptedEngine({ name: 'node', kind: 'peer', spare: false })
  await assert.rejects(open([node]).ask({ class: 'precompute' }), refusedWith('No work source available.'))
})

test('one payer’s long queue keeps nobody else out', async () => {
  const { ask } = open([new ScriptedEngine({ rate: expectedHashes(send) / 25 })])
  for (let at = 0; at < 3; at++) void ask({ payer: 'greedy' })
  await assert.rejects(ask({ payer: 'greedy' }), refusedWith('No work source available.'))
  const other = ask({ payer: 'modest' })
  const outcome = await Promise.race([other, turn()])
  assert.equal(outcome, undefined, 'it waits')
})

test('what this machine cannot find in time is refused before it is begun', async () => {
  const { ask, engine } = open([new ScriptedEngine({ rate: expectedHashes(send) / 400 })])
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
  const root = newRoot()
  const wait = scheduler.search({ root, threshold: send, class: 'interactive', payer: 'a' })
  back = 60_000
  await engine.find(root)
  await wait
  assert.deepEqual(hashes, [0])
})

test('wrong work is never passed on: its engine is told and the search goes on', async () => {
  const failures: string[] = []
  const { ask, engine } = open(undefined, { onFailure: ({ reason }) => failures.push(reason) })
  const wait = ask()
  engine.running[0]!.finish(workFor(wait.root, 0n, send))
  await turn()
  assert.equal(engine.distrusted, 1)
  assert.deepEqual(failures, ['wrong work'])
  await engine.find(wait.root)
  assert.ok((await wait).value >= send)
})

test('when the only peer dies in the midst of a search, this machine goes on with it', async () => {
  const peer = new ScriptedEngine({ name: 'peer', kind: 'peer', slots: 2, rate: 1e9 })
  const cpu = new ScriptedEngine({ rate: 1_000 })
  const { ask } = open([cpu, peer])
  const wait = ask()
  assert.deepEqual([peer.running.length, cpu.running.length], [1, 0])
  peer.usable = false
  peer.running[0]!.fail(new Error('connection lost'))
  await turn()
  await cpu.find(wait.root)
  assert.ok(await wait)
})

test('the fastest engine is asked first, and a slow one gets help after three times the expected time', async () => {
  const fast = new ScriptedEngine({ name: 'fast', kind: 'peer', slots: 1, rate: expectedHashes(send) / 1.0007 })
  const slow = new ScriptedEngine({ rate: expectedHashes(send) / 10 })
  const { ask, clock } = open([slow, fast])
  const wait = ask()
  assert.deepEqual([fast.running.length, slow.running.length], [1, 0])
  clock.advance(2_900)
  assert.equal(slow.running.length, 0)
  clock.advance(200)
  assert.equal(slow.running.length, 1)
  await slow.find(wait.root)
  await wait
  assert.equal(fast.running.length, 0, 'who lost is stopped')
})

test('two searches run on two engines at the same time', () => {
  const cpu = new ScriptedEngine()
  const peer = new ScriptedEngine({ name: 'peer', kind: 'peer' })
  const { ask } = open([cpu, peer])
  void ask()
  void ask()
  assert.deepEqual([cpu.running.length, peer.running.length], [1, 1])
})

test('what is closed lets nobody wait', async () => {
  const { ask, engine, scheduler } = open()
  const wait = ask()
  await scheduler.close()
  await assert.rejects(wait, refusedWith('No work source available.'))
  await assert.rejects(ask(), refusedWith('No work source available.'))
  assert.ok(engine.closed)
})
