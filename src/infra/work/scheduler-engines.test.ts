import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openScheduler, refusedWith } from '../../../test/support/scheduler.ts'
import { ScriptedEngine, turn, workFor } from '../../../test/support/scripted-engine.ts'
import { WORK_THRESHOLDS, expectedHashes } from '../../kernel/nano/work.ts'
import { PeerFailure } from './peer-answer.ts'

const { send } = WORK_THRESHOLDS.dev

test('a short suspension of the only engine keeps the queue, a long one empties it', async () => {
  const { ask, engine, clock } = openScheduler([new ScriptedEngine({ kind: 'peer' })])
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

test('a search refused by one engine goes to another, and one refused by all is refused', async () => {
  const peer = new ScriptedEngine({ name: 'peer', kind: 'peer', rate: 1e9 })
  const cpu = new ScriptedEngine({ rate: 1_000 })
  const { ask } = openScheduler([cpu, peer])
  const wait = ask()
  peer.running[0]!.fail(new PeerFailure('refused', 'too hard'))
  await turn()
  assert.deepEqual([peer.running.length, cpu.running.length], [0, 1])
  await cpu.find(wait.root)
  await wait
  const alone = openScheduler([new ScriptedEngine({ kind: 'peer' })])
  const refused = alone.ask()
  alone.engine.running[0]!.fail(new PeerFailure('refused', 'too hard'))
  await assert.rejects(refused, refusedWith('No work source available.'))
})

test('wrong work is never passed on: its engine is notified and the search goes on', async () => {
  const failures: string[] = []
  const { ask, engine } = openScheduler(undefined, { onFailure: ({ reason }) => failures.push(reason) })
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
  const { ask } = openScheduler([cpu, peer])
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
  const { ask, clock } = openScheduler([slow, fast])
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
  const { ask } = openScheduler([cpu, peer])
  void ask()
  void ask()
  assert.deepEqual([cpu.running.length, peer.running.length], [1, 1])
})
