import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { findDevices } from '../../src/infra/work/card/find.ts'
import { CardSource } from '../../src/infra/work/card/source.ts'
import { WORK_THRESHOLDS, workValue } from '../../src/kernel/nano/work.ts'
import { TestClock } from '../support/clock.ts'
import { openGateway, readMetrics } from '../support/gateway.ts'
import { newHash, testRandom } from '../support/random.ts'
import { until } from '../support/until.ts'

/*
 * The CPU acts as a GPU here: through OpenCL it has a driver in its own process, as GPUs have. More cannot be tested without a GPU; the tests of the CUDA
 * emitter check what a GPU computes.
 */
const { send } = WORK_THRESHOLDS.dev
const UNREACHABLE = 2n ** 64n - 1n
const never = new AbortController().signal

async function openCard(t: TestContext) {
  const device = (await findDevices()).find(({ kind }) => kind === 'cpu')
  assert.ok(device)
  const clock = new TestClock()
  let readied = 0
  const lost: boolean[] = []
  const card = new CardSource({
    name: 'card',
    device,
    random: testRandom,
    clock,
    threads: 2,
    onReady: () => readied++,
    onLost: (_, reason, last) => lost.push(last),
  })
  t.after(() => card.close())
  const ready = (times: number) => until(() => readied === times)
  await ready(1)
  /** As a faulty driver would end it. */
  const crash = async () => {
    const before = lost.length
    process.kill(card.pid!, 'SIGKILL')
    await until(() => lost.length === before + 1)
  }
  return { card, clock, lost, ready, crash }
}

test('a card finds work, and one that is stopped leaves its place to the next search', async (t) => {
  const { card } = await openCard(t)
  assert.ok(card.rate > 0)
  assert.ok(card.shapes.some(({ shape }) => shape === card.shape))
  const stop = new AbortController()
  const endless = [1, 2, 3].map(() => card.search({ root: newHash(), threshold: UNREACHABLE }, stop.signal))
  stop.abort()
  assert.deepEqual(await Promise.all(endless), [undefined, undefined, undefined])
  const found = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const root = newHash()
      return workValue(root, (await card.search({ root, threshold: send }, never))!) >= send
    }),
  )
  assert.ok(found.every(Boolean))
})

test('a driver that crashes ends neither the gateway nor the card, and after three times the card is left alone', async (t) => {
  const { card, clock, lost, ready, crash } = await openCard(t)
  for (const times of [1, 2, 3]) {
    const search = card.search({ root: newHash(), threshold: UNREACHABLE }, never)
    const rejected = assert.rejects(search, /The process of the card ended/)
    await crash()
    await rejected
    assert.equal(card.usable, false)
    if (times === 3) break
    clock.advance(1_000)
    await ready(times + 1)
    assert.equal(card.usable, true)
  }
  assert.deepEqual(lost, [false, false, true])
  clock.advance(3_600_000)
  await assert.rejects(card.search({ root: newHash(), threshold: send }, never), /not available/)
})

test('a driver that hangs is ended once it does not stop when it is asked to, and the card comes back', async (t) => {
  const { card, clock, lost, ready } = await openCard(t)
  process.kill(card.pid!, 'SIGSTOP')
  const stop = new AbortController()
  const search = card.search({ root: newHash(), threshold: UNREACHABLE }, stop.signal)
  stop.abort()
  assert.equal(await search, undefined)
  clock.advance(5_000)
  await until(() => lost.length === 1)
  clock.advance(1_000)
  await ready(2)
  assert.ok(await card.search({ root: newHash(), threshold: send }, never))
})

test('a card that computes wrongly three times is not asked any more', async (t) => {
  const { card } = await openCard(t)
  card.distrust()
  card.distrust()
  assert.equal(card.usable, true)
  card.distrust()
  assert.equal(card.usable, false)
})

test('a gateway finds the driver of its processor by itself and has its work from there', async (t) => {
  const gateway = await openGateway(t, { WORK_CARDS: 'auto', WORK_THREADS: '2', WORK_NODES: 'false' })
  const told = () =>
    gateway
      .log()
      .split('\n')
      .find((line) => line.includes('work_source_ready'))
  await until(() => told() !== undefined)
  // Which one is faster depends on the CPU: without wide vectors it is as fast without a driver.
  const { used, rate } = JSON.parse(told()!) as { used: boolean; rate: number }
  assert.ok(Number.isInteger(rate), 'hashes a second, without fractions')
  const hash = newHash()
  const { work } = (await gateway.call('work_generate', { hash })).json()
  assert.ok(workValue(hash, work!) >= send)
  const metrics = await readMetrics(gateway)
  const engine = used ? 'cpu-opencl' : 'cpu'
  assert.ok(metrics.includes(`gateway_work_found_total{class="interactive",engine="${engine}"} 1`))
  assert.ok(metrics.includes(`gateway_work_usable{engine="cpu"} ${used ? 0 : 1}`))
})

test('WORK_CARDS=none loads no driver, and a card that is not there is reported', async (t) => {
  const none = await openGateway(t, { WORK_CARDS: 'none', WORK_THREADS: '1' })
  assert.deepEqual(
    none.app.work.engines.map(({ kind }) => kind).filter((kind) => kind !== 'peer'),
    ['cpu'],
  )
  const missing = await openGateway(t, { WORK_CARDS: '7', WORK_THREADS: '0' })
  await until(() => missing.log().includes('There are 0 cards here.'))
})
