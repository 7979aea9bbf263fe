import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatNano } from '../../src/kernel/money.ts'
import { findCheckout, insertCheckout } from '../../src/modules/checkout/store.ts'
import { payFor, turnUntil } from '../support/checkout-steps.ts'
import { forEachEngine } from '../support/engines.ts'
import { bare, enter } from '../support/form-steps.ts'
import { ask } from '../support/gateway.ts'
import { type RefundShop, openRefundShop, raw } from '../support/refund-steps.ts'
import { row } from './row.ts'

/* Contract 4.12: the monthly statement. */

type Line = Record<string, string>

async function readCsv({ shop, merchant }: RefundShop, query: string, key = merchant.key): Promise<Line[]> {
  const reply = await shop.rest('GET', `/api/checkouts/statement.csv?${query}`, key)
  assert.equal(reply.status, 200, reply.text)
  const [head = [], ...rows] = reply.text
    .replace('\uFEFF', '')
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  return rows.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at]!])))
}

/** The page as the merchant sees it, without tags. */
async function readPage({ shop, merchant }: RefundShop, query: string): Promise<string> {
  const headers = { cookie: await enter(shop, merchant.key) }
  return bare((await ask(`${shop.url}/dashboard/statement?${query}`, { method: 'GET', headers })).text)
}

forEachEngine((engine) => {
  test('a statement has every sale, refund and other payment of its month, and its sums are those of reports (contract 4.12, rules 1 to 5; 4.5, Administrative checkout REST API: GET /api/admin/checkouts/statement.csv)', async (t) => {
    const books = await openRefundShop(t, engine)
    const { world, shop, merchant, wallet, refund, untilRefund } = books
    const sell = async (fields: object) => {
      const made = await shop.open({ address: wallet, amount: '2', ...fields }, merchant.headers)
      await payFor(world, shop, made.id)
      // Checkouts made at the same moment may be listed in either order.
      world.clock.advance(1_000)
      return made
    }
    const goTo = (moment: string) => world.clock.leap(Date.parse(moment) - world.clock.now())
    goTo('2027-02-10T12:00:00Z')
    const euros = await sell({ amount: '12.50', currency: 'EUR', title: '=Lamp', metadata: { order_id: 'A-17' } })
    const nano = await sell({ note: 'by phone' })
    await refund(nano.id, { amount: '0.5', reason: 'scratched' })
    await untilRefund(nano.id, 'sent')
    await world.pay(wallet, raw('0.25'))
    const stray = () =>
      shop.ctx.db.selectFrom('checkout_payments').select('owner').where('kind', '=', 'unmatched').execute()
    await turnUntil(world, 1_000, async () => (await stray()).length > 0)
    await shop.rest('DELETE', `/api/checkouts/${nano.id}`, merchant.key)
    // In Berlin it is already March.
    goTo('2027-02-28T23:30:00Z')
    const last = await sell({ amount: '3' })

    const utc = await readCsv(books, 'month=2027-02')
    const short = ({ type, checkout_id: id, amount_nano: amount, fiat_amount: fiat, reference }: Line) =>
      [type, id, amount, fiat, reference].join(' ')
    row('4.12, rule 1', () =>
      assert.deepEqual(utc.map(short), [
        `sale ${euros.id} ${euros.amount} 12.50 A-17`,
        `sale ${nano.id} ${nano.amount}  by phone`,
        `sale ${last.id} ${last.amount}  `,
        `refund ${nano.id} -0.5  by phone`,
        'unmatched  0.25  ',
      ]),
    )
    const admins = await shop.rest('GET', '/api/admin/checkouts/statement.csv?month=2027-02', merchant.key)
    assert.equal(admins.text.trim().split('\r\n').length, 6)
    assert.equal(utc[0]!.title, "'=Lamp", 'no title is a formula')
    assert.deepEqual([utc[2]!.date, utc[2]!.date_utc!.slice(0, 16)], ['2027-02-28 23:30', '2027-02-28T23:30'])
    const berlin = await readCsv(books, 'month=2027-03&time_zone=Europe/Berlin')
    row('4.12, rule 2', () => {
      assert.deepEqual(berlin.map(short), [`sale ${last.id} ${last.amount}  `])
      assert.deepEqual([berlin[0]!.date, berlin[0]!.time_zone], ['2027-03-01 00:30', 'Europe/Berlin'])
    })
    await shop.rest('PUT', '/api/account/profile', merchant.key, { time_zone: 'Europe/Berlin' })
    assert.deepEqual(
      await readCsv(books, 'month=2027-03'),
      berlin,
      'the months of a shop in Berlin are those of Berlin',
    )
    await shop.rest('PUT', '/api/account/profile', merchant.key, { time_zone: null })

    const report = (await shop.call('checkout_report', { query: 'this month' }, merchant.headers)).json<{
      revenue: Record<string, { gross: string; refunded: string; net: string; amount_raw: string }>
    }>()
    const page = await readPage(books, 'month=2027-02')
    const { EUR, NANO } = report.revenue
    row('4.12, rule 3', () => {
      assert.ok(page.includes(`EUR 1 12.50 EUR ${formatNano(BigInt(EUR!.amount_raw))} nano`), page)
      assert.ok(page.includes(`NANO 2 ${NANO!.gross} nano ${NANO!.refunded} nano ${NANO!.net} nano`), page)
    })
    const period = 'From 2027-02-01 00:00 until 2027-03-01 00:00 (exclusive), time zone UTC. This month is not over'
    assert.ok(page.includes(period), page)
    assert.match(page, /Not included: 0\.25 nano in one payment not assigned to a sale/)
    const march = await readPage(books, 'month=2027-03&time_zone=Europe/Berlin')
    assert.ok(march.includes(`NANO 1 ${last.amount} nano`) && !march.includes(' 0.5 nano'), march)
    // Whole days come from daily sums, and the hours at both ends are added one by one; nothing may be missing.
    const kolkata = await readPage(books, 'month=2027-02&time_zone=Asia/Kolkata')
    assert.ok(kolkata.includes(`NANO 1 ${nano.amount} nano 0.5 nano`), kolkata)

    const other = await shop.join()
    const others = await readCsv(books, 'month=2027-02', other.key)
    row('4.12, rule 5', () => assert.deepEqual(others, []))
    for (const [query, field] of [
      ['month=2027-13', 'month'],
      ['month=27-01', 'month'],
      ['month=2027-01&time_zone=Mars/Base', 'time_zone'],
      ['month=2027-01&month=2027-02', 'month'],
      [`time_zone=${'x'.repeat(100)}`, 'time_zone'],
    ]) {
      const reply = await shop.rest('GET', `/api/checkouts/statement.csv?${query}`, merchant.key)
      assert.deepEqual([reply.status, reply.json<Line>().field], [400, field], query)
    }
    assert.match(await readPage(books, 'month=soon'), /Month must be a month such as 2026-10/)
  })

  test('a page of a statement ends, and says so; sums and table have everything (contract 4.12, rule 4)', async (t) => {
    const books = await openRefundShop(t, engine)
    const { shop, world, sell } = books
    const made = await sell()
    const sold = (await findCheckout(shop.app.store.db, made.id))!
    await shop.app.store.db.transaction().execute(async (tx) => {
      for (let at = 0; at < 1_100; at++) {
        // Many with the same time: a page ends in the middle of them.
        const id = at.toString(16).padStart(16, '0')
        await insertCheckout(tx, { ...sold, id, paidAt: sold.paidAt! + (at % 2) })
      }
    })
    const month = new Date(world.clock.now()).toISOString().slice(0, 7)
    const lines = await readCsv(books, `month=${month}`)
    assert.equal(new Set(lines.map(({ checkout_id: id }) => id)).size, 1_101)
    const page = await readPage(books, `month=${month}`)
    assert.match(page, /The lists below show the first 1000 lines each/)
    assert.ok(page.includes(`NANO 1101 ${formatNano(BigInt(made.amount_raw) * 1_101n)} nano`), page.slice(0, 2_000))
  })
})
