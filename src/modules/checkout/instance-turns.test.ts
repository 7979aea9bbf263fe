import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { LocalNotices } from '../../infra/db/notices.ts'
import { toRaw } from '../../kernel/money.ts'
import { PaymentMonitor } from './payment-monitor.ts'
import { InstanceTurns } from '../../kernel/feed/instance-turns.ts'
import { creditSend } from './domain/credit.ts'
import type { CheckoutContext } from './index.ts'
import { openBulk } from '../../../test/support/bulk.ts'
import { TestClock } from '../../../test/support/clock.ts'
import { openFresh } from '../../../test/support/engines.ts'
import { fillOpen, openOwn } from '../../../test/support/many-checkouts.ts'
import { newHash, testRandom } from '../../../test/support/random.ts'
import { SyntheticNetwork } from '../../../test/support/synthetic-network.ts'
import { toCheckoutCtx } from '../../../test/support/checkout-context.ts'
import { until } from '../../../test/support/until.ts'
import { receiveFailures } from '../../../test/support/failures.ts'

/** Waits until everything that can run has run. */
const turn = async () => {
  for (let turns = 0; turns < 10; turns++) await setImmediate()
}

async function openShares(count: number) {
  const clock = new TestClock()
  const notices = new LocalNotices(receiveFailures())
  const open = (isListening = () => true) => new InstanceTurns({ notices, clock, random: testRandom, isListening })
  const all = Array.from({ length: count }, () => open())
  const pass = async (milliseconds: number) => {
    await turn()
    clock.advance(milliseconds)
    await turn()
  }
  await pass(5_000)
  return { pass, notices, open, all }
}

const turnsOf = (shares: readonly InstanceTurns[], hash: string) => shares.map((one) => one.turnOf(hash))

/** A store with so many open checkouts, each at its own address, and a network without other payments. */
async function openWatched(t: TestContext, watched: number) {
  const opened = await openFresh(t, 'sqlite')
  const { url, clock } = opened
  const bulk = await openBulk(url)
  await fillOpen(bulk, { watched, now: clock.now(), sharedEach: 0 })
  await bulk.close()
  const monitor = (network: SyntheticNetwork, ctx: CheckoutContext, turnOf: () => number | undefined = () => 0) => {
    const onError = (error: unknown) => assert.fail(String(error))
    return new PaymentMonitor({ clock, onError, ctx, node: network, bus: network, turnOf })
  }
  const openAlone = () => {
    const network = new SyntheticNetwork()
    return { network, monitor: monitor(network, toCheckoutCtx(opened.ctx, 'sqlite')) }
  }
  return { ...opened, monitor, openAlone }
}

test('a single instance credits every payment at once, whatever else is sent on the channel', async () => {
  const { all, notices } = await openShares(1)
  for (const text of ['here nobody', 'here 1.5', 'here', '']) notices.publish('listening', text)
  for (let at = 0; at < 100; at++) assert.deepEqual(turnsOf(all, newHash()), [0])
})

test('of twenty instances one credits at once, two look after it later, and each has its share', async () => {
  const { all } = await openShares(20)
  const first = Array.from(all, () => 0)
  for (let at = 0; at < 4_000; at++) {
    const turns = turnsOf(all, newHash())
    assert.deepEqual(
      turns.filter((turn) => turn !== undefined).sort((a, b) => a - b),
      [0, 1_000, 2_000],
    )
    first[turns.indexOf(0)]!++
  }
  // 200 are expected; this allows five standard deviations.
  for (const count of first) assert.ok(count > 120 && count < 280, `one instance has ${count} of 4,000`)
})

test('the share of an instance that says goodbye, falls silent or receives nothing passes to the others', async () => {
  const { pass, open, all } = await openShares(3)
  let listens = true
  const deaf = open(() => listens)
  const everybody = [...all, deaf]
  await pass(5_000)
  const hashes = Array.from({ length: 200 }, newHash)
  const firsts = (shares: readonly InstanceTurns[]) =>
    hashes.every((hash) => turnsOf(shares, hash).filter((turn) => turn === 0).length === 1)
  assert.ok(firsts(everybody))
  listens = false
  await pass(20_000)
  assert.ok(firsts(all))
  all[0]!.stop()
  assert.ok(firsts(all.slice(1)))
})

test('a store that is slow gets one announcement of an instance, not one for each interval that has passed', async () => {
  const clock = new TestClock()
  const slow = new LocalNotices(receiveFailures())
  const { promise: gone, resolve: letGo } = Promise.withResolvers<void>()
  let sent = 0
  slow.deliver = () => (sent++, gone)
  const one = new InstanceTurns({ notices: slow, clock, random: testRandom, isListening: () => true })
  clock.advance(86_400_000)
  assert.equal(sent, 1)
  letGo()
  await turn()
  assert.equal(sent, 2)
  one.stop()
})

test('a payment whose instance is gone is credited by the next, and one that was credited is not read again', async (t) => {
  const { clock, ctx, openAnother, monitor } = await openWatched(t, 20)
  const told: string[] = []
  const second = new SyntheticNetwork()
  const context = toCheckoutCtx((await openAnother()).ctx, 'sqlite', { announce: (id) => told.push(id) })
  const later = monitor(second, context, () => 1_000)
  t.after(() => later.feed.stop())
  await later.feed.start()
  // Wait for the look that follows every start, before anything is paid.
  await until(() => (second.asked.get('accounts_frontiers') ?? 0) > 0)
  const pay = (at: number) => {
    const { id, address: to, amountRaw } = openOwn(at)
    return { id, hash: second.pay({ to, amountRaw, at: clock.now() }) }
  }
  const lonely = pay(1)
  second.reportSend(lonely.hash)
  assert.equal(second.asked.get('blocks_info'), undefined)
  clock.advance(1_000)
  await until(() => told.includes(lonely.id))
  assert.equal(second.asked.get('blocks_info'), 1)

  const known = pay(2)
  const { address: to, amountRaw } = openOwn(2)
  const seen = { at: clock.now(), knownAt: clock.now(), receivedAt: null }
  const send = { hash: known.hash, from: openOwn(19).address, to, amountRaw: toRaw(amountRaw), ...seen }
  assert.deepEqual(await creditSend(toCheckoutCtx(ctx, 'sqlite'), send), [known.id])
  const other = pay(3)
  for (const { hash } of [known, other]) second.reportSend(hash)
  clock.advance(1_000)
  await until(() => told.includes(other.id))
  assert.deepEqual(second.described, [lonely.hash, other.hash])
})

test('a block that is reported and that no node knows is looked up twenty times more, ever later, and then left to the poller, which starts at once', async (t) => {
  const { clock, openAlone } = await openWatched(t, 1)
  const { network, monitor } = openAlone()
  await monitor.feed.start()
  const hash = network.tellUnknown(openOwn(0).address)
  const asked = () => network.described.filter((one) => one === hash).length
  for (let tries = 1; tries <= 20; tries++) {
    await until(() => asked() === tries)
    // The answer comes shortly after the request.
    await turn()
    clock.advance(Math.min(50 * 2 ** tries, 5_000) - 1)
    assert.equal(asked(), tries)
    clock.advance(1)
  }
  const looks = () => network.asked.get('accounts_frontiers') ?? 0
  const before = looks()
  // If no node answered for a minute, a late payer would have to wait for the next regular look at the address, hours
  // later.
  await until(() => clock.waitingFor(clock.now() + 500) === 1)
  clock.advance(500)
  await until(() => looks() > before)
  assert.equal(asked(), 21)
  // Before the store is unavailable, because the monitor also looks on its own.
  await monitor.feed.stop()
})

test('addresses that are due are looked at twice a second, and while none is due only when a payer waits', async (t) => {
  const { clock, openAlone } = await openWatched(t, 900)
  const { network, monitor } = openAlone()
  t.after(() => monitor.feed.stop())
  const isNextIn = (milliseconds: number) => until(() => clock.waitingFor(clock.now() + milliseconds) === 1)
  await monitor.feed.start()
  for (const batches of [4, 8]) {
    await isNextIn(500)
    assert.equal(network.asked.get('accounts_frontiers'), batches)
    clock.advance(500)
  }
  await isNextIn(2_000)
  assert.equal(network.asked.get('accounts_frontiers'), 9)
  monitor.nudge(openOwn(0).address)
  await isNextIn(500)
})
