import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { bearer, merchant, openShop, show, untilStatus } from '../support/checkout-steps.ts'
import { answerWith, openReceiver, readerOf } from '../support/webhook-steps.ts'
import { until } from '../support/until.ts'
import { row } from './row.ts'

/* Contract 6: deliveries, retries, and when they are given up. */

const { address } = merchant
const distinct = (values: unknown[]) => new Set(values).size

async function open(t: TestContext) {
  const { world, shop, key } = await openShop(t)
  /** Pays a checkout with this webhook URL; returns the id of the event. */
  const payAndReport = async (webhook_url: string, by = key) => {
    const made = await shop.open({ address, amount: '1', webhook_url }, bearer(by))
    await world.pay(address, made.amount_raw)
    await untilStatus(shop, made.id, 'complete')
    return (await show(shop, made.id, by)).webhook_events[0]!.id
  }
  const { show: showEvent, untilTried, post } = readerOf(shop, key)
  return { shop, clock: world.clock, payAndReport, showEvent, untilTried, post }
}

test('a delivery that fails is tried eleven times, each wait within a fifth of the plan, always in the same bytes, and then is dead until it is sent again (contract 6, rules 3, 6, 9 and 11; 8, Checkout: webhook attempts)', async (t) => {
  const { clock, payAndReport, showEvent, untilTried, post } = await open(t)
  const receiver = await openReceiver(t, answerWith(503, {}, 'out of order'))
  const id = await payAndReport(receiver.url)
  const planned = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400]
  let due = clock.now()
  for (const [retries, seconds] of planned.entries()) {
    const { state, next_at: nextAt, attempts } = await untilTried(id, retries + 1)
    const { attempt, at, status, error, response } = attempts.at(-1)!
    assert.deepEqual([attempt, status, error, response], [retries + 1, 503, 'bad_status', 'out of order'])
    assert.equal(state, 'retrying')
    const wait = (Date.parse(nextAt!) - Date.parse(at)) / 1000
    row('6, Retry schedule: after', () =>
      assert.ok(wait >= 0.8 * seconds && wait <= 1.2 * seconds, `${wait} s instead of about ${seconds} s`),
    )
    assert.ok(Date.parse(at) >= due, 'never before its time')
    due = Date.parse(nextAt!)
    clock.leap(due - clock.now())
  }
  const over = await untilTried(id, 11)
  row('6, Events and deliveries: state', () => assert.deepEqual([over.state, over.next_at], ['dead', null]))
  assert.equal((await showEvent(id)).delivered, false)

  receiver.answer = answerWith(200)
  const again = await post(`/events/${id}/redeliver`)
  assert.equal(again.status, 201)
  const { cause } = await untilTried(id, 1)
  row('6, Events and deliveries: cause', () => assert.deepEqual([over.cause, cause], ['event', 'redelivery']))
  const { delivered, deliveries } = await showEvent(id)
  row('6, Events and deliveries: delivered, state', () =>
    assert.deepEqual([delivered, deliveries.map(({ state }) => state)], [true, ['dead', 'delivered']]),
  )
  const { requests } = receiver
  assert.equal(requests.length, 12)
  assert.equal(distinct(requests.map(({ body }) => body)), 1)
  const header = (name: string) => requests.map(({ headers }) => headers[name])
  assert.deepEqual([...new Set(header('webhook-id'))], [id])
  assert.equal(distinct(header('nano-signature')), 1)
  for (const name of ['webhook-timestamp', 'webhook-signature'])
    assert.ok(distinct(header(name)) >= 11, 'each attempt says when it was made, and is signed anew')
})

test('a receiver may ask for more time, between once and twice the plan; who sends again at once waits for nothing (contract 6, Retry schedule: after; 6, rule 11)', async (t) => {
  const { clock, payAndReport, untilTried, post } = await open(t)
  const receiver = await openReceiver(t, answerWith(429, { 'retry-after': '8' }))
  const id = await payAndReport(receiver.url)
  const waitAfter = async (tries: number) => {
    const { attempts, next_at: nextAt } = await untilTried(id, tries)
    return Date.parse(nextAt!) - Date.parse(attempts.at(-1)!.at)
  }
  assert.equal(await waitAfter(1), 8_000)
  clock.leap(8_000)
  assert.equal(await waitAfter(2), 30_000, 'eight seconds would be less than the plan')
  receiver.answer = answerWith(503, { 'retry-after': '86400' })
  clock.leap(30_000)
  assert.equal(await waitAfter(3), 240_000, 'a day would be more than twice the plan')
  receiver.answer = answerWith(204)
  const hastened = await post(`/events/${id}/redeliver`)
  assert.equal(hastened.status, 201)
  const delivery = await untilTried(id, 4)
  assert.deepEqual([delivery.cause, delivery.state, delivery.attempts.at(-1)!.status], ['event', 'delivered', 204])
  assert.equal(receiver.requests.length, 4)
})

test('2xx within ten seconds is delivered; a redirect and silence are failures; 410 disables the address (contract 6, rules 8 and 9; 8, Checkout: webhook answer)', async (t) => {
  const { shop, clock, payAndReport, showEvent, untilTried, post } = await open(t)
  const outcome = async (url: string) => {
    const id = await payAndReport(url)
    const { state, attempts } = await untilTried(id, 1)
    return { id, state, status: attempts[0]!.status, error: attempts[0]!.error }
  }
  for (const status of [200, 204, 299]) {
    const { id, ...rest } = await outcome((await openReceiver(t, answerWith(status))).url)
    assert.deepEqual(rest, { state: 'delivered', status, error: null })
    assert.equal((await showEvent(id)).delivered, true)
  }
  const elsewhere = await openReceiver(t)
  const redirecting = await openReceiver(t, answerWith(307, { location: elsewhere.url }))
  const { id: redirected, ...refused } = await outcome(redirecting.url)
  assert.deepEqual(refused, { state: 'retrying', status: 307, error: 'redirected' })
  assert.deepEqual([(await showEvent(redirected)).delivered, elsewhere.requests.length], [false, 0])

  const gone = await openReceiver(t, answerWith(410))
  const { id: first, ...ended } = await outcome(gone.url)
  assert.deepEqual(ended, { state: 'dead', status: 410, error: 'gone' })
  gone.answer = answerWith(200)
  const { id: second, ...disabled } = await outcome(gone.url)
  assert.deepEqual(disabled, { state: 'dead', status: null, error: 'url_disabled' })
  assert.equal(gone.requests.length, 1, 'it was not asked again')
  assert.equal((await outcome(`${gone.url}/other`)).state, 'delivered')
  const { key: theirs } = await shop.join()
  const ofOthers = await payAndReport(gone.url, theirs)
  assert.equal((await readerOf(shop, theirs).untilTried(ofOthers, 1)).state, 'delivered', 'it is one account’s')
  // After a manual replay succeeds, deliveries to the receiver go on as usual.
  clock.advance(1_000)
  await post(`/events/${first}/redeliver`)
  assert.equal((await untilTried(first, 1)).state, 'delivered')
  assert.equal((await outcome(gone.url)).state, 'delivered')
  assert.equal((await showEvent(second)).delivered, false)

  const silent = await openReceiver(t, () => undefined)
  const waiting = await payAndReport(silent.url)
  await until(() => silent.requests.length === 1)
  clock.advance(9_999)
  const [onItsWay] = (await showEvent(waiting)).deliveries
  row('6, Events and deliveries: state', () => assert.deepEqual([onItsWay!.state, onItsWay!.attempts], ['sending', []]))
  clock.advance(1)
  const { state, attempts } = await untilTried(waiting, 1)
  const { status, error, ms } = attempts[0]!
  assert.deepEqual([state, status, error, ms], ['retrying', null, 'timeout', 10_000])
})
