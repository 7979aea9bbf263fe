import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { repeat, testRandom } from '../../../test/support/random.ts'
import { WORK_THRESHOLDS, workValue } from '../../kernel/nano/work.ts'
import { type CpuEngine, type CpuOptions, openCpuEngine } from './cpu.ts'
import { SHAPES } from './shapes.ts'
import { TYPESCRIPT } from '../../../test/support/typescript.ts'

const THREADS = 2
const ROOT = '718CC2121C3E641059BC1C2CFC45666C99E8AE922F7A807B7D07B62C995D79E2'
const { send, receive } = WORK_THRESHOLDS.dev
/** A threshold that no nonce of any root is likely to reach. */
const UNREACHABLE = 2n ** 64n - 1n
const never = () => new AbortController().signal

/** For tests that do not change the engine. Its threads do not keep the process running. */
let shared: Promise<CpuEngine> | undefined
const sharedEngine = () => (shared ??= openCpuEngine({ threads: THREADS, random: testRandom }))

async function openEngine(t: TestContext, options: Partial<CpuOptions> = {}): Promise<CpuEngine> {
  const engine = await openCpuEngine({ threads: THREADS, random: testRandom, ...options })
  t.after(() => engine.close())
  return engine
}

function assertWork(root: string, threshold: bigint, work: string | undefined): void {
  assert.match(work ?? '', /^[0-9a-f]{16}$/)
  assert.ok(workValue(root, work!) >= threshold)
}

test('a thousand searches give valid work', async () => {
  const engine = await sharedEngine()
  await repeat(1000, async (random) => {
    const root = random.hex(64)
    const threshold = random.pick([send, receive])
    assertWork(root, threshold, await engine.search({ root, threshold }, never()))
  })
  assert.ok(engine.hashes > 1000)
})

for (const shape of SHAPES) {
  test(`finds work with the ${shape.name} shape alone`, async (t) => {
    const engine = await openEngine(t, { threads: 1, shapes: [shape] })
    assert.equal(engine.shape, shape.name)
    assertWork(ROOT, send, await engine.search({ root: ROOT, threshold: send }, never()))
  })
}

test('after a search is stopped the next one starts at once', async () => {
  const engine = await sharedEngine()
  for (let round = 0; round < 50; round++) {
    const stop = new AbortController()
    const stopped = engine.search({ root: ROOT, threshold: UNREACHABLE }, stop.signal)
    stop.abort()
    const next = engine.search({ root: ROOT, threshold: send }, never())
    assert.equal(await stopped, undefined)
    assertWork(ROOT, send, await next)
  }
})

// The result of an earlier search must never answer a later one.
test('searches stopped at any moment answer for their own root or not at all', async () => {
  const engine = await sharedEngine()
  await repeat(500, async (random) => {
    const root = random.hex(64)
    const threshold = random.pick([receive, send, send, UNREACHABLE])
    const stop = new AbortController()
    const search = engine.search({ root, threshold }, stop.signal)
    for (let turns = random.below(4); turns > 0; turns--) await turn()
    stop.abort()
    const work = await search
    if (work !== undefined) assertWork(root, threshold, work)
  })
  assertWork(ROOT, send, await engine.search({ root: ROOT, threshold: send }, never()))
})

test('a search that is stopped before it starts does nothing', async (t) => {
  // An engine of its own: a thread adds the tries of a stopped search a moment later.
  const engine = await openEngine(t)
  assert.equal(await engine.search({ root: ROOT, threshold: 0n }, AbortSignal.abort()), undefined)
  assert.equal(engine.hashes, 0)
})

test('two aborts in a row are one, and a second search beside a running one is refused', async () => {
  const engine = await sharedEngine()
  const stop = new AbortController()
  const running = engine.search({ root: ROOT, threshold: UNREACHABLE }, stop.signal)
  await assert.rejects(engine.search({ root: ROOT, threshold: send }, never()), /running already/)
  stop.abort()
  stop.abort()
  assert.equal(await running, undefined)
  const found = new AbortController()
  assertWork(ROOT, receive, await engine.search({ root: ROOT, threshold: receive }, found.signal))
  found.abort()
  assertWork(ROOT, receive, await engine.search({ root: ROOT, threshold: receive }, never()))
})

test('the rate is known before the first search and stays known after one', async () => {
  const engine = await sharedEngine()
  assert.ok(engine.rate > 0)
  const stop = new AbortController()
  const search = engine.search({ root: ROOT, threshold: UNREACHABLE }, stop.signal)
  const enough = engine.hashes + 1_000_000
  while (engine.hashes < enough) await turn()
  stop.abort()
  await search
  const rate = engine.rate
  assert.ok(rate > 0)
  assert.equal(engine.rate, rate)
})

test('every thread searches, each from a start of its own', async (t) => {
  const asked: number[] = []
  const bytes = (count: number) => {
    asked.push(count)
    return testRandom.bytes(count)
  }
  const engine = await openEngine(t, { threads: 3, random: { bytes } })
  await engine.search({ root: ROOT, threshold: send }, never())
  await engine.search({ root: ROOT, threshold: send }, never())
  assert.deepEqual(asked, [24, 24])
})

test('a thread that dies fails the search and is replaced', async (t) => {
  const workers: Worker[] = []
  const collect = (worker: Worker) => workers.push(worker)
  process.on('worker', collect)
  t.after(() => process.off('worker', collect))
  const engine = await openEngine(t)
  const search = engine.search({ root: ROOT, threshold: UNREACHABLE }, never())
  await Promise.all([assert.rejects(search, /ended/), workers.at(-1)!.terminate()])
  assert.equal(engine.usable, false)
  await assert.rejects(engine.search({ root: ROOT, threshold: send }, never()), /not available/)
  while (!engine.usable) await turn()
  assertWork(ROOT, send, await engine.search({ root: ROOT, threshold: send }, never()))
})

test('an engine that gave three wrong answers is not used any more', async (t) => {
  const engine = await openEngine(t)
  engine.distrust()
  engine.distrust()
  assert.equal(engine.usable, true)
  engine.distrust()
  assert.equal(engine.usable, false)
})

test('closing ends a running search and the engine, and one that cannot be tuned does not open', async () => {
  const engine = await openCpuEngine({ threads: THREADS, random: testRandom })
  const search = engine.search({ root: ROOT, threshold: UNREACHABLE }, never())
  await engine.close()
  assert.equal(await search, undefined)
  assert.equal(engine.usable, false)
  await assert.rejects(openCpuEngine({ threads: 1, random: testRandom, shapes: [] }), /right answers/)
})

// A command that opens parts of the gateway must be able to end.
test('threads without a search do not keep the process alive', () => {
  const file = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
  const script = `import(${file('./cpu.ts')})
    .then(({ openCpuEngine }) => openCpuEngine({ threads: 2, random: { bytes: (count) => new Uint8Array(count) } }))
    .then((engine) => engine.search({ root: '${ROOT}', threshold: ${send}n }, new AbortController().signal))
    .then((work) => console.log(work.length))`
  const { status, stdout } = spawnSync(process.execPath, [...TYPESCRIPT, '--eval', script], { encoding: 'utf8' })
  assert.deepEqual({ status, stdout }, { status: 0, stdout: '16\n' })
})
