import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { AppError } from '../../src/kernel/errors.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { createAccount } from '../../src/modules/accounts/index.ts'
import { deleteCheckout } from '../../src/modules/checkout/domain/end.ts'
import { creditSend } from '../../src/modules/checkout/domain/credit.ts'
import { markPaid } from '../../src/modules/checkout/domain/mark.ts'
import type { Checkout } from '../../src/modules/checkout/index.ts'
import { getLink, makeLink, readLink } from '../../src/modules/links/domain/make-link.ts'
import { orderFromLink } from '../../src/modules/links/domain/order.ts'
import type { LinkContext } from '../../src/modules/links/context.ts'
import { moveStock } from '../../src/modules/links/store.ts'
import { takePosition } from '../../src/modules/webhooks/store.ts'
import { Signer } from '../support/blocks.ts'
import { sendOf, toCheckoutCtx } from '../support/checkout-context.ts'
import { forEachEngine, openFresh } from '../support/engines.ts'
import { until } from '../support/until.ts'

/* The store's guarantees about a link's number of pieces, on each engine and under concurrency. */

const { address } = new Signer(41)

async function openLinkShop(t: TestContext, engine: StoreEngine) {
  const { ctx } = await openFresh(t, engine)
  const checkouts = toCheckoutCtx(ctx, engine)
  const context: LinkContext = { checkouts, secrets: checkouts.ports.secrets, urlOf: (slug) => `/buy/${slug}` }
  const { id: owner } = await createAccount(ctx, { email: null, role: 'user', actor: OPERATOR })
  return { ctx, context, owner }
}

/** A confirmed send of exactly a checkout's amount. */
const sendFor = ({ clock }: StoreCtx, { id, amountRaw }: Checkout) =>
  sendOf({ clock }, { hash: id.toUpperCase(), from: new Signer(42).address, to: address, amountRaw: amountRaw! })

/** A link's counts, computed from its orders. */
async function recount({ db }: StoreCtx, linkId: string) {
  const rows = await db
    .selectFrom('link_orders')
    .innerJoin('checkouts', 'checkouts.id', 'link_orders.checkout_id')
    .select(['link_orders.quantity', 'checkouts.status', 'checkouts.paid_raw'])
    .where('link_orders.link_id', '=', linkId)
    .execute()
  const pieces = (...statuses: string[]) =>
    rows.filter(({ status }) => statuses.includes(status)).reduce((sum, { quantity }) => sum + quantity, 0)
  const paid = rows.filter(({ status }) => status === 'complete')
  return {
    held: pieces('pending', 'detected', 'partial'),
    sold: pieces('complete'),
    orders: paid.length,
    revenueRaw: paid.reduce((sum, row) => sum + BigInt(row.paid_raw), 0n),
  }
}

const make = async (context: LinkContext, owner: string, fields: object) =>
  makeLink(context, { owner, actor: OPERATOR }, await readLink(context, owner, { address, ...fields }))

/** The fields that a link's page sends. */
const asking = (fields: Partial<Parameters<typeof orderFromLink>[2]> = {}) => ({
  ...{ token: undefined, quantity: '1', plan: undefined, amount: undefined, visitor: 'one' },
  ...fields,
})

forEachEngine((engine) => {
  test('sixty visitors at once for seven pieces: never more than seven held and sold, and every count is its orders’', async (t) => {
    const { ctx, context, owner } = await openLinkShop(t, engine)
    const link = await make(context, owner, { amount: '1', quantity: { max: 3 }, sold_max: 7, slug: 'few' })
    const made: Checkout[] = []
    const visit = async (at: number) => {
      try {
        const asked = asking({ quantity: String((at % 3) + 1), visitor: String(at) })
        const checkout = await orderFromLink(context, link.slug, asked)
        made.push(checkout)
        // Some are cancelled at once, some are paid, some stay open.
        if (at % 4 === 0) await deleteCheckout(context.checkouts, { id: checkout.id, owner, actor: OPERATOR })
        if (at % 4 === 1) await creditSend(context.checkouts, sendFor(ctx, checkout))
      } catch (error) {
        assert.ok(error instanceof AppError && error.status === 409, String(error))
      }
      const { held, sold } = await getLink(context, { id: link.id, owner })
      assert.ok(held >= 0 && held + sold <= 7, `${held} held, ${sold} sold`)
    }
    await Promise.all(Array.from({ length: 60 }, (_, at) => visit(at)))
    assert.ok(made.length >= 3)
    const { held, sold, orders, revenueRaw } = await getLink(context, { id: link.id, owner })
    assert.deepEqual({ held, sold, orders, revenueRaw }, await recount(ctx, link.id))
    // The merchant may accept cancelled ones later, even beyond the limit.
    const cancelled = await ctx.db.selectFrom('checkouts').select('id').where('status', '=', 'cancelled').execute()
    for (const { id } of cancelled)
      await markPaid(context.checkouts, { id, owner, actor: OPERATOR, blockHash: undefined })
    const [now, counted] = [await getLink(context, { id: link.id, owner }), await recount(ctx, link.id)]
    assert.deepEqual([now.held, now.sold], [counted.held, counted.sold])
  })

  test('a merchant who sells in dollars reads what was sold in dollars, and not what waits', async (t) => {
    const { ctx, context, owner } = await openLinkShop(t, engine)
    const link = await make(context, owner, { amount: '10', currency: 'USD', quantity: { max: 3 } })
    const paid = await orderFromLink(context, link.slug, asking({ quantity: '2' }))
    await orderFromLink(context, link.slug, asking({ quantity: '3' }))
    const revenue = async () => {
      const { orders, revenueRaw, revenueE8 } = await getLink(context, { id: link.id, owner })
      return [orders, revenueRaw, revenueE8]
    }
    assert.deepEqual(await revenue(), [0, 0n, 0n])
    await creditSend(context.checkouts, sendFor(ctx, paid))
    assert.deepEqual(await revenue(), [1, paid.amountRaw, 2_000_000_000n])
  })

  test('a page that is sent ten times at once makes one checkout and holds its pieces once', async (t) => {
    const { context, owner } = await openLinkShop(t, engine)
    const link = await make(context, owner, { amount: '1', quantity: { max: 3 }, sold_max: 30 })
    const asked = asking({ token: 't'.repeat(22), quantity: '3' })
    const ids = await Promise.all(Array.from({ length: 10 }, () => orderFromLink(context, link.slug, asked)))
    assert.equal(new Set(ids.map(({ id }) => id)).size, 1)
    assert.equal((await getLink(context, { id: link.id, owner })).held, 3)
    // Once it has ended, the same page may order again.
    await deleteCheckout(context.checkouts, { id: ids[0]!.id, owner, actor: OPERATOR })
    const again = await orderFromLink(context, link.slug, asked)
    assert.notEqual(again.id, ids[0]!.id)
    assert.equal((await getLink(context, { id: link.id, owner })).held, 3)
  })

  test('one visitor who sends ten pages at once has no more of a link than one who sends them one by one', async (t) => {
    const { context, owner } = await openLinkShop(t, engine)
    for (const [terms, share] of [
      [{ sold_max: 30 }, 2],
      [{}, 5],
    ] as const) {
      const link = await make(context, owner, { amount: '1', ...terms })
      const sent = Array.from({ length: 10 }, () => orderFromLink(context, link.slug, asking()))
      const refused = (await Promise.allSettled(sent)).filter(({ status }) => status === 'rejected')
      assert.equal(refused.length, 10 - share)
      assert.equal((await getLink(context, { id: link.id, owner })).held, share)
    }
  })

  test('an order that fails at its last statement holds no pieces and leaves no checkout', async (t) => {
    const { ctx, context, owner } = await openLinkShop(t, engine)
    const link = await make(context, owner, { amount: '1', sold_max: 2 })
    // The table is missing for the next order, as if the process died there.
    await ctx.db.schema.alterTable('link_orders').renameTo('link_orders_gone').execute()
    const asked = asking({ token: 'u'.repeat(22) })
    await assert.rejects(orderFromLink(context, link.slug, asked))
    await ctx.db.schema.alterTable('link_orders_gone').renameTo('link_orders').execute()
    assert.equal((await getLink(context, { id: link.id, owner })).held, 0)
    assert.deepEqual(await ctx.db.selectFrom('checkouts').select('id').execute(), [])
    assert.ok((await orderFromLink(context, link.slug, asked)).id)
  })
})

test('a subscription that is paid while another order of its link ends: neither is broken off by PostgreSQL', async (t) => {
  const { ctx, context, owner } = await openLinkShop(t, 'postgres')
  const link = await make(context, owner, { amount: '1', every: 'month' })
  const checkout = await orderFromLink(context, link.slug, asking({ email: 'payer@example.com', language: 'en' }))
  const waiting = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  let paid: Promise<unknown> | undefined
  // As an order that ends: its pieces are released, then its end is announced.
  await ctx.db.transaction().execute(async (tx) => {
    await moveStock(tx, { id: link.id, held: 0, sold: 0, orders: 0, raw: 0n, e8: 0n })
    paid = creditSend(context.checkouts, sendFor(ctx, checkout))
    await until(async () => (await waiting.execute(ctx.db)).rows[0]!.count === 1)
    await takePosition(tx, owner)
  })
  await paid
  const sold = await ctx.db.selectFrom('subscriptions').select('status').execute()
  assert.deepEqual(sold, [{ status: 'active' }])
})
