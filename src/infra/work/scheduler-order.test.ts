import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openScheduler } from '../../../test/support/scheduler.ts'
import { ScriptedEngine, turn } from '../../../test/support/scripted-engine.ts'
import { WORK_THRESHOLDS } from '../../kernel/nano/work.ts'

const { receive } = WORK_THRESHOLDS.dev

test('a receive that arrives behind ten sends of the same key is answered first', async () => {
  const { ask, engine, scheduler } = openScheduler()
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
  const { ask, engine, clock } = openScheduler([new ScriptedEngine({ rate: 1_000 })])
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
  const { ask, engine, clock } = openScheduler()
  const greedy = Array.from({ length: 20 }, () => ask({ payer: 'greedy' }))
  clock.advance(1)
  await engine.find(greedy[0]!.root)
  const modest = ask({ payer: 'modest' })
  clock.advance(1)
  await engine.find(engine.running[0]!.root)
  assert.equal(engine.running[0]!.root, modest.root, 'second in line, not twentieth')
})

test('a payer of double weight gets two searches for each one of another', async () => {
  const { ask, engine, clock } = openScheduler()
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

test('a waiting caller comes before a wallet, and both before work in advance', async () => {
  const { ask, engine } = openScheduler()
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

test('a wallet that has waited long enough has the priority of a waiting caller', async () => {
  const { ask, engine, clock } = openScheduler()
  const first = ask({ payer: 'a' })
  const wallet = ask({ class: 'wallet', threshold: receive, payer: 'wallet' })
  await turn()
  assert.equal(engine.running[0]!.root, first.root)
  clock.advance(11_000)
  void ask({ payer: 'b' })
  await engine.find(first.root)
  assert.equal(engine.running[0]!.root, wallet.root)
})
