import assert from 'node:assert/strict'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { openFolder } from '../../../test/support/folder.ts'
import { testRandom } from '../../../test/support/random.ts'
import { WORK_THRESHOLDS, workValue } from '../../kernel/nano/work.ts'
import { type CpuEngine, openCpuEngine } from './cpu.ts'
import { type TuningMemory, rememberTuning } from './remembered-tuning.ts'
import { SHAPES } from './shapes.ts'

const ROOT = '718CC2121C3E641059BC1C2CFC45666C99E8AE922F7A807B7D07B62C995D79E2'
const { send } = WORK_THRESHOLDS.dev
const THREADS = 2

const fileFor = (t: TestContext) => join(openFolder(t), 'kept', 'work.json')

/** An engine, and a function that returns how many threads it has started. */
async function open(t: TestContext, memory: TuningMemory): Promise<{ engine: CpuEngine; started(): number }> {
  const workers: Worker[] = []
  const collect = (worker: Worker) => workers.push(worker)
  process.on('worker', collect)
  const engine = await openCpuEngine({ threads: THREADS, random: testRandom, shapes: SHAPES.slice(-2), memory })
  t.after(async () => {
    process.off('worker', collect)
    await engine.close()
  })
  return { engine, started: () => workers.length }
}

test('the measurements of one start are used by the next, which starts threads only to search', async (t) => {
  const memory = rememberTuning(fileFor(t))
  const first = await open(t, memory)
  // One of the threads measures.
  assert.equal(first.started(), 1 + THREADS)
  const { engine, started } = await open(t, memory)
  assert.equal(started(), 0)
  assert.equal(engine.usable, true)
  assert.equal(engine.shape, first.engine.shape)
  assert.deepEqual(engine.shapes, first.engine.shapes)
  assert.equal(engine.rate, first.engine.rate)
  const work = await engine.search({ root: ROOT, threshold: send }, new AbortController().signal)
  assert.equal(started(), THREADS)
  assert.ok(workValue(ROOT, work!) >= send)
})

test('a search that is stopped while its threads start finds nothing, and the next one finds work', async (t) => {
  const memory = rememberTuning(fileFor(t))
  await open(t, memory)
  const { engine } = await open(t, memory)
  const stop = new AbortController()
  const stopped = engine.search({ root: ROOT, threshold: send }, stop.signal)
  stop.abort()
  assert.equal(await stopped, undefined)
  const work = await engine.search({ root: ROOT, threshold: send }, new AbortController().signal)
  assert.ok(workValue(ROOT, work!) >= send)
})

// Different versions of V8 arrange instructions differently, and an image may be moved to another machine.
test('measurements from another processor or version of V8 are ignored', (t) => {
  const file = fileFor(t)
  const memory = rememberTuning(file)
  const tuning = { shape: 'scalar', rate: 1_000_000, shapes: [{ shape: 'scalar', rate: 1_000_000 }] }
  memory.keep(tuning)
  assert.deepEqual(memory.recall(), tuning)
  assert.deepEqual(readdirSync(join(file, '..')), ['work.json'])
  const kept = JSON.parse(readFileSync(file, 'utf8')) as { measured: string }
  for (const other of ['V8 1.2.3', '']) {
    writeFileSync(file, JSON.stringify({ ...kept, measured: kept.measured.replace(/V8 .*/, other) }))
    assert.equal(memory.recall(), undefined)
  }
  const wrong = [{ rate: 0 }, { shape: 1 }].map((change) => JSON.stringify({ ...kept, ...change }))
  for (const broken of ['', '{', 'null', '[]', ...wrong]) {
    writeFileSync(file, broken)
    assert.equal(memory.recall(), undefined, broken)
  }
})

test('a form that is not among ours is not searched with, and one is measured', async (t) => {
  const memory = rememberTuning(fileFor(t))
  memory.keep({ shape: 'triangle', rate: 1, shapes: [] })
  const { engine, started } = await open(t, memory)
  assert.equal(started(), 1 + THREADS)
  assert.equal(memory.recall()?.shape, engine.shape)
})

test('a gateway that can not write there searches all the same', async (t) => {
  const file = fileFor(t)
  writeFileSync(join(file, '..'), 'a file, and no folder')
  const { engine } = await open(t, rememberTuning(file))
  assert.equal(engine.usable, true)
})
