import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Made,
  bearer,
  merchant,
  nano,
  openWorld,
  stranger,
  turnUntil,
  untilStatus,
} from '../support/checkout-steps.ts'
import { ask } from '../support/gateway.ts'
import { openMailServer } from '../support/mail-server.ts'

/* Contract 8, Checkout: how long, how small, how many. */

const { address } = merchant
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

test('prices from a millionth of a nano, tails below half a percent, quotes of fifteen minutes, and twenty open ones for strangers (contract 8, Checkout: smallest price of unique_amount, tail of a unique amount, fiat quote, open reservations per address, without a key; 2, rules 9, 10 and 14)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const key = world.key()
  for (const price of ['0.000001', '0.01', '1', '3.5', '1000']) {
    const { amount_raw: raw } = await shop.open({ address, amount: price }, bearer(key))
    const tail = BigInt(raw) - nano(price)
    assert.ok(tail > 0n && tail * 1_000n < nano(price) * 5n, `${price}: ${raw}`)
  }
  const tooSmall = await shop.call('checkout', { address, amount: '0.000000999999' }, bearer(key))
  assert.deepEqual([tooSmall.status, tooSmall.json().code, tooSmall.json().field], [400, 'invalid_amount', 'amount'])

  const euro = await shop.open({ address, amount: '10', currency: 'EUR' }, bearer(key))
  const amountNow = async () =>
    (await ask(`${shop.url}/pay/${euro.id}?json=true`, { method: 'GET' })).json<Made>().amount_raw
  assert.equal(await amountNow(), euro.amount_raw)
  world.clock.advance(15 * MINUTE - 1)
  assert.equal(await amountNow(), euro.amount_raw)
  world.clock.advance(2)
  assert.notEqual(await amountNow(), euro.amount_raw)

  for (let count = 0; count < 20; count++) await shop.open({ address, amount: '1' })
  const full = await shop.call('checkout', { address, amount: '1' })
  assert.deepEqual([full.status, full.json().code, full.json().field], [429, 'too_many_requests', 'address'])
  assert.ok(Number(full.headers['retry-after']) > 0)
  await shop.open({ address, amount: '1' }, bearer(key))
  await shop.open({ address: stranger.address, amount: '1' })
})

test('a checkout lives 24 hours, and late payments are watched for seven more days (contract 8, Checkout: lifetime, watch for late payments; 3, rule 2)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const start = world.clock.now()
  const open = (to: string) => shop.open({ address: to, amount: '1', mode: 'unique_address' }, bearer(world.key()))
  const [late, lost] = [await open(address), await open(stranger.address)]
  assert.equal(late.expires_unix, (start + DAY) / 1_000)
  world.clock.advance(DAY - MINUTE)
  assert.equal((await shop.check(late.id)).status, 'pending')
  for (const { id } of [late, lost]) await turnUntil(world, MINUTE, async () => (await shop.check(id)).expired === true)
  world.clock.advance(start + 8 * DAY - HOUR - world.clock.now())
  await world.pay(address, nano('1'))
  await turnUntil(world, 1_000, async () => (await shop.check(late.id)).additional_status === 'paid_late')
  assert.equal((await shop.check(late.id)).amount_paid_raw, nano('1').toString())
  world.clock.advance(Math.max(0, start + 8 * DAY + HOUR - world.clock.now()))
  // What comes now belongs to nobody; a payment after it is seen.
  await world.pay(stranger.address, nano('1'))
  const probe = await shop.open({ address: stranger.address, amount: '2' }, bearer(world.key()))
  await world.pay(stranger.address, probe.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(probe.id)).success)
  assert.equal((await shop.check(lost.id)).amount_paid_raw, '0')
})

test('one completion mail for a checkout, and reports of the calling key alone (contract 8, Checkout: completion e-mail, checkout_report; 6, rule 13; 4.3, rule 1)', async (t) => {
  const world = await openWorld(t)
  const mails = await openMailServer(t)
  const shop = await world.start({ SMTP_URL: mails.url, MAIL_FROM: 'shop <noreply@gateway.test>' })
  const { key } = await shop.join()
  const fields = { address, amount: '2', title: 'Tea', notify: 'owner@shop.example' }
  const [first, second] = [await shop.open(fields, bearer(key)), await shop.open(fields, bearer(key))]
  await world.pay(address, first.amount_raw)
  await untilStatus(shop, first.id, 'complete')
  // Paid twice, it is still one; the mail of the next comes after any other of the first.
  await world.pay(address, first.amount_raw)
  await turnUntil(world, 1_000, async () => mails.received.length > 0)
  await world.pay(address, second.amount_raw)
  await untilStatus(shop, second.id, 'complete')
  await turnUntil(world, 1_000, async () => mails.received.some(({ text }) => text.includes(second.id)))
  assert.deepEqual(
    mails.to('owner@shop.example').map(({ subject }) => subject),
    ['Payment received: Tea', 'Payment received: Tea'],
  )
  const report = async (as: string) => {
    const { checkouts } = (await shop.call('checkout_report', {}, bearer(as))).json<{ checkouts: { id: string }[] }>()
    return checkouts.map(({ id }) => id).sort()
  }
  assert.deepEqual(await report(key), [first.id, second.id].sort())
  const other = await shop.join()
  const own = await shop.open({ address, amount: '1' }, bearer(other.key))
  assert.deepEqual(await report(other.key), [own.id])
  assert.deepEqual(await report(key), [first.id, second.id].sort())
})
