import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Raw, parseNano, toRaw } from '../../src/kernel/money.ts'
import { type CheckoutContext } from '../../src/modules/checkout/index.ts'
import { creditSend } from '../../src/modules/checkout/domain/credit.ts'
import { SMALLEST_PRICE } from '../../src/modules/checkout/domain/amounts.ts'
import { deleteCheckout } from '../../src/modules/checkout/domain/end.ts'
import { markPaid } from '../../src/modules/checkout/domain/mark.ts'
import { refreshQuote } from '../../src/modules/checkout/domain/quote.ts'
import { type Payment, listUnmatched } from '../../src/modules/checkout/payments-store.ts'
import { findCheckout } from '../../src/modules/checkout/store.ts'
import { listTimeline } from '../../src/modules/checkout/changes-store.ts'
import { Signer } from '../support/blocks.ts'
import { forEachEngine } from '../support/engines.ts'
import { addCheckout, callerOf, openWith, sendOf, toCheckoutCtx } from '../support/checkout-context.ts'

/* The store's guarantees about money, on each engine and under concurrency. */

const address = new Signer(1).address
const payer = new Signer(2).address
const caller = callerOf('acc_shop')
const open = (ctx: CheckoutContext, fields: object) => openWith(ctx, caller, { address, ...fields })

const send = (ctx: CheckoutContext, hash: string, amountRaw: Raw) =>
  sendOf(ctx, { hash, from: payer, to: address, amountRaw })

const events = async ({ db }: CheckoutContext) => (await db.selectFrom('events').select('id').execute()).length

forEachEngine((engine, openFresh) => {
  const openShop = async (t: TestContext) => {
    const { ctx, clock, openAnother } = await openFresh(t)
    return {
      ctx: toCheckoutCtx(ctx, engine),
      clock,
      openOther: async () => toCheckoutCtx((await openAnother()).ctx, engine),
    }
  }

  // Contract 3, rule 4: a block may be reported any number of times, and is one payment.
  test('fifty copies of one confirmation at once: one payment, one event, one email', async (t) => {
    const { ctx, openOther } = await openShop(t)
    const other = await openOther()
    const checkout = await open(ctx, { amount: '1', notify: 'shop@example.com' })
    const block = send(ctx, 'A', checkout.amountRaw!)
    const results = await Promise.all(Array.from({ length: 50 }, (_, at) => creditSend(at % 2 ? ctx : other, block)))
    assert.deepEqual(results.flat(), [checkout.id])
    assert.equal(await events(ctx), 1)
    const mails = await ctx.db.selectFrom('jobs').select('id').where('kind', '=', 'checkout.notify').execute()
    assert.equal(mails.length, 1)
    assert.equal((await ctx.db.selectFrom('checkout_payments').select('owner').execute()).length, 1)
    const paid = await findCheckout(ctx.db, checkout.id)
    assert.deepEqual([paid!.status, paid!.paidRaw], ['complete', checkout.amountRaw])
  })

  test('many parts of a sum at once: nothing is lost and nothing counted twice', async (t) => {
    const { ctx, openOther } = await openShop(t)
    const other = await openOther()
    const checkout = await open(ctx, { amount: '20', mode: 'unique_address' })
    const blocks = Array.from({ length: 20 }, (_, at) => send(ctx, `${at + 1}`, parseNano('1')!))
    await Promise.all([...blocks, ...blocks].map((block, at) => creditSend(at % 2 ? ctx : other, block)))
    const paid = await findCheckout(ctx.db, checkout.id)
    assert.deepEqual([paid!.status, paid!.additional, paid!.paidRaw], ['complete', 'none', parseNano('20')])
    assert.equal(await events(ctx), 1)
    const timeline = await listTimeline(ctx.db, checkout.id)
    assert.deepEqual(timeline.filter(({ status }) => status === 'complete').length, 1)
    assert.equal(new Set(timeline.map(({ seq }) => seq)).size, timeline.length)
  })

  test('a payment and a cancellation at once: the second one sees the result of the first', async (t) => {
    const { ctx } = await openShop(t)
    for (let round = 0; round < 10; round++) {
      const { id, amountRaw } = await open(ctx, { amount: '1' })
      await Promise.all([
        creditSend(ctx, send(ctx, `${round + 1}`, amountRaw!)),
        deleteCheckout(ctx, { id, owner: caller.accountId, actor: OPERATOR }),
      ])
      const after = (await findCheckout(ctx.db, id))!
      if (after.status === 'complete') assert.equal(after.additional, 'none')
      else assert.deepEqual([after.status, after.additional], ['cancelled', 'paid_late'])
      assert.equal(after.paidRaw, amountRaw)
    }
  })

  test('ten marks at once: one event', async (t) => {
    const { ctx } = await openShop(t)
    const { id } = await open(ctx, { amount: '1' })
    await deleteCheckout(ctx, { id, owner: caller.accountId, actor: OPERATOR })
    const mark = () => markPaid(ctx, { id, owner: caller.accountId, actor: OPERATOR, blockHash: undefined })
    const results = await Promise.allSettled(Array.from({ length: 10 }, mark))
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal(await events(ctx), 1)
  })

  test('a failure in the last statement leaves nothing behind, and the next try does all of it', async (t) => {
    const { ctx } = await openShop(t)
    const checkout = await open(ctx, { amount: '1' })
    const block = send(ctx, 'A', checkout.amountRaw!)
    const ids = { next: () => assert.fail('The process dies here.') }
    await assert.rejects(creditSend({ ...ctx, ids }, block), /dies here/)
    assert.equal((await findCheckout(ctx.db, checkout.id))!.status, 'pending')
    assert.equal((await ctx.db.selectFrom('checkout_payments').select('owner').execute()).length, 0)
    await creditSend(ctx, block)
    assert.equal((await findCheckout(ctx.db, checkout.id))!.status, 'complete')
  })

  test('a thousand checkouts of one price on one address: every amount once, none reused before its time', async (t) => {
    const { ctx, clock } = await openShop(t)
    const amounts = new Set<bigint>()
    const make = async () => {
      const { amountRaw } = await open(ctx, { amount: '0.5' })
      assert.ok(!amounts.has(amountRaw!), 'an amount was given twice')
      amounts.add(amountRaw!)
    }
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 100 }, make))
      clock.advance(12 * 3_600_000)
    }
    assert.equal(amounts.size, 1_000)
  })

  test('a merchant marks a complete checkout with a payment that fitted nothing: it is refused, and the payment is not taken', async (t) => {
    const { ctx } = await openShop(t)
    const { id, amountRaw } = await open(ctx, { amount: '1' })
    await creditSend(ctx, send(ctx, 'A', parseNano('3')!))
    await creditSend(ctx, send(ctx, 'B', amountRaw!))
    const [{ blockHash }] = (await listUnmatched(ctx.db, { owner: caller.accountId, limit: 10 })) as [Payment]
    const paid = await findCheckout(ctx.db, id)
    assert.equal(paid!.status, 'complete')
    const marked = markPaid(ctx, { id, owner: caller.accountId, actor: OPERATOR, blockHash })
    await assert.rejects(marked, { code: 'checkout_closed' })
    assert.deepEqual(await findCheckout(ctx.db, id), paid)
    assert.equal((await listUnmatched(ctx.db, { owner: caller.accountId, limit: 10 })).length, 1)
    assert.equal(await events(ctx), 1)
  })

  // An address made for one order must not be used for another.
  for (const mode of ['unique_address', 'generated_wallet'] as const) {
    test(`a customer pays where an earlier order (${mode}) has ended: the open order is paid, and not the ended one`, async (t) => {
      const { ctx } = await openShop(t)
      const until = ctx.clock.now() + 86_400_000
      const shared = { address, price: '2', amount_raw: `${parseNano('2')}` } as const
      const watched = { ...shared, expires_at: until, watched_until: until }
      await addCheckout(ctx.db, 'ended', { ...watched, mode, status: 'expired', created_at: 2 })
      await addCheckout(ctx.db, 'open', { ...watched, mode: 'unique_address', status: 'pending', created_at: 1 })
      assert.deepEqual(await creditSend(ctx, send(ctx, 'A', parseNano('2')!)), ['open'])
      const [ended, paid] = [await findCheckout(ctx.db, 'ended'), await findCheckout(ctx.db, 'open')]
      assert.deepEqual([ended!.status, ended!.additional, ended!.paidRaw], ['expired', 'none', 0n])
      assert.deepEqual([paid!.status, paid!.paidRaw], ['complete', parseNano('2')])
    })
  }

  test('while no source says the rate, a customer who paid the lowest of two old quotes has not paid the price', async (t) => {
    const { ctx: shop, clock } = await openShop(t)
    let rate: string | undefined = '1'
    const { prices } = shop.ports
    const said = () =>
      rate === undefined ? Promise.reject(new Error('No rate.')) : { rate, source: 'test', at: clock.now() }
    const ctx = { ...shop, ports: { ...shop.ports, prices: { ...prices, rate: async () => said() } } }
    const { id } = await open(ctx, { amount: '10', currency: 'USD', mode: 'unique_address' })
    const state = async () => {
      const { status, additional, paidRaw } = (await findCheckout(ctx.db, id))!
      return [status, additional, paidRaw]
    }
    clock.advance(16 * 60_000)
    rate = '2'
    assert.equal((await refreshQuote(ctx, (await findCheckout(ctx.db, id))!)).amountRaw, parseNano('5'))
    clock.advance(16 * 60_000)
    rate = undefined
    await creditSend(ctx, send(ctx, 'A', parseNano('5')!))
    assert.deepEqual(await state(), ['partial', 'none', parseNano('5')])
    await creditSend(ctx, send(ctx, 'B', parseNano('5')!))
    assert.deepEqual(await state(), ['complete', 'none', parseNano('10')])
  })

  test('a merchant is not shown dust as a payment without a sale; the smallest price is one', async (t) => {
    const { ctx } = await openShop(t)
    await open(ctx, { amount: '1' })
    await creditSend(ctx, send(ctx, 'A', toRaw(SMALLEST_PRICE - 1n)))
    const unmatched = async () =>
      (await listUnmatched(ctx.db, { owner: caller.accountId, limit: 10 })).map(({ amountRaw }) => amountRaw)
    assert.deepEqual(await unmatched(), [])
    await creditSend(ctx, send(ctx, 'B', toRaw(SMALLEST_PRICE)))
    assert.deepEqual(await unmatched(), [SMALLEST_PRICE])
  })
})
