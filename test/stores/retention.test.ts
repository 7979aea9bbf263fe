import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { loadConfig } from '../../src/config/config.ts'
import { measureStore, sizeGauges } from '../../src/infra/db/measure.ts'
import { forgetDoneJobs } from '../../src/infra/jobs/queue.ts'
import { capturedMailer, forgetMails } from '../../src/infra/mail/captured.ts'
import type { Db } from '../../src/kernel/db.ts'
import type { Job } from '../../src/kernel/job.ts'
import type { Raw } from '../../src/kernel/money.ts'
import { type Retention, STEP_ROWS } from '../../src/kernel/retention.ts'
import type { CheckoutContext } from '../../src/modules/checkout/index.ts'
import { creditSend } from '../../src/modules/checkout/domain/credit.ts'
import { forgetCheckouts, releaseAmounts } from '../../src/modules/checkout/jobs.ts'
import { findCheckout } from '../../src/modules/checkout/store.ts'
import { forgetSwaps } from '../../src/modules/swap/jobs.ts'
import { TABLES } from '../../src/store/schema.ts'
import { Signer } from '../support/blocks.ts'
import { callerOf, openWith, sendOf, toCheckoutCtx } from '../support/checkout-context.ts'
import { type OpenedStore, forEachEngine } from '../support/engines.ts'
import { fill } from '../support/filled-store.ts'
import { offerName, payment, toSales } from '../support/market.ts'

/* How long rows are kept, and which are never deleted, whatever the settings say. */

const DAY = 86_400_000
const treasury = new Signer(1).address
const address = new Signer(2).address
const payer = new Signer(3).address
const kept: Retention = loadConfig({})
const ANYBODY = { kind: 'anonymous' } as const
const SHOP = callerOf('acc_shop')

const run = (job: Job) => job.run({}, new AbortController().signal)

const open = (ctx: CheckoutContext, caller: typeof ANYBODY | typeof SHOP, fields: object = {}) =>
  openWith(ctx, caller, { address, amount: '1', ...fields })

const send = (ctx: CheckoutContext, hash: string, amountRaw: Raw) =>
  sendOf(ctx, { hash, from: payer, to: address, amountRaw })

/** As the monitor does after its check at the end. */
const expireAll = (db: Db) => sql`update checkouts set status = 'expired' where status = 'pending'`.execute(db)

async function forget(ctx: CheckoutContext, settings: Partial<Retention> = {}): Promise<void> {
  await run(releaseAmounts(ctx))
  await run(forgetCheckouts(ctx, { ...kept, ...settings }))
}

const rowsAbout = async (db: Db, id: string) => {
  const count = async (table: 'checkout_timeline' | 'checkout_quotes' | 'service_orders') =>
    (await db.selectFrom(table).select('checkout_id').where('checkout_id', '=', id).execute()).length
  return {
    checkout: (await findCheckout(db, id)) === undefined ? 0 : 1,
    timeline: await count('checkout_timeline'),
    quotes: await count('checkout_quotes'),
    orders: await count('service_orders'),
  }
}
const NOTHING = { checkout: 0, timeline: 0, quotes: 0, orders: 0 }

forEachEngine((engine, openFresh) => {
  const toShop = ({ ctx }: Pick<OpenedStore, 'ctx'>) => toCheckoutCtx(ctx, engine, { sales: toSales(treasury) })
  const openShop = async (t: TestContext) => {
    const opened = await openFresh(t)
    return { ...opened, ctx: toShop(opened), db: opened.ctx.db }
  }

  test('an unpaid checkout without a key is deleted 30 days after it was last watched, and not before', async (t) => {
    const { ctx, clock, db } = await openShop(t)
    const checkout = await open(ctx, ANYBODY, { currency: 'USD' })
    const rate = { rate: '1', source: 'test', rate_at: 1, amount_raw: '1', created_at: 1, expires_at: 1 }
    const quote = { checkout_id: checkout.id, plan: -1, seq: 99, ...rate }
    const insert = db.insertInto('checkout_quotes').values(quote)
    await insert.onConflict((conflict) => conflict.doNothing()).execute()
    const offer = await offerName(ctx, 'Prize')
    await expireAll(db)
    clock.leap(checkout.watchedUntil - clock.now() + 30 * DAY)
    await forget(ctx)
    assert.equal((await rowsAbout(db, checkout.id)).checkout, 1)
    assert.equal((await rowsAbout(db, offer.id)).orders, 1)
    clock.leap(1_000)
    await forget(ctx)
    for (const { id } of [checkout, offer]) assert.deepEqual(await rowsAbout(db, id), NOTHING)
    // The counts of all accounts follow.
    const counts = await db.selectFrom('checkout_sums').select('count').execute()
    assert.equal(
      counts.reduce((sum, { count }) => sum + count, 0),
      0,
    )
  })

  test('a payment while the address is watched is found and reported, and its checkout is never deleted', async (t) => {
    const { ctx, clock, db } = await openShop(t)
    const hook = { webhook_url: 'https://shop.example/hook', webhook_events: ['payment.late'] }
    const late = await open(ctx, ANYBODY, hook)
    const near = await open(ctx, ANYBODY, { amount: '2' })
    await expireAll(db)
    // With the shortest setting, and the job at every moment.
    const shortest = { keepUnpaid: DAY }
    clock.leap(late.watchedUntil - clock.now() - 1)
    await forget(ctx, shortest)
    await creditSend(ctx, send(ctx, 'A', late.amountRaw!))
    const found = (await findCheckout(db, late.id))!
    assert.deepEqual([found.status, found.additional, found.paidRaw], ['expired', 'paid_late', late.amountRaw])
    const events = await db.selectFrom('events').select('type').where('subject', '=', late.id).execute()
    assert.deepEqual(events, [{ type: 'payment.late' }])
    clock.leap(4_000 * DAY)
    await forget(ctx, shortest)
    assert.equal((await rowsAbout(db, late.id)).checkout, 1)
    assert.equal((await rowsAbout(db, near.id)).checkout, 0)
  })

  test('rows with a payment, a reservation, a wallet or an owner stay, however old', async (t) => {
    const { ctx, clock, db } = await openShop(t)
    const own = await open(ctx, SHOP)
    const unmatched = await open(ctx, ANYBODY, { amount: '2' })
    const reserved = await open(ctx, ANYBODY, { amount: '3' })
    const held = await open(ctx, ANYBODY, { amount: '4' })
    const pending = await open(ctx, ANYBODY, { amount: '5' })
    const sold = await offerName(ctx, 'Sold')
    await creditSend(ctx, payment(sold, 0, { hash: 'B', from: payer, at: ctx.clock.now() }))
    await creditSend(ctx, send(ctx, 'C', (3n * 10n ** 29n) as Raw))
    await sql`update checkout_payments set checkout_id = ${unmatched.id} where kind = 'unmatched'`.execute(db)
    await sql`update checkouts set status = 'expired' where status = 'pending' and id <> ${pending.id}`.execute(db)
    await db.updateTable('checkouts').set({ wallet_id: 'wal_1' }).where('id', '=', held.id).execute()
    clock.leap(4_000 * DAY)
    const later = clock.now() + 1
    await sql`update checkout_reservations set release_at = ${later} where checkout_id = ${reserved.id}`.execute(db)
    await forget(ctx)
    for (const { id } of [own, unmatched, reserved, held, pending, sold]) {
      assert.equal((await rowsAbout(db, id)).checkout, 1, id)
    }
    assert.equal((await rowsAbout(db, sold.id)).orders, 1)
    // It is deleted once nothing keeps it.
    clock.leap(2)
    await forget(ctx)
    assert.equal((await rowsAbout(db, reserved.id)).checkout, 0)
  })

  test('two instances forget more than one step at once; a job that is stopped half way goes on the next time', async (t) => {
    const { ctx, clock, db, openAnother } = await openShop(t)
    const other = toShop(await openAnother())
    const one = await open(ctx, ANYBODY)
    await expireAll(db)
    const row = await db.selectFrom('checkouts').selectAll().where('id', '=', one.id).executeTakeFirstOrThrow()
    const count = 2 * STEP_ROWS + 7
    for (let at = 0; at < count; at += 50) {
      const rows = Array.from({ length: Math.min(50, count - at) }, (_, n) => ({ ...row, id: `old_${at + n}` }))
      await db.insertInto('checkouts').values(rows).execute()
    }
    clock.leap(4_000 * DAY)
    const left = async () => (await db.selectFrom('checkouts').select('id').execute()).length
    await forgetCheckouts(ctx, kept).run({}, AbortSignal.abort())
    assert.equal(await left(), count + 1)
    await run(releaseAmounts(ctx))
    await Promise.all([forget(ctx), forget(other)])
    // Rows that another instance has locked are left for the next run.
    await forget(ctx)
    assert.equal(await left(), 0)
  })

  test('whom to mail is blanked where the operator wants it, after the mail, and the money stays', async (t) => {
    const { ctx, clock, db } = await openShop(t)
    const told = await open(ctx, SHOP, { notify: 'shop@example.com' })
    const untold = await open(ctx, SHOP, { notify: 'shop@example.com', amount: '2' })
    await creditSend(ctx, send(ctx, 'A', told.amountRaw!))
    await creditSend(ctx, send(ctx, 'B', untold.amountRaw!))
    await db.updateTable('checkouts').set({ notified_at: 1 }).where('id', '=', told.id).execute()
    clock.leap(400 * DAY)
    await forget(ctx)
    const notify = async (id: string) => (await findCheckout(db, id))!.notify
    assert.equal(await notify(told.id), 'shop@example.com')
    await forget(ctx, { keepNotify: 90 * DAY })
    assert.deepEqual([await notify(told.id), await notify(untold.id)], [null, 'shop@example.com'])
    assert.equal((await findCheckout(db, told.id))!.paidRaw, told.amountRaw)
  })

  test('jobs that failed for good go after 30 days; those that money waits for stay, and rounds of recurring ones do not', async (t) => {
    const { ctx, clock } = await openFresh(t)
    const old = { payload: '{}', run_at: 1, attempts: 3, attempts_max: 3, locked_until: null, fence: 1, created_at: 1 }
    const now = clock.now()
    const dead = (id: string, kind: string, key: string | null, finished_at: number) =>
      ({ ...old, id, kind, key, status: 'dead', last_error: 'x', finished_at }) as const
    await ctx.db
      .insertInto('jobs')
      .values([
        dead('mail', 'mail.send', null, 1),
        dead('young', 'mail.send', null, now - 29 * DAY),
        dead('sweep', 'checkout.sweep', 'c1', 1),
        dead('round', 'checkout.refunds', 'schedule', 1),
        dead('unknown', 'of.another.version', null, 1),
        { ...dead('done', 'checkout.sweep', 'c2', now - DAY - 1), status: 'done' },
        { ...dead('waits', 'mail.send', null, 1), status: 'ready', finished_at: null },
      ])
      .execute()
    const money = ['checkout.sweep', 'checkout.refunds'].map((kind) => ({ kind, money: true }) as const)
    await run(forgetDoneJobs(ctx, [{ kind: 'mail.send' }, ...money], kept))
    const left = await ctx.db.selectFrom('jobs').select('id').orderBy('id').execute()
    assert.deepEqual(
      left.map(({ id }) => id),
      ['sweep', 'unknown', 'waits', 'young'],
    )
  })

  test('stored mail is deleted after 30 days, as are expired swaps made without a key', async (t) => {
    const { ctx, clock } = await openFresh(t)
    await fill(ctx)
    const { db } = ctx
    await db.deleteFrom('mails').execute()
    const mailer = capturedMailer(db, clock)
    await mailer.send({ id: 'old', recipient: 'a@example.com', subject: 's', text: 't' })
    clock.leap(30 * DAY)
    await mailer.send({ id: 'new', recipient: 'a@example.com', subject: 's', text: 't' })
    await run(forgetMails(ctx, kept))
    assert.equal((await db.selectFrom('mails').select('id').execute()).length, 2)
    clock.leap(1)
    await run(forgetMails(ctx, kept))
    assert.deepEqual(await db.selectFrom('mails').select('id').execute(), [{ id: 'new' }])

    const [own, paid, gone] = (await db.selectFrom('swaps').select('id').orderBy('id').execute()).map(({ id }) => id)
    await db.updateTable('swaps').set({ status: 'expired', looked_at: 1 }).execute()
    await db.updateTable('swaps').set({ account_id: null }).where('id', '<>', own!).execute()
    await db.updateTable('swaps').set({ status: 'finished' }).where('id', '=', paid!).execute()
    await run(forgetSwaps(ctx, kept))
    const left = (await db.selectFrom('swaps').select('id').orderBy('id').execute()).map(({ id }) => id)
    assert.deepEqual(left, [own, paid])
    assert.notEqual(gone, undefined)
  })

  test('the size of the store is measured by kind', async (t) => {
    const { ctx, clock, store } = await openFresh(t)
    await fill(ctx)
    if (engine === 'postgres') await sql`analyze`.execute(ctx.db)
    const gauges = sizeGauges(ctx.db)
    assert.deepEqual(await gauges[0]!.read(), [])
    await run(measureStore({ db: ctx.db, clock, engine: store.engine, tables: TABLES }))
    const [rows, bytes] = [await gauges[0]!.read(), await gauges[1]!.read()]
    const of = (kind: string) => rows.find(({ labels }) => labels!.kind === kind)?.value
    assert.equal(rows.length, TABLES.length)
    assert.deepEqual([of('accounts'), of('checkouts'), of('mails')], [3, 3, 3])
    assert.ok(bytes.every(({ value }) => value > 0) && bytes.length > 0)
  })
})
