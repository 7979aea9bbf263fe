import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frontierOf, publish } from '../support/blocks.ts'
import { until } from '../support/until.ts'
import {
  type Shop,
  bearer,
  merchant,
  nano,
  openShop,
  show,
  stranger,
  turnUntil,
  untilStatus,
} from '../support/checkout-steps.ts'
import { row } from './row.ts'

/* Contract 3: all changes of state of an open checkout. */

const { address } = merchant
const MINUTE = 60_000
const DAY = 86_400_000

/** The states that a checkout went through, with their flags. */
async function pathOf(shop: Shop, id: string, key: string): Promise<string[]> {
  const { timeline } = await show(shop, id, key)
  return timeline.map(({ status, additional_status: also }) => (also === 'none' ? status : `${status}, ${also}`))
}

const kindsOf = async (shop: Shop, id: string, key: string) =>
  (await show(shop, id, key)).webhook_events.map(({ type }) => type)

test('an exact amount: pending, detected, back again when its block is lost, complete, and never anything else (contract 2, rule 16; 3, rule 1; 3, rule 2; 4.6, rules 2 and 3; 7, rule 3)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const { node } = world.ledger
  const made = await shop.open({ address, amount: '1.5', webhook_events: ['payment.detected'] }, bearer(key))
  const bare = BigInt(nano('1.5'))
  const raw = BigInt(made.amount_raw)
  assert.ok(raw > bare && raw < bare + bare / 200n + nano('0.000001'), 'the price and a tail of its own')
  const createdUnix = world.clock.now() / 1000
  const asked = {
    id: made.id,
    additional_status: 'none',
    address,
    amount: made.amount,
    amount_raw: made.amount_raw,
    expires_unix: createdUnix + 86_400,
    json: made.json,
    browser: made.browser,
  }
  const unpaid = { ...asked, success: false, amount_paid: '0', amount_paid_raw: '0', amount_due_raw: made.amount_raw }
  const atFirst = await shop.check(made.id)
  row('3, Checkout: creation, pending, none', () => assert.deepEqual(atFirst, { ...unpaid, status: 'pending' }))

  node.hold()
  const lost = await world.pay(address, made.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).status === 'detected')
  const seen = await shop.check(made.id)
  const blockOf = (hash: string) => ({ hash, account: seen.detected_block!.account, ...amounts })
  const amounts = { amount: made.amount, amount_raw: made.amount_raw }
  assert.match(seen.detected_block!.account, /^nano_/)
  const kinds = await kindsOf(shop, made.id, key)
  row('3, Checkout: detected, a matching send is seen', () => {
    assert.deepEqual(seen, { ...unpaid, status: 'detected', detected_block: blockOf(lost) })
    assert.deepEqual(kinds, ['payment.detected'], 'nothing is complete')
  })
  await node.drop(lost)
  await turnUntil(world, 5_000, async () => (await shop.check(made.id)).status === 'pending')
  const back = await shop.check(made.id)
  row('3, Checkout: the block is lost', () => assert.deepEqual(back, { ...unpaid, status: 'pending' }))

  const hash = await world.pay(address, made.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).status === 'detected')
  await node.release()
  const paid = await untilStatus(shop, made.id, 'complete')
  row('3, Checkout: complete, enough is confirmed', () =>
    assert.deepEqual(paid, {
      ...asked,
      status: 'complete',
      success: true,
      amount_paid: made.amount,
      amount_paid_raw: made.amount_raw,
      amount_due_raw: '0',
      message: 'Payment received.',
      block: blockOf(hash),
    }),
  )
  assert.deepEqual(await pathOf(shop, made.id, key), ['pending', 'detected', 'pending', 'detected', 'complete'])
  assert.equal(hash, lost, 'the very same block, which is told of once')
  assert.deepEqual(await kindsOf(shop, made.id, key), ['payment.detected', 'payment.completed'])

  // `complete` is final: no second payment, marking, change, deletion or expiry changes it.
  const twice = await world.pay(address, made.amount_raw)
  const isPaidTwice = async () => (await shop.check(made.id)).additional_status === 'overpaid'
  await until(isPaidTwice)
  const overpaid = await shop.check(made.id)
  const { payments } = await show(shop, made.id, key)
  assert.ok(payments.some(({ block_hash: hash, kind }) => hash === twice && kind === 'counted'))
  const sum = (BigInt(made.amount_raw) * 2n).toString()
  row('3, Checkout: overpaid, paid again', () => {
    const { status, success, amount_paid_raw: all, block } = overpaid
    assert.deepEqual(
      { status, success, all, block },
      { status: 'complete', success: true, all: sum, block: paid.block },
    )
  })
  assert.equal((await shop.rest('POST', `/api/checkouts/${made.id}/mark`, key)).status, 409)
  assert.equal((await shop.rest('PUT', `/api/checkouts/${made.id}`, key, { amount: '9' })).status, 409)
  assert.equal((await shop.rest('DELETE', `/api/checkouts/${made.id}`, key)).status, 200)
  const other = await shop.open({ address, amount: '1' }, bearer(key))
  world.clock.leap(DAY)
  await turnUntil(world, 5_000, async () => (await shop.check(other.id)).status === 'expired')
  assert.deepEqual(await shop.check(made.id), overpaid)
  assert.equal((await kindsOf(shop, made.id, key)).filter((type) => type === 'payment.completed').length, 1)
})

test('`detected` is withdrawn if the block is not final after 90 seconds; a checkout paid just before its end stays open, while an unpaid one ends', async (t) => {
  const { world, shop, key } = await openShop(t)
  const { node } = world.ledger
  const open = (amount: string) => shop.open({ address, amount }, bearer(key))
  const [made, last, unpaid] = [await open('1'), await open('2'), await open('3')]
  const end = world.clock.now() + DAY
  world.clock.leap(DAY - 60 * MINUTE)
  node.hold()
  await world.pay(address, made.amount_raw)
  await turnUntil(world, 5_000, async () => (await shop.check(made.id)).status === 'detected')
  await turnUntil(world, 5_000, async () =>
    (await show(shop, made.id, key)).timeline.some(({ reason }) => reason === 'not confirmed'),
  )
  const { timeline } = await show(shop, made.id, key)
  const [seen, given] = ['seen', 'not confirmed'].map((wanted) => timeline.find(({ reason }) => reason === wanted)!)
  // The clock advances in steps of five seconds, even between detecting a payment and recording it.
  assert.ok(given!.at_unix - seen!.at_unix >= 80, `${given!.at_unix - seen!.at_unix} seconds`)
  row('3, Checkout: the block is lost', () => assert.deepEqual([seen!.status, given!.status], ['detected', 'pending']))

  // Detected ten seconds before the end and still unconfirmed after it; another, unpaid checkout has ended by then.
  world.clock.leap(end - 10_000 - world.clock.now())
  await world.pay(address, last.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(last.id)).status === 'detected')
  await turnUntil(world, 1_000, async () => (await shop.check(unpaid.id)).status === 'expired')
  const states = await pathOf(shop, last.id, key)
  row('3, Checkout: lifetime over while detected', () => assert.deepEqual(states, ['pending', 'detected']))
  // Both expired long ago.
  const later = await shop.open({ address: stranger.address, amount: '1' }, bearer(key))
  world.clock.leap(DAY)
  await turnUntil(world, 5_000, async () => (await shop.check(later.id)).status === 'expired')
  assert.ok(!(await pathOf(shop, made.id, key)).includes('expired'))
  await node.release()
  await turnUntil(world, 5_000, async () => (await shop.check(made.id)).status === 'complete')
  assert.equal((await shop.check(made.id)).additional_status, 'none')
})

test('a sum: partial, detected, partial again, complete when it suffices, overpaid beyond, with one completion (contract 2, Checkout modes: unique_address)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const { node } = world.ledger
  const mode = 'unique_address'
  const webhook_events = ['payment.partial']
  const made = await shop.open({ address, amount: '1', mode, webhook_events }, bearer(key))
  assert.deepEqual([made.amount, made.amount_raw, made.mode], ['1', `${nano('1')}`, mode], 'no tail')
  const standing = async () => {
    const { status, additional_status: also, amount_paid_raw: paid, amount_due_raw: due } = await shop.check(made.id)
    return [status, also, BigInt(paid), BigInt(due)]
  }
  await world.pay(address, nano('0.4'))
  const partial = await untilStatus(shop, made.id, 'partial')
  const first = await standing()
  row('3, Checkout: partial, too little is confirmed', () => {
    assert.deepEqual(first, ['partial', 'none', nano('0.4'), nano('0.6')])
    assert.deepEqual([partial.success, 'block' in partial, 'message' in partial], [false, false, false])
  })

  node.hold()
  const lost = await world.pay(address, nano('0.6'))
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).status === 'detected')
  assert.equal((await shop.check(made.id)).amount_paid_raw, `${nano('0.4')}`, 'what is not final is not paid')
  await node.drop(lost)
  await turnUntil(world, 5_000, async () => (await shop.check(made.id)).status === 'partial')
  const back = await standing()
  row('3, Checkout: the block is lost', () => assert.deepEqual(back, first))
  await node.release()

  const last = await world.pay(address, nano('0.6'))
  const complete = await untilStatus(shop, made.id, 'complete')
  const enough = await standing()
  row('3, Checkout: enough is confirmed', () => assert.deepEqual(enough, ['complete', 'none', nano('1'), 0n]))
  assert.deepEqual([complete.block?.hash, complete.block?.amount_raw], [last, `${nano('0.6')}`])
  await world.pay(address, nano('2'))
  await until(async () => (await shop.check(made.id)).additional_status === 'overpaid')
  const more = await standing()
  const { webhook_events: events } = await show(shop, made.id, key)
  const types = events.map(({ type }) => type)
  row('3, Checkout: overpaid, paid again', () => {
    assert.deepEqual(more, ['complete', 'overpaid', nano('3'), 0n])
    assert.deepEqual(types, ['payment.partial', 'payment.completed'])
  })
  assert.deepEqual(
    events.map(({ payload }) => [payload.status, payload.payment.amount_raw]),
    [
      ['partial', `${nano('0.4')}`],
      ['complete', `${nano('1')}`],
    ],
  )

  // An overpayment completes it at once, with the flag.
  const much = await shop.open({ address: stranger.address, amount: '1', mode }, bearer(key))
  await world.pay(stranger.address, nano('1.5'))
  const over = await untilStatus(shop, much.id, 'complete')
  row('2, Checkout status: additional_status, amount_due_raw', () =>
    assert.deepEqual([over.additional_status, over.amount_due_raw], ['overpaid', '0']),
  )
  assert.deepEqual(await pathOf(shop, much.id, key), ['pending', 'complete, overpaid'])
})

test('what counts: confirmed, to this address, after the checkout was made, the exact amount, once for each owner (contract 3, rules 3 and 4)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const { node } = world.ledger
  const mode = 'unique_address'
  // Sent earlier, to another address, with one raw less, and without the unique digits: none of these pays it.
  await world.pay(address, nano('1'))
  world.clock.advance(6_000)
  const mine = await shop.open({ address, amount: '5', mode }, bearer(key))
  const exact = await shop.open({ address, amount: '1' }, bearer(key))
  const { key: otherKey } = await shop.join()
  const theirs = await shop.open({ address, amount: '9', mode }, bearer(otherKey))
  const keyless = [await shop.open({ address, amount: '7' }), await shop.open({ address, amount: '1' })]
  // A checkout made by version 0.2, where payments to a checkout without a key are added up.
  const { db } = shop.app.store
  await db.deleteFrom('checkout_reservations').where('checkout_id', '=', keyless[0]!.id).execute()
  const summed = { mode, amount_raw: `${nano('7')}` } as const
  await db.updateTable('checkouts').set(summed).where('id', '=', keyless[0]!.id).execute()
  await world.pay(stranger.address, exact.amount_raw)
  await world.pay(address, `${BigInt(exact.amount_raw) - 1n}`)
  const hasGot = (id: string, raw: bigint) =>
    turnUntil(world, 1_000, async () => (await shop.check(id)).amount_paid_raw === `${raw}`)
  const first = BigInt(exact.amount_raw) - 1n
  for (const { id } of [mine, theirs, keyless[0]!]) await hasGot(id, first)
  assert.equal((await shop.check(exact.id)).status, 'pending')

  // A block pays one checkout of each owner; an exact amount is preferred to an open sum. All callers without a key count as one owner.
  const hash = await world.pay(address, exact.amount_raw)
  const both = first + BigInt(exact.amount_raw)
  for (const { id } of [theirs, keyless[0]!]) await hasGot(id, both)
  const complete = await untilStatus(shop, exact.id, 'complete')
  assert.equal(complete.block?.hash, hash)
  await world.pay(address, keyless[1]!.amount_raw)
  await untilStatus(shop, keyless[1]!.id, 'complete')
  await hasGot(mine.id, first + BigInt(keyless[1]!.amount_raw))
  await hasGot(keyless[0]!.id, both)

  // The events of a send are lost and those of its receive arrive: the send is what counts.
  const late = await shop.open({ address, amount: '2' }, bearer(key))
  world.relay.muted = true
  const sent = await world.pay(address, late.amount_raw)
  world.relay.muted = false
  await publish(node, merchant.receive(frontierOf(node, merchant.key), sent, BigInt(late.amount_raw)))
  assert.equal((await untilStatus(shop, late.id, 'complete')).block?.hash, sent)
})
