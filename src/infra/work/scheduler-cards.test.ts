import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openScheduler } from '../../../test/support/scheduler.ts'
import { ScriptedEngine, turn, workFor } from '../../../test/support/scripted-engine.ts'
import { WORK_THRESHOLDS, expectedHashes } from '../../kernel/nano/work.ts'

const { send, receive } = WORK_THRESHOLDS.dev

test('beside a card the processor waits, and helps only where a search takes unexpectedly long', async () => {
  const card = new ScriptedEngine({ name: 'card', kind: 'card', slots: 2, rate: expectedHashes(send) })
  const cpu = new ScriptedEngine({ rate: expectedHashes(send) / 100 })
  const { ask, clock } = openScheduler([cpu, card])
  const waits = [ask(), ask(), ask()]
  assert.deepEqual([card.running.length, cpu.running.length], [2, 0], 'the third waits for the card')
  clock.advance(3_100)
  assert.equal(cpu.running.length, 1)
  for (const { root } of waits) await card.find(root)
  await Promise.all(waits)
})

test('a processor that is not much slower than the card works beside it', () => {
  const card = new ScriptedEngine({ name: 'card', kind: 'card', slots: 1, rate: 3e6 })
  const cpu = new ScriptedEngine({ rate: 1e6 })
  const { ask } = openScheduler([cpu, card])
  void ask()
  void ask()
  assert.deepEqual([card.running.length, cpu.running.length], [1, 1])
})

test('when the driver of the only card crashes, the processor goes on with its searches', async () => {
  const card = new ScriptedEngine({ name: 'card', kind: 'card', slots: 2, rate: 1e9 })
  const cpu = new ScriptedEngine({ rate: 1e6 })
  const { ask } = openScheduler([cpu, card])
  const wait = ask()
  card.usable = false
  card.running[0]!.fail(new Error('The process of the card ended.'))
  await turn()
  await cpu.find(wait.root)
  assert.ok(await wait)
})

test('a card that is added later takes waiting searches', async () => {
  const cpu = new ScriptedEngine({ rate: 1e6 })
  const card = new ScriptedEngine({ name: 'card', kind: 'card', slots: 2, rate: 1e9 })
  card.usable = false
  const { ask, scheduler } = openScheduler([cpu])
  const [first, second] = [ask(), ask()]
  scheduler.add(card)
  assert.equal(card.running.length, 0)
  card.usable = true
  scheduler.wake()
  assert.deepEqual([card.running.length, card.running[0]!.root], [1, second.root])
  await card.find(second.root)
  await cpu.find(first.root)
  await Promise.all([first, second])
})

test('of ten thousand queued searches, a caller with few is served as often as one with many', async () => {
  const card = new ScriptedEngine({ name: 'card', kind: 'card', slots: 2, rate: 1e12 })
  const { ask, scheduler, clock } = openScheduler([card])
  const greedy = 'greedy'
  const modest = Array.from({ length: 9 }, (_, index) => `modest ${index}`)
  for (let index = 0; index < 9_100; index++) void ask({ payer: greedy, threshold: receive })
  const served = new Map<string, number>()
  const waits = modest.flatMap((payer) =>
    Array.from({ length: 100 }, () =>
      ask({ payer, threshold: receive }).then(() => served.set(payer, (served.get(payer) ?? 0) + 1)),
    ),
  )
  assert.equal(scheduler.load.jobs, 10_000)
  const finds = modest.length * 100 * 1.25
  for (let found = 0; found < finds; found++) {
    const { root } = card.running[0]!
    clock.advance(1)
    card.running[0]!.finish(workFor(root, receive))
    await turn()
  }
  await Promise.all(waits)
  for (const payer of modest) assert.equal(served.get(payer), 100, 'each has had all of its hundred')
  scheduler.dismiss()
})
