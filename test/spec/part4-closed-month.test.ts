import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatNano } from '../../src/kernel/money.ts'
import { listEvents, payFor, show, turnUntil, untilExpired, untilStatus } from '../support/checkout-steps.ts'
import { forEachEngine } from '../support/engines.ts'
import { bare, enter } from '../support/form-steps.ts'
import { ask } from '../support/gateway.ts'
import { PAYER, type Refund, type RefundShop, openRefundShop, raw } from '../support/refund-steps.ts'
import { row } from './row.ts'

/* Contract 4.12, rule 11: the statement of a past month never changes. */

/** Both views of a month: the CSV table and the page. */
async function read(
  { shop, merchant }: RefundShop,
  month: string,
  zone = 'UTC',
): Promise<{ csv: string; page: string }> {
  const query = `month=${month}&time_zone=${zone}`
  const csv = (await shop.rest('GET', `/api/checkouts/statement.csv?${query}`, merchant.key)).text
  const headers = { cookie: await enter(shop, merchant.key) }
  const page = await ask(`${shop.url}/dashboard/statement?${query}`, { method: 'GET', headers })
  return { csv, page: bare(page.text).replace(/^.*Totals From/, '') }
}

const linesOf = (csv: string) =>
  csv
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(','))
    .map((cells) => [cells[3], cells[7], cells[11]].join(' '))

const goTo = ({ world }: RefundShop, moment: string) => world.clock.leap(Date.parse(moment) - world.clock.now())

const NOVEMBER = '2027-11-20T12:00:00Z'
const DECEMBER = '2027-12-03T12:00:00Z'

forEachEngine((engine) => {
  test('a closed month changed when a December payment was added to a November sale (contract 4.12, rule 11)', async (t) => {
    const books = await openRefundShop(t, engine)
    const { world, shop, merchant, wallet } = books
    goTo(books, NOVEMBER)
    const fields = { address: wallet, amount: '10', currency: 'USD', mode: 'unique_address', expire: '30 days' }
    const made = await shop.open(fields, merchant.headers)
    await world.pay(wallet, made.amount_raw)
    await turnUntil(world, 1_000, async () => (await shop.check(made.id)).success)
    goTo(books, DECEMBER)
    const [november, india] = [await read(books, '2027-11'), await read(books, '2027-11', 'Asia/Kolkata')]
    await world.pay(wallet, raw('3'))
    const paid = (BigInt(made.amount_raw) + raw('3')).toString()
    await turnUntil(world, 1_000, async () => (await shop.check(made.id)).amount_paid_raw === paid)
    const closed = await read(books, '2027-11')
    row('4.12, rule 11', () => assert.deepEqual(closed, november))
    assert.deepEqual(await read(books, '2027-11', 'Asia/Kolkata'), india)
    assert.deepEqual(linesOf(november.csv), [`sale ${formatNano(BigInt(made.amount_raw))} 10.00`])
    for (const zone of ['UTC', 'Asia/Kolkata']) {
      const december = await read(books, '2027-12', zone)
      assert.deepEqual(linesOf(december.csv), ['further 3 '])
      assert.match(december.page, /USD 0 0\.00 USD 3 nano 0\.00 USD 0 nano 0\.00 USD 3 nano/)
    }
    const { series } = (await shop.rest('GET', '/api/checkouts/stats', merchant.key)).json<{
      series: { date: string; amount: string; count: number }[]
    }>()
    const days = series.filter(({ amount }) => amount !== '0')
    assert.deepEqual(
      days.map(({ date, amount, count }) => `${date.slice(0, 7)} ${amount} ${count}`),
      [`2027-11 ${made.amount} 1`, '2027-12 3 0'],
    )
  })

  test('a closed month changed when a late payment was marked, or an unclaimed refund came back; the months added up counted the payment twice (contract 4.12, rule 11)', async (t) => {
    const books = await openRefundShop(t, engine)
    const { world, shop, merchant, wallet, refund, untilRefund } = books
    goTo(books, NOVEMBER)
    const sold = await shop.open({ address: wallet, amount: '2' }, merchant.headers)
    await payFor(world, shop, sold.id)
    await refund(sold.id, { amount: '0.5', as: 'link' })
    await untilRefund(sold.id, 'waiting_for_claim')
    const { db } = shop.app.store
    const link = () => db.selectFrom('email_payments').select('status').executeTakeFirst()
    await turnUntil(world, 6_000, async () => (await link())?.status === 'funded')
    const late = await shop.open({ address: wallet, amount: '2' }, merchant.headers)
    await untilExpired(world, shop, late.id)
    await world.pay(wallet, late.amount_raw)
    await turnUntil(world, 6_000, async () => (await shop.check(late.id)).additional_status === 'paid_late')
    await refund(late.id, { amount: '0.25', address: PAYER })
    await untilRefund(late.id, 'sent')
    goTo(books, DECEMBER)
    const november = await read(books, '2027-11')
    assert.equal((await shop.rest('POST', `/api/checkouts/${late.id}/mark`, merchant.key, {})).status, 200)
    const now = world.clock.now()
    await db.updateTable('email_payments').set({ expires_at: now, due_at: now }).execute()
    await untilRefund(sold.id, 'failed')
    assert.deepEqual(await read(books, '2027-11'), november)
    const december = await read(books, '2027-12')
    assert.deepEqual(linesOf(december.csv), [`sale ${late.amount} `, 'refund 0.5 ', `late -${late.amount} `])
    assert.match(december.page, /Payments that now have a sale/)
    const came = [november, december].flatMap(({ csv }) => csv.trim().split('\r\n').slice(1))
    const all = came.reduce((sum, line) => sum + BigInt(line.split(',')[8]!), 0n)
    assert.equal(all, BigInt(sold.amount_raw) + BigInt(late.amount_raw) - BigInt(raw('0.25')))
    const back = `NANO 1 ${late.amount} nano -0.25 nano`.replace('-', '−')
    assert.ok(december.page.includes(back), december.page)
  })

  test('a second exact payment of an order had no event and could not be refunded (contract 3, Checkout: overpaid)', async (t) => {
    const books = await openRefundShop(t, engine)
    const { world, shop, merchant, wallet, refund, untilRefund, fundsOf } = books
    const fields = { address: wallet, amount: '2', webhook_events: ['payment.late'], webhook_url: `${shop.url}/hook` }
    const made = await shop.open(fields, merchant.headers)
    await world.pay(wallet, made.amount_raw)
    await untilStatus(shop, made.id, 'complete')
    const again = await world.pay(wallet, made.amount_raw)
    await turnUntil(world, 1_000, async () => (await shop.check(made.id)).additional_status === 'overpaid')
    const { payments } = await show(shop, made.id, merchant.key)
    assert.deepEqual(
      payments.map(({ kind }) => kind),
      ['counted', 'counted'],
    )
    const types = (await listEvents(shop, made.id)).map(({ type }) => type)
    assert.deepEqual(types, ['payment.completed', 'payment.late'])
    const told = (await listEvents(shop, made.id)).at(-1)!
    assert.equal((JSON.parse(told.body) as { block: { hash: string } }).block.hash, again)
    const before = fundsOf(PAYER)
    const given = (await refund(made.id, { amount: made.amount })).json<Refund>()
    await untilRefund(made.id, 'sent')
    assert.equal(fundsOf(PAYER) - before, BigInt(given.amount_raw))
    assert.equal((await shop.check(made.id)).status, 'complete')
  })
})
