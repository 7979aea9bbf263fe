import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { AppError } from '../../src/kernel/errors.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { createAccount } from '../../src/modules/accounts/index.ts'
import { creditSend } from '../../src/modules/checkout/domain/credit.ts'
import { findCheckout } from '../../src/modules/checkout/index.ts'
import { readNew } from '../../src/kernel/resource/read.ts'
import { changePos, getPos, rotateLink } from '../../src/modules/pos/domain/change-pos.ts'
import { readDay } from '../../src/modules/pos/domain/day.ts'
import { enterAsCashier, enterPos } from '../../src/modules/pos/domain/enter.ts'
import { linkOf, makePos } from '../../src/modules/pos/domain/make-pos.ts'
import { sell } from '../../src/modules/pos/domain/sell.ts'
import { signIn } from '../../src/modules/pos/domain/sign-in.ts'
import type { PosContext } from '../../src/modules/pos/context.ts'
import { type PointOfSale, pointOfSale } from '../../src/modules/pos/point-of-sale.ts'
import { Signer } from '../support/blocks.ts'
import { sendOf, toCheckoutCtx } from '../support/checkout-context.ts'
import { forEachEngine } from '../support/engines.ts'

/* The store's guarantees about tills, on each engine and under concurrency. */

const { address } = new Signer(41)
const PIN = '4711'
const MINUTE = 60_000

async function openCafe(store: StoreCtx, engine: StoreEngine, fields: object = {}) {
  const checkouts = toCheckoutCtx(store, engine)
  const urlOf = (id: string) => `https://gateway.example/pos/${id}`
  const context: PosContext = { checkouts, secrets: checkouts.ports.secrets, urlOf }
  const { id: owner } = await createAccount(store, { email: null, role: 'user', actor: OPERATOR })
  const items = [{ title: 'Espresso', price: '2' }]
  const pos = await makePos(
    context,
    { owner, actor: OPERATOR },
    readNew(pointOfSale, context, { title: 'Counter', address, items, tips: [10], ...fields }),
  )
  return { context, pos, own: { id: pos.id, owner } }
}

const tokenOf = (context: PosContext, pos: PointOfSale) => linkOf(context, pos).split('#')[1]!

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'in',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  )

forEachEngine((engine, openFresh) => {
  test('one tap that is sent ten times at once makes one sale', async (t) => {
    const { ctx } = await openFresh(t)
    const { context, pos } = await openCafe(ctx, engine)
    const body = { key: 'tap-0123456789abcdef', amount: '1', items: [{ item: 0, quantity: 2 }], tip: 10, total: '5.5' }
    const made = await Promise.all(Array.from({ length: 10 }, () => sell(context, pos, body)))
    assert.equal(new Set(made.map(({ checkoutId }) => checkoutId)).size, 1)
    const rows = await ctx.db.selectFrom('checkouts').select(['id', 'key_id', 'price']).execute()
    assert.deepEqual(rows, [{ id: made[0]!.checkoutId, key_id: pos.id, price: '5.5' }])
    // The same tap never makes a second sale, and another tap does.
    assert.equal(await codeOf(sell(context, pos, { ...body, amount: '2', total: '6.6' })), 'conflict')
    await sell(context, pos, { ...body, key: 'tap-0123456789abcdeg' })
    assert.equal((await ctx.db.selectFrom('pos_sales').select('checkout_id').execute()).length, 2)
  })

  test('a sale that fails at its last statement leaves no checkout, and its tap can be sent again', async (t) => {
    const { ctx } = await openFresh(t)
    const { context, pos } = await openCafe(ctx, engine)
    await ctx.db.schema.alterTable('pos_sales').renameTo('pos_sales_gone').execute()
    const body = { key: 'tap-0123456789abcdef', amount: '1', total: '1' }
    await assert.rejects(sell(context, pos, body))
    await ctx.db.schema.alterTable('pos_sales_gone').renameTo('pos_sales').execute()
    assert.deepEqual(await ctx.db.selectFrom('checkouts').select('id').execute(), [])
    assert.ok((await sell(context, pos, body)).checkoutId)
  })

  test('a day is that of the shop’s time zone, with the sums of its payments, before and after midnight', async (t) => {
    const { ctx, clock } = await openFresh(t)
    const { context, pos } = await openCafe(ctx, engine, { time_zone: 'Asia/Kolkata' })
    // 23:59 in the shop's time zone is 18:29 in UTC.
    clock.advance(Date.UTC(2027, 0, 31, 18, 29) - clock.now())
    const sold = async (key: string, isPaid: boolean) => {
      const { checkoutId } = await sell(context, pos, {
        key: `tap-0123456789${key}`,
        amount: '2',
        tip: 10,
        total: '2.2',
      })
      if (!isPaid) return 0n
      const { amountRaw } = (await findCheckout(ctx.db, checkoutId))!
      clock.advance(2 * MINUTE)
      const send = { hash: checkoutId.toUpperCase(), from: new Signer(42).address, to: address, amountRaw: amountRaw! }
      await creditSend(context.checkouts, sendOf(ctx, send))
      return amountRaw!
    }
    // Made before midnight and paid after it: it belongs to the day on which it was made.
    await sold('unpaid', false)
    const before = await sold('before', true)
    const behind = await sold('behind', true)
    const first = await readDay(context, pos, '2027-01-31')
    assert.deepEqual([first.totals.count, first.totals.paidRaw, first.sales.length], [1, before, 2])
    assert.equal(first.totals.tipUnits, 2n * 10n ** 29n)
    const second = await readDay(context, pos)
    assert.equal(second.date, '2027-02-01')
    assert.deepEqual([second.totals.count, second.totals.paidRaw, second.sales.length], [1, behind, 1])
  })

  test('a hundred PINs at once, on two instances, are five tries, and a restart forgets none', async (t) => {
    const { ctx, clock, openAnother } = await openFresh(t)
    const { context, pos } = await openCafe(ctx, engine, { pin: PIN })
    const other: PosContext = { ...context, checkouts: { ...context.checkouts, ...(await openAnother()).ctx } }
    const guess = (at: PosContext, pin: string, visitor = 'one') =>
      codeOf(signIn(at, pos, { pin, device: undefined, visitor }))
    const codes = await Promise.all(
      Array.from({ length: 100 }, (_, at) => guess(at % 2 === 0 ? context : other, String(1000 + at))),
    )
    assert.equal(codes.filter((code) => code === 'wrong_pin').length, 5)
    assert.equal(codes.filter((code) => code === 'too_many_requests').length, 95)
    assert.equal(await guess(other, PIN), 'too_many_requests', 'also the right one waits')
    // Callers elsewhere are not locked out.
    assert.equal(await guess(other, PIN, 'another'), 'in')
    clock.advance(5 * MINUTE)
    assert.equal(await guess(other, PIN), 'in')
  })

  test('a thousand addresses guess no PIN, and lock out no signed-in device', async (t) => {
    const { ctx, clock } = await openFresh(t)
    const { context, pos, own } = await openCafe(ctx, engine, { pin: PIN })
    const { device, session } = await signIn(context, pos, { pin: PIN, device: undefined, visitor: 'café' })
    const enter = (given: object, at = pos) =>
      codeOf(signIn(context, at, { pin: PIN, device: undefined, visitor: 'later', ...given }))
    const guess = (_: unknown, at: number) => enter({ pin: String(1000 + at), visitor: `bot ${at}` })
    const codes = await Promise.all(Array.from({ length: 200 }, guess))
    assert.equal(codes.filter((code) => code === 'wrong_pin').length, 50)
    assert.equal(codes.filter((code) => code === 'limit_reached').length, 150)
    clock.advance(365 * 24 * 60 * MINUTE)
    assert.equal(await enter({}), 'limit_reached', 'for good')
    assert.equal(await enter({ device: `${device.slice(0, 22)}.${'0'.repeat(64)}` }), 'limit_reached', 'forged')
    assert.equal(await enter({ device, visitor: 'bot 1' }), 'in', 'the device of the café')
    // A stolen device gets no more attempts either.
    for (let round = 0; round < 12; round++) {
      for (let at = 0; at < 5; at++) await enter({ pin: '0000', device, visitor: 'thief' })
      clock.advance(5 * MINUTE)
    }
    assert.equal(await enter({ device, visitor: 'thief' }), 'limit_reached')
    // Its owner unlocks it.
    const anew = await changePos(context, { ...own, actor: OPERATOR }, () => ({ pin: '12345678' }))
    assert.equal(await enter({ pin: '12345678' }, anew), 'in')
    assert.equal(
      await codeOf(enterAsCashier(context, pos.id, { token: tokenOf(context, pos), session })),
      'pin_required',
    )
  })

  test('a session ends with its time, its PIN and its link; a new link ends the old one at once', async (t) => {
    const { ctx, clock } = await openFresh(t)
    const { context, pos, own } = await openCafe(ctx, engine, { pin: PIN })
    const token = tokenOf(context, pos)
    const { session } = await signIn(context, pos, { pin: PIN, device: undefined, visitor: 'café' })
    const enter = (given: { token?: string; session?: string }) =>
      codeOf(enterAsCashier(context, pos.id, { token, session, ...given }))
    assert.equal(await enter({}), 'in')
    assert.equal(await enter({ session: `9${session.slice(1)}` }), 'pin_required')
    assert.equal(await enter({ token: 'x'.repeat(40) }), 'not_found')
    const another = await openCafe(ctx, engine, { pin: PIN })
    assert.equal(await enter({ token: tokenOf(another.context, another.pos) }), 'not_found')
    clock.advance(12 * 60 * MINUTE)
    assert.equal(await enter({}), 'pin_required')
    await rotateLink(context, { ...own, actor: OPERATOR })
    assert.equal(await codeOf(enterPos(context, pos.id, token)), 'not_found')
    assert.equal(await codeOf(enterPos(context, pos.id, tokenOf(context, await getPos(context, own)))), 'in')
  })
})
