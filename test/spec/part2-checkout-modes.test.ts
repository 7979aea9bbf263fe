import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../support/gateway.ts'
import {
  bearer,
  type EventBody,
  listEvents,
  type Made,
  merchant,
  nano,
  openShop,
  openWorld,
  type Shop,
  stranger,
  turnUntil,
  untilStatus,
} from '../support/checkout-steps.ts'

/* Contract 2, checkout modes: requested amounts, and which payments count. */

const { address } = merchant
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** The gateway computes work for wallets' blocks, although this ledger does not require it. */
const WITH_WALLETS = { CHECKOUT_GENERATED_WALLETS: 'all', WORK_THREADS: '1', WORK_NODES: 'false' }

async function refuse(shop: Shop, fields: object, headers: Record<string, string> = {}) {
  const reply = await shop.call('checkout', fields, headers)
  const { code, field } = reply.json<{ code: string; field?: string }>()
  return [reply.status, code, field]
}

test('a username is the address it had when the checkout was made (contract 2, Checkout request fields: address)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start({ KNOWN_NAMES: JSON.stringify({ alice: address }) })
  const made = await shop.open({ address: '@Alice', amount: '1' })
  assert.equal(made.address, address)
  assert.deepEqual(await refuse(shop, { amount: '1' }), [400, 'invalid_request', 'address'])
  assert.deepEqual(await refuse(shop, { address: 'nano_1', amount: '1' }), [400, 'invalid_account', 'address'])
  await shop.close()
  const renamed = await world.start({ KNOWN_NAMES: JSON.stringify({ alice: stranger.address }) })
  assert.equal((await renamed.check(made.id)).address, address)
  assert.deepEqual(await refuse(renamed, { address: '@nobody', amount: '1' }), [400, 'username_not_found', 'address'])
})

test('the tail of an amount is below half a percent and short, digits written X are filled at random; nothing but the whole amount pays (contract 2, Checkout modes: unique_amount; 2, rules 8 and 9; 8, Checkout: smallest price of unique_amount, tail of a unique amount; 2, Checkout request fields: amount, random)', async (t) => {
  const { world, shop } = await openShop(t)
  const headers = bearer(world.key())
  // As few digits as a unique amount needs: at most four, and none beyond the sixth decimal if there is space above it.
  for (const [amount, most, decimals] of [
    ['1', '1.005', 6],
    [1.5, '1.5075', 6],
    ['1000', '1000.009999', 6],
    ['0.1', '0.1005', 6],
    ['0.01', '0.01005', 8],
    ['0.0001', '0.0001005', 10],
    ['0.000001', '0.000001005', 12],
  ] as const) {
    const made = await shop.open({ address, amount }, headers)
    assert.equal(made.mode, 'unique_amount')
    const tail = nano(made.amount) - nano(`${amount}`)
    assert.ok(tail > 0n && nano(made.amount) <= nano(most), `${amount}: ${made.amount}`)
    assert.ok(made.amount.split('.')[1]!.length <= decimals, `${amount}: ${made.amount}`)
  }
  for (const amount of ['0.000000999999999999999999999999', '0.0000009', '0', '-1', 1e-7]) {
    assert.deepEqual(await refuse(shop, { address, amount }), [400, 'invalid_amount', 'amount'], `${amount}`)
  }
  // Digits written as X are filled at random.
  const drawn = await shop.open({ address, amount: '1.0XXX', random: 'true' }, headers)
  assert.equal(drawn.mode, 'unique_amount')
  assert.match(drawn.amount, /^1\.0\d\d[1-9]$/)
  await world.pay(address, drawn.amount_raw)
  await untilStatus(shop, drawn.id, 'complete')

  // Too long to type: the page shows QR code and link first, then the digits.
  const small = await shop.open({ address, amount: '0.000001' }, headers)
  const page = await ask(String(small.browser), { method: 'GET', headers: { accept: 'text/html' } })
  const parts = ['class="qr"', `href="${small.link}"`, `<code>${small.amount}</code>`]
  const [code, link, digits] = parts.map((part) => page.text.indexOf(part))
  assert.ok(code! > 0 && link! > code! && digits! > link!, page.text)

  const made = await shop.open({ address, amount: '2' }, headers)
  await world.pay(address, nano('2'))
  await world.pay(address, `${BigInt(made.amount_raw) - 1n}`)
  const unmatched = async () =>
    (await shop.rest('GET', '/api/checkouts/unmatched', world.key())).json<{ payments: object[] }>().payments.length
  await turnUntil(world, 1_000, async () => (await unmatched()) === 2)
  assert.deepEqual([(await shop.check(made.id)).status, (await shop.check(made.id)).amount_paid_raw], ['pending', '0'])
  await world.pay(address, made.amount_raw)
  await untilStatus(shop, made.id, 'complete')
})

// Nine amounts fit the price. A tenth checkout would share its amount with another customer's.
test('an amount is reserved for its owner and address, also after the end, and then free again (contract 2, rules 8 and 10; 2, Checkout request fields: amount)', async (t) => {
  const { world, shop } = await openShop(t)
  const [mine, theirs] = [bearer(world.key()), bearer((await shop.join()).key)]
  const fields = { address, amount: '1.X' }
  const taken = new Map<string, string>()
  while (taken.size < 9) {
    const reply = await shop.call('checkout', fields, mine)
    // The gateway gives up after some random tries, which may all miss the last free amount.
    if (reply.status === 503) continue
    const { id, amount } = reply.json<Made>()
    assert.match(amount, /^1\.[1-9]$/)
    assert.equal(taken.has(amount), false, amount)
    taken.set(amount, id)
  }
  const exhausted = [503, 'amount_space_exhausted', undefined]
  assert.deepEqual(await refuse(shop, fields, mine), exhausted)
  assert.match((await shop.open(fields, theirs)).amount, /^1\.[1-9]$/)
  assert.match((await shop.open({ ...fields, address: stranger.address }, mine)).amount, /^1\.[1-9]$/)
  assert.equal((await shop.rest('DELETE', `/api/checkouts/${taken.get('1.7')}`, world.key())).status, 200)
  assert.deepEqual(await refuse(shop, fields, mine), exhausted, 'cancelled, and still taken')
  world.clock.leap(9 * DAY)
  await turnUntil(world, 5 * MINUTE, async () => (await shop.call('checkout', fields, mine)).status === 200)
})

test('a generated wallet has an address of its own, takes parts and donations, and brings them to the merchant; at an address anything but noise is a donation (contract 2, Checkout modes: generated_wallet, unique_address; 2, rules 12 and 13; 6, rule 4; 6, Body: address, payment, block)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start(WITH_WALLETS)
  const mode = 'generated_wallet'
  const headers = bearer(world.key())
  const made = await shop.open({ address, amount: '1', mode }, headers)
  assert.notEqual(made.address, address)
  assert.equal(made.link, `nano:${made.address}?amount=${nano('1')}`)
  await world.pay(made.address, nano('0.4'))
  await untilStatus(shop, made.id, 'partial')
  const last = await world.pay(made.address, nano('0.7'))
  const check = await untilStatus(shop, made.id, 'complete')
  assert.deepEqual([check.additional_status, check.address], ['overpaid', made.address])
  const [event] = await listEvents(shop, made.id)
  const { address: top, payment, block } = JSON.parse(event!.body) as EventBody
  assert.deepEqual([top, payment.address, payment.amount], [made.address, made.address, '1.1'])
  assert.deepEqual([block!.hash, block!.amount], [last, '0.7'], 'the block is the last')

  const gift = await shop.open({ address, mode }, headers)
  assert.equal(new Set([gift.address, made.address, address]).size, 3)
  await world.pay(gift.address, nano('0.25'))
  assert.equal((await untilStatus(shop, gift.id, 'complete')).amount_paid_raw, `${nano('0.25')}`)
  await turnUntil(world, 1_000, async () => {
    const { receivable } = (await shop.call('account_balance', { account: address })).json()
    return receivable === `${nano('1.35')}`
  })
  // Without a generated wallet too, any amount above the minimum is a donation.
  const donation = await shop.open({ address: stranger.address, mode: 'unique_address' })
  await world.pay(stranger.address, '999999999999999999999999')
  await world.pay(stranger.address, nano('0.000001'))
  assert.equal((await untilStatus(shop, donation.id, 'complete')).amount_paid_raw, `${nano('0.000001')}`)
  await shop.close()

  const without = await world.start({ CHECKOUT_GENERATED_WALLETS: 'none' })
  const plain = { address, amount: '1', mode }
  assert.deepEqual(await refuse(without, plain, headers), [403, 'feature_disabled', 'mode'])
  assert.deepEqual(await refuse(without, plain), [401, 'key_required', 'mode'])
})

test('a reload and a second tab see the same amount; a quarter of an hour later there is a new one, and both pay (contract 2, rule 14; 8, Checkout: fiat quote)', async (t) => {
  const { world, shop } = await openShop(t)
  const openPage = async (id: string) => (await ask(`${shop.url}/pay/${id}?json=true`, { method: 'GET' })).json<Made>()
  const made = await shop.open({ address, amount: '10', currency: 'EUR' }, bearer(world.key()))
  assert.deepEqual([made.rate, made.currency, made.fiat_amount], ['0.86', 'EUR', '10'])
  // Ten euros at 0.86 are 11.627907 nano, plus the unique digits.
  assert.ok(nano(made.amount) > nano('11.627907') && nano(made.amount) < nano('11.69'), made.amount)
  assert.equal((await openPage(made.id)).amount_raw, made.amount_raw)
  world.clock.advance(14 * MINUTE)
  assert.equal((await openPage(made.id)).amount_raw, made.amount_raw)
  world.clock.advance(MINUTE + 1)
  const tabs = await Promise.all(Array.from({ length: 8 }, () => openPage(made.id)))
  const amounts = new Set(tabs.map(({ amount_raw: raw }) => raw))
  assert.equal(amounts.size, 1)
  assert.ok(!amounts.has(made.amount_raw), 'the old amount stays with the old quote')
  // The value is unchanged: a payment of the old amount counts, and a new quote does not change what it was for.
  await world.pay(address, made.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).success)
  assert.equal((await shop.check(made.id)).amount_raw, made.amount_raw, 'what was asked of whoever paid it')
})
