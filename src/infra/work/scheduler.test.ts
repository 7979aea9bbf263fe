import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newHash } from '../../../test/support/random.ts'
import { openScheduler, refusedWith } from '../../../test/support/scheduler.ts'
import { ScriptedEngine, turn, workFor } from '../../../test/support/scripted-engine.ts'
import { Leaving } from '../../kernel/leaving.ts'
import { WORK_THRESHOLDS, workValue } from '../../kernel/nano/work.ts'

const { send, receive } = WORK_THRESHOLDS.dev

test('50 identical requests cause one search, and all get its result', async () => {
  const { ask, engine } = openScheduler()
  const root = newHash()
  const waits = Array.from({ length: 50 }, (_, payer) => ask({ root, payer: `payer ${payer}` }))
  assert.deepEqual(engine.begun, [root])
  await engine.find(root)
  const works = new Set((await Promise.all(waits)).map(({ work }) => work))
  assert.equal(works.size, 1)
  assert.ok(workValue(root, [...works][0]!) >= send)
})

test('a request in the very moment in which the work was found causes no second search', async () => {
  const { ask, engine } = openScheduler()
  const root = newHash()
  const first = ask({ root })
  engine.running[0]!.finish(workFor(root, send))
  await first
  assert.equal((await ask({ root })).work, (await first).work)
  assert.deepEqual(engine.begun, [root])
})

test('two callers with different thresholds share one search, and each gets sufficient work', async () => {
  const { ask, engine, scheduler } = openScheduler()
  const root = newHash()
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
  const { ask, engine, scheduler } = openScheduler()
  const root = newHash()
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
  const { ask, engine, scheduler } = openScheduler()
  const leaving = new Leaving()
  const left = ask({ leaving })
  const next = ask({ payer: 'b' })
  leaving.leave()
  await assert.rejects(left, refusedWith('Cancelled'))
  await turn()
  assert.deepEqual([engine.running.length, engine.running[0]!.root, scheduler.load.jobs], [1, next.root, 1])
})

test('a root asked for again while its old search still ends is searched once more', async () => {
  const engine = new ScriptedEngine()
  const { ask, scheduler } = openScheduler([engine])
  const root = newHash()
  const first = ask({ root })
  scheduler.cancel(root, 'a')
  const second = ask({ root })
  await assert.rejects(first, refusedWith('Cancelled'))
  await turn()
  assert.equal(engine.running.length, 1, 'never two searches in an engine that takes one')
  await engine.find(root)
  assert.ok(await second)
})

test('work of the development network for a wallet is found at once, and neither thread nor card is woken for it', async () => {
  const here: string[] = []
  const searchHere = ({ root, threshold }: { root: string; threshold: bigint }) => {
    here.push(root)
    return workFor(root, threshold)
  }
  const { ask, engine } = openScheduler([new ScriptedEngine()], { searchHere })
  const root = newHash()
  const found = await ask({ root, class: 'wallet' })
  assert.ok(found.value >= send)
  assert.deepEqual([here, engine.begun], [[root], []])
  assert.equal((await ask({ root, class: 'wallet' })).work, found.work, 'it is known for a while')
  void ask({ root: newHash() })
  assert.equal(engine.begun.length, 1, 'what a stranger asks for takes its turn')
  void ask({ root: newHash(), class: 'wallet', threshold: WORK_THRESHOLDS.live.send })
  assert.equal(here.length, 1, 'what takes long is no work for the thread that serves everybody')
})

test('wrong work that was found at once is not passed on: an engine looks for it', async () => {
  const searchHere = ({ root }: { root: string }) => workFor(root, receive, send)
  const { ask, engine } = openScheduler([new ScriptedEngine()], { searchHere })
  const root = newHash()
  const found = ask({ root, class: 'wallet' })
  assert.deepEqual(engine.begun, [root])
  await engine.find(root)
  assert.ok((await found).value >= send)
})
