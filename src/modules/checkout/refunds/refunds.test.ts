import { OPERATOR } from '../../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { Signer } from '../../../../test/support/blocks.ts'
import { bearer, listEvents, turnUntil, untilStatus } from '../../../../test/support/checkout-steps.ts'
import { type Reply, ask } from '../../../../test/support/gateway.ts'
import { PAYER, type Refund, type RefundShop, openRefundShop, raw } from '../../../../test/support/refund-steps.ts'
import { until } from '../../../../test/support/until.ts'
import { issueKey } from '../../accounts/index.ts'

// The holder of the link can take the money, so a key that can only read must not get it.
test('the link of a refund is shown to keys that may refund, and to no others', async (t) => {
  const { shop, merchant, sell, refund, untilRefund } = await openRefundShop(t)
  const made = await sell()
  const { claim_url: link } = (await refund(made.id, { as: 'link' })).json<Refund>()
  assert.ok(link)
  await untilRefund(made.id, 'waiting_for_claim')
  const key = { accountId: merchant.accountId, kind: 'secret', name: 'test', actor: OPERATOR } as const
  const { text } = await issueKey(shop.ctx, { ...key, wanted: { scopes: ['checkout', 'reports'] } })
  const answers = [
    await shop.rest('GET', `/api/checkouts/${made.id}`, text),
    await shop.rest('GET', '/api/checkouts', text),
    await shop.call('checkout_report', {}, bearer(text)),
    await shop.call('checkout_report', {}, merchant.headers),
  ]
  for (const answer of answers) {
    assert.equal(answer.status, 200, answer.text)
    assert.ok(!answer.text.includes(link.split('#')[1]!), answer.text)
  }
  assert.ok(answers[0]!.text.includes('"refunds"'))
})

const MINUTE = 60_000
const keeper = new Signer(78).address

/** A checkout with its own wallet, paid in part. */
async function sellPart({ world, shop, merchant }: RefundShop) {
  const made = await shop.open({ address: keeper, amount: '3', mode: 'generated_wallet' }, merchant.headers)
  await world.pay(made.address, raw('1'))
  await untilStatus(shop, made.id, 'partial')
  return made
}

/** The payment to the merchant's wallet is in that wallet. */
async function receiveAll({ world, shop, merchant, wallet }: RefundShop): Promise<void> {
  const { db } = shop.app.store
  const receive = { account: wallet, receive: true }
  const isReceived = async () => {
    await shop.call('cloud_wallet', receive, merchant.headers)
    const row = await db.selectFrom('wallets').select('balance_raw').where('address', '=', wallet).executeTakeFirst()
    return row!.balance_raw !== '0'
  }
  await turnUntil(world, 1_000, isReceived)
}

for (const source of ['cloud wallet', 'wallet of the checkout'] as const) {
  test(`403 refunds from the ${source} of an account whose sends the operator has switched off`, async (t) => {
    const opened = await openRefundShop(t)
    const { world, shop, merchant, sell, refund } = opened
    const made = source === 'cloud wallet' ? await sell() : await sellPart(opened)
    const path = `/api/accounts/${merchant.accountId}/standing`
    await shop.rest('PUT', path, world.key(), { features: { wallet_sends: false } })
    const refused = await refund(made.id)
    assert.deepEqual([refused.status, refused.json().code], [403, 'feature_disabled'])
  })

  test(`a refund from the ${source} that waits when its account is suspended does not leave, and fails in time`, async (t) => {
    const opened = await openRefundShop(t, 'sqlite', { WALLET_WAIT_MS: '2000' })
    const { world, shop, merchant, sell, refund, fundsOf } = opened
    const made = source === 'cloud wallet' ? await sell() : await sellPart(opened)
    const { faults } = world.ledger.node
    faults.set('account_info', { kind: 'error', milliseconds: 0 })
    assert.equal((await refund(made.id)).json<Refund>().status, 'created')
    const word = { reason: 'Abuse.' }
    const suspended = await shop.rest('POST', `/api/accounts/${merchant.accountId}/suspend`, world.key(), word)
    assert.equal(suspended.status, 200, suspended.text)
    faults.end('account_info')
    const before = fundsOf(PAYER)
    const find = () =>
      shop.app.store.db.selectFrom('checkout_refunds').select(['status', 'failure']).executeTakeFirstOrThrow()
    const later = world.clock.now() + MINUTE
    await turnUntil(world, 6_000, () => Promise.resolve(world.clock.now() >= later))
    assert.deepEqual([fundsOf(PAYER), (await find()).status], [before, 'created'])
    world.clock.advance(15 * MINUTE)
    await turnUntil(world, 6_000, async () => (await find()).status === 'failed')
    assert.equal(fundsOf(PAYER), before)
  })
}

/** A refund whose block no node accepts, and another wallet that could pay it as well. */
async function openStuckRefund(t: TestContext) {
  const opened = await openRefundShop(t)
  const { world, shop, merchant, sell, refund, list, fundsOf } = opened
  const { db } = shop.app.store
  const made = await sell()
  await receiveAll(opened)
  const other = (await shop.call('cloud_wallet', { wallet_action: 'create_wallet' }, merchant.headers)).json()
  await world.pay(other.address!, raw('5'))
  const before = fundsOf(PAYER)
  const { faults } = world.ledger.node
  faults.set('process', { kind: 'error', milliseconds: 0 })
  const asked = refund(made.id)
  await turnUntil(world, 500, async () => (await list(made.id)).refunds[0]?.status === 'sending')
  const first = await db.selectFrom('checkout_refunds').selectAll().executeTakeFirstOrThrow()
  const again = (key: string) => refund(made.id, { from: other.address }, { 'idempotency-key': key })
  const given = () => fundsOf(PAYER) - before
  return { ...opened, db, made, first, faults, asked, again, given }
}

// A node reported somebody else's block in this place, and a person found that there is none: the same bytes are sent
// again.
test('a refund whose block was lost is not made a second time before the unfreeze has decided about the first', async (t) => {
  const { world, db, made, first, faults, asked, again, given, untilRefund } = await openStuckRefund(t)
  await db.updateTable('wallets').set({ frozen_at: world.clock.now() }).where('id', '=', first.wallet_id).execute()
  await db.updateTable('wallet_blocks').set({ status: 'lost' }).where('id', '=', first.block_id).execute()
  await asked
  faults.end('process')
  const refused = await again('again')
  assert.equal(refused.json().code, 'refund_too_large', refused.text)
  const thawed = { frozen_at: null, thawed_at: world.clock.now() }
  await db.updateTable('wallets').set(thawed).where('id', '=', first.wallet_id).execute()
  await untilRefund(made.id, 'sent')
  assert.equal(given(), BigInt(made.amount_raw))
})

// No node has it, but nodes may be hiding it. Until another block is final in its place, it may still arrive.
test('a refund whose block was released is not made a second time before it is certain that the first never arrives', async (t) => {
  const { world, db, list, made, first, faults, asked, again, given, untilRefund } = await openStuckRefund(t)
  const release = (refusal: string | null) =>
    db
      .updateTable('wallet_blocks')
      .set({ status: 'void', previous: null, refusal })
      .where('id', '=', first.block_id)
      .execute()
  await release(null)
  // The caller gets an answer when the time for the refund is over.
  world.clock.advance(5 * MINUTE)
  await asked
  faults.end('process')
  assert.equal((await again('too early')).json().code, 'refund_too_large')
  await release('send_void')
  await untilRefund(made.id, 'failed')
  assert.equal((await list(made.id)).refunds[0]!.failure, 'send_void')
  await again('in time')
  await turnUntil(world, 500, async () => (await list(made.id)).refunds.some(({ status }) => status === 'sent'))
  assert.equal(given(), BigInt(made.amount_raw))
})

// Somebody who pays first, in many small parts, must not be refunded what another payer paid.
test('409 several have paid, however many payments of the first come before that of the second', async (t) => {
  const { shop, sell, refund } = await openRefundShop(t)
  const made = await sell()
  const { db } = shop.app.store
  const paid = await db.selectFrom('checkout_payments').selectAll().executeTakeFirstOrThrow()
  const dust = Array.from({ length: 500 }, (_, at) => ({
    ...paid,
    block_hash: at.toString(16).toUpperCase().padStart(64, '0'),
    payer: keeper,
    amount_raw: '1',
    created_at: paid.created_at - 1_000,
  }))
  await db.insertInto('checkout_payments').values(dust).execute()
  const several = (await refund(made.id)).json<{ code: string; payers: string[] }>()
  assert.equal(several.code, 'refund_address_required')
  assert.deepEqual(several.payers.sort(), [PAYER, keeper].sort())
})

test('after a part was given back, the rest of the price is not the price, paid late', async (t) => {
  const opened = await openRefundShop(t)
  const { world, shop, refund, untilRefund } = opened
  const made = await sellPart(opened)
  await refund(made.id)
  await untilRefund(made.id, 'sent')
  await world.pay(made.address, raw('2'))
  const { db } = shop.app.store
  const countPayments = async () => (await db.selectFrom('checkout_payments').selectAll().execute()).length
  await turnUntil(world, 6_000, async () => (await countPayments()) === 2)
  const checkout = await db.selectFrom('checkouts').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([checkout.paid_raw, checkout.additional_status], [raw('3').toString(), 'none'])
  const types = (await listEvents(shop, made.id)).map(({ type }) => type)
  assert.ok(!types.includes('payment.late'), types.join())
})

// Merchants pass the link on at once; its money is confirmed and received by its wallet a moment later.
test('a buyer who opens the link of a refund early does not read that the money went back, and gets it a moment later (contract 4.10, rule 7)', async (t) => {
  const opened = await openRefundShop(t)
  const { world, shop, sell, refund, untilRefund, fundsOf } = opened
  const made = await sell()
  await receiveAll(opened)
  const { node } = world.ledger
  node.hold()
  const { claim_url: link } = (await refund(made.id, { as: 'link' })).json<Refund>()
  const code = link!.split('#')[1]!
  const post = async (fields: object, accept: string) => {
    const headers = { 'content-type': 'application/json', accept }
    const body = JSON.stringify({ code, ...fields })
    return ask(`${shop.url}/claim`, { method: 'POST', headers, body })
  }
  const early = await post({ address: keeper }, 'application/json')
  assert.deepEqual([early.status, early.json().code], [503, 'wallet_busy'])
  const page = await post({}, 'text/html')
  assert.match(page.text, /has not arrived yet/)
  assert.doesNotMatch(page.text, /expired/i)
  await node.release()
  await untilRefund(made.id, 'waiting_for_claim')
  await turnUntil(world, 500, async () => (await post({ address: keeper }, 'application/json')).status === 200)
  await turnUntil(world, 500, () => Promise.resolve(fundsOf(keeper) === BigInt(made.amount_raw)))
})

test('a merchant gives back the whole price in its currency where the last digits that were paid cannot be typed', async (t) => {
  const { world, shop, merchant, wallet, refund } = await openRefundShop(t)
  const price = { address: wallet, mode: 'unique_address', amount: '10', currency: 'EUR' }
  const made = await shop.open(price, merchant.headers)
  // After the quote, an amount worth the price is enough: 10 euros at 0.86, rounded up to less than the amount asked
  // for.
  const paid = '11.6279069768'
  world.clock.advance(16 * 60_000)
  await world.pay(made.address, raw(paid))
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).success)
  const more = await refund(made.id, { fiat_amount: '10.01' })
  assert.deepEqual([more.status, more.json().code], [409, 'refund_too_large'])
  const all = (await refund(made.id, { fiat_amount: '10' })).json<Refund>()
  assert.deepEqual([all.amount_raw, all.fiat_amount], [`${raw(paid)}`, '10.00'])
})

test('a refund by link that fails ends its link: nobody waits at it for money that never left (contract 4.10, rules 7 and 8)', async (t) => {
  const { shop, merchant, turning, sell, refund, list, wallet } = await openRefundShop(t)
  const made = await sell()
  const all = { send: keeper, amount: 'all', account: wallet }
  assert.equal((await turning(shop.call('cloud_wallet', all, merchant.headers))).status, 200)
  assert.equal((await refund(made.id, { as: 'link' })).json().code, 'insufficient_funds')
  assert.deepEqual(
    (await list(made.id)).refunds.map(({ status }) => status),
    ['failed'],
  )
  const links = shop.app.store.db.selectFrom('email_payments').select('cancelled_at')
  assert.notEqual((await links.executeTakeFirstOrThrow()).cancelled_at, null)
})

test('a merchant whose refund meets the sweep is asked to name a wallet, and not that one is missing', async (t) => {
  const { shop, merchant, wallet, sell } = await openRefundShop(t, 'postgres')
  const { db } = shop.app.store
  const made = await sell()
  const { id } = await db.selectFrom('wallets').select('id').where('address', '=', wallet).executeTakeFirstOrThrow()
  const own = { wallet_id: id, merchant_address: keeper }
  await db.updateTable('checkouts').set(own).where('id', '=', made.id).execute()
  let asked: Promise<Reply> | undefined
  await db.transaction().execute(async (tx) => {
    await tx.updateTable('wallets').set({ status: 'expiring', ends_as: 'deleted' }).where('id', '=', id).execute()
    asked = shop.call('checkout_refund', { id: made.id }, merchant.headers)
    await until(async () => (await sql`select 1 from pg_locks where not granted`.execute(db)).rows.length > 0)
  })
  const reply = await asked!
  assert.deepEqual([reply.status, reply.json().code], [409, 'refund_source_required'], reply.text)
})
