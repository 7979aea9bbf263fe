import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Check, type Made, payFor, turnUntil, untilStatus } from '../support/checkout-steps.ts'
import { forEachEngine } from '../support/engines.ts'
import { bare, enter, idIn, sendForm } from '../support/form-steps.ts'
import { ask } from '../support/gateway.ts'
import { PAYER, type Refund, type RefundShop, openRefundShop, raw } from '../support/refund-steps.ts'
import { row } from './row.ts'

/* Contract 4.10: a checkout's refunds add up to at most its price, in every report. */

interface Revenue {
  gross: string
  refunded: string
  net: string
}

async function revenueOf({ shop, merchant }: RefundShop, currency: string): Promise<Revenue> {
  const report = (await shop.call('checkout_report', {}, merchant.headers)).json<{ revenue: Record<string, Revenue> }>()
  const stats = (await shop.rest('GET', '/api/checkouts/stats', merchant.key)).json<typeof report>()
  assert.deepEqual(stats.revenue[currency], report.revenue[currency])
  const { gross, refunded, net } = report.revenue[currency]!
  return { gross, refunded, net }
}

/** The amounts in a CSV column, for lines of one type. */
async function readFiat({ shop, merchant }: RefundShop, path: string, type: string): Promise<string[]> {
  const { text } = await shop.rest('GET', path, merchant.key)
  const [head = [], ...rows] = text
    .replace('\uFEFF', '')
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  const lines = rows.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at]!])))
  return lines.filter((line) => line.type === type).map((line) => line.fiat_amount!)
}

async function readStatementPage({ shop, merchant }: RefundShop): Promise<string> {
  const headers = { cookie: await enter(shop, merchant.key) }
  return bare((await ask(`${shop.url}/dashboard/statement`, { method: 'GET', headers })).text)
}

forEachEngine((engine) => {
  test('5 EUR of 17.80 and then the rest was 17.80173673 refunded and a net below zero (contract 4.10, rule 14)', async (t) => {
    const opened = await openRefundShop(t, engine)
    const { sell, refund, untilRefund } = opened
    const made = await sell({ amount: '17.80', currency: 'EUR' })
    const first = (await refund(made.id, { fiat_amount: '5' })).json<Refund>()
    await untilRefund(made.id, 'sent')
    const rest = (await refund(made.id)).json<Refund>()
    await untilRefund(made.id, 'sent')
    row('4.10, rule 14', () => assert.deepEqual([first.fiat_amount, rest.fiat_amount], ['5.00', '12.80']))
    assert.deepEqual(await revenueOf(opened, 'EUR'), { gross: '17.80', refunded: '17.80', net: '0.00' })
    for (const path of ['/api/checkouts/export.csv', '/api/checkouts/statement.csv']) {
      assert.deepEqual((await readFiat(opened, path, 'refund')).sort(), ['-12.80', '-5.00'], path)
    }
    const page = await readStatementPage(opened)
    assert.match(page, /EUR 1 17\.80 EUR [0-9.]+ nano 17\.80 EUR [0-9.]+ nano 0\.00 EUR 0 nano/)
  })

  test('2.50 EUR of 10 and then the other 7.50 were too much by what each was rounded up', async (t) => {
    const opened = await openRefundShop(t, engine)
    const { sell, refund, untilRefund, list } = opened
    const made = await sell({ amount: '10', currency: 'EUR' })
    await refund(made.id, { fiat_amount: '2.50' })
    await untilRefund(made.id, 'sent')
    const rest = await refund(made.id, { fiat_amount: '7.50' })
    assert.deepEqual([rest.status, rest.json<Refund>().fiat_amount], [200, '7.50'], rest.text)
    assert.equal((await list(made.id)).refundable_raw, '0')
    assert.deepEqual(await revenueOf(opened, 'EUR'), { gross: '10.00', refunded: '10.00', net: '0.00' })
  })

  for (const [how, wanted] of [
    ['in nano', (made: Check) => ({ amount: made.amount })],
    ['in dollars', () => ({ fiat_amount: '10' })],
    ['in dollars at today’s rate', () => ({ fiat_amount: '10', rate: 'now' })],
  ] as const) {
    test(`10 USD paid twice and the surplus refunded ${how} was a net of 5.00, 0.00 or −5.00 (contract 4.10, rule 14)`, async (t) => {
      const opened = await openRefundShop(t, engine)
      const { world, shop, merchant, refund, untilRefund } = opened
      const fields = { address: opened.wallet, amount: '10', currency: 'USD', mode: 'unique_address' }
      const { id, address, amount_raw: raw } = await shop.open(fields, merchant.headers)
      await world.pay(address, raw)
      const made = await untilStatus(shop, id, 'complete')
      await world.pay(address, raw)
      const twice = (BigInt(raw) * 2n).toString()
      await turnUntil(world, 1_000, async () => (await shop.check(id)).amount_paid_raw === twice)
      const surplus = await refund(id, wanted(made))
      assert.equal(surplus.json<Refund>().fiat_amount, '0.00', surplus.text)
      await untilRefund(id, 'sent')
      assert.deepEqual(await revenueOf(opened, 'USD'), { gross: '10.00', refunded: '0.00', net: '10.00' })
      await refund(id)
      await untilRefund(id, 'sent')
      assert.deepEqual(await revenueOf(opened, 'USD'), { gross: '10.00', refunded: '10.00', net: '0.00' })
    })
  }

  test('thirds of a price in yen are whole yen, and the last is what is left (contract 4.10, rule 14)', async (t) => {
    const opened = await openRefundShop(t, engine)
    const { sell, refund, untilRefund } = opened
    const made = await sell({ amount: '1000', currency: 'JPY' })
    const given: (string | undefined)[] = []
    const third = (BigInt(made.amount_raw) / 3n / 10n ** 24n).toString()
    const amount = `${third.slice(0, -6) || '0'}.${third.slice(-6).padStart(6, '0')}`
    for (const fields of [{ amount }, { amount, reason: 'again' }, {}]) {
      given.push((await refund(made.id, fields)).json<Refund>().fiat_amount)
      await untilRefund(made.id, 'sent')
    }
    assert.deepEqual(given, ['333.00', '333.00', '334.00'])
    assert.deepEqual(await revenueOf(opened, 'JPY'), { gross: '1000.00', refunded: '1000.00', net: '0.00' })
  })

  test('a refunded sale looked like any other in record, check, list, filter, report, stats and overview (contract 4.10, rule 15; 3, rule 6; 3, Checkout: refunded, partly_refunded)', async (t) => {
    const opened = await openRefundShop(t, engine)
    const { world, shop, merchant, sell, refund, untilRefund } = opened
    const [whole, part, kept] = [await sell(), await sell(), await sell()]
    await refund(whole.id)
    await untilRefund(whole.id, 'sent')
    await refund(part.id, { amount: '0.5' })
    await untilRefund(part.id, 'sent')
    const rest = async <T>(path: string) => (await shop.rest('GET', path, merchant.key)).json<T>()
    const markers = { [whole.id]: 'refunded', [part.id]: 'partly_refunded', [kept.id]: 'none' }
    for (const [id, marker] of Object.entries(markers)) {
      const record = await rest<Check>(`/checkout/${id}`)
      const own = await rest<{ checkout: Check }>(`/api/checkouts/${id}`)
      const shown = [await shop.check(id), record, own.checkout]
      row('4.10, rule 15', () =>
        assert.deepEqual(
          shown.map(({ status, additional_status: additional }) => [status, additional]),
          shown.map(() => ['complete', marker]),
        ),
      )
    }
    interface List {
      checkouts: Check[]
      total: number
    }
    for (const [query, wanted] of [
      ['additional_status=refunded', [whole.id]],
      ['status=refunded', [whole.id]],
      ['additional_status=partly_refunded&status=complete', [part.id]],
      ['additional_status=none', [kept.id]],
    ] as const) {
      const list = await rest<List>(`/api/checkouts?${query}`)
      assert.ok(list.checkouts, JSON.stringify(list))
      assert.deepEqual([list.checkouts.map(({ id }) => id), list.total], [wanted, 1], query)
      const fields = Object.fromEntries(new URLSearchParams(query))
      const reply = await shop.call('checkout_report', fields, merchant.headers)
      assert.equal(reply.status, 200, reply.text)
      const report = reply.json<List>()
      assert.deepEqual(
        report.checkouts.map(({ id }) => id),
        wanted,
        query,
      )
    }
    const wrong = await shop.rest('GET', '/api/checkouts?additional_status=gone', merchant.key)
    assert.deepEqual([wrong.status, wrong.json<{ field: string }>().field], [400, 'additional_status'])
    interface Stats {
      by_additional_status: object
      revenue: object
    }
    const counts = { refunded: 1, partly_refunded: 1 }
    const report = (await shop.call('checkout_report', {}, merchant.headers)).json<{ summary: Stats }>()
    assert.deepEqual(report.summary.by_additional_status, counts)
    const stats = await rest<Stats>('/api/checkouts/stats')
    assert.deepEqual(stats.by_additional_status, counts)
    const overview = (await shop.rest('GET', '/api/checkouts/overview', world.key())).json<Stats>()
    assert.deepEqual([overview.by_additional_status, overview.revenue], [counts, stats.revenue])
    const headers = { cookie: await enter(shop, merchant.key) }
    const page = await ask(`${shop.url}/dashboard/checkouts?additional=refunded`, { method: 'GET', headers })
    assert.ok(page.text.includes(whole.id) && !page.text.includes(part.id))
    assert.match(bare(page.text), /nano Refunded/)
  })

  test('a refund link that nobody had opened was called sent (contract 4.10, rule 8)', async (t) => {
    const { shop, sell, refund, untilRefund } = await openRefundShop(t, engine)
    const made = await sell()
    await refund(made.id, { as: 'link' })
    const waiting = await untilRefund(made.id, 'waiting_for_claim')
    assert.ok(waiting.hash)
    const check = (await shop.check(made.id)) as unknown as { refunds: Refund[] }
    row('4.10, rule 8', () => assert.deepEqual([check.refunds[0]!.status], ['waiting_for_claim']))
  })
})

forEachEngine((engine) => {
  test('payments that fit nothing ended at 100 without a word, and were missing in the export (contract 4.5, rule 16)', async (t) => {
    const { shop, merchant, wallet } = await openRefundShop(t, engine)
    const { db } = shop.app.store
    const at = shop.ctx.clock.now()
    const toRow = (index: number) => ({
      ...{ owner: merchant.accountId, checkout_id: null, kind: 'unmatched' as const, address: wallet, payer: PAYER },
      ...{ block_hash: index.toString(16).toUpperCase().padStart(64, '0'), amount_raw: raw('1').toString() },
      // Many with the same time: a page ends in the middle of them.
      ...{ plan: null, rate: null, rate_source: null, at, created_at: at - (index % 3) },
    })
    await db
      .insertInto('checkout_payments')
      .values(Array.from({ length: 130 }, (_, index) => toRow(index)))
      .execute()
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const reply = await shop.rest(
        'GET',
        `/api/checkouts/unmatched?limit=50${cursor && `&cursor=${cursor}`}`,
        merchant.key,
      )
      const page = reply.json<{ payments: { block_hash: string }[]; total: number; next_cursor: string | null }>()
      row('4.5, rule 16', () => assert.equal(page.total, 130, reply.text))
      seen.push(...page.payments.map(({ block_hash: hash }) => hash))
      cursor = page.next_cursor
    }
    assert.deepEqual([seen.length, new Set(seen).size], [130, 130])
    const first = (await shop.rest('GET', '/api/checkouts/unmatched', merchant.key)).json<{ next_cursor: string }>()
    assert.ok(first.next_cursor, 'what is cut says so')
    const csv = (await shop.rest('GET', '/api/checkouts/export.csv', merchant.key)).text
    assert.equal(csv.split('\r\n').filter((line) => line.includes(',unmatched,')).length, 130)
    const headers = { cookie: await enter(shop, merchant.key) }
    const page = await ask(`${shop.url}/dashboard/checkouts/unmatched`, { method: 'GET', headers })
    assert.match(page.text, /\/dashboard\/checkouts\/unmatched\?cursor=/)
  })

  test('two invoices had the same number of their merchant (contract 4.12, rule 7)', async (t) => {
    const { world, shop, merchant, wallet } = await openRefundShop(t, engine)
    const order = (number: string, headers = merchant.headers) => {
      const invoice = { number, lines: [{ title: 'Lamp', price: '2' }] }
      return shop.call('checkout', { address: wallet, amount: '2', invoice }, headers)
    }
    const replies = await Promise.all([order('A-1'), order('A-1'), order('A-2')])
    const made = replies.filter(({ status }) => status === 200).map((reply) => reply.json<Made>())
    assert.equal(made.length, 2, 'of two at once one is made')
    const refused = replies.find(({ status }) => status !== 200)!
    row('4.12, rule 7', () =>
      assert.deepEqual([refused.status, refused.json<{ field: string }>().field], [400, 'invoice.number']),
    )
    const [first] = made
    await payFor(world, shop, first!.id)
    assert.equal((await order('A-1')).json<{ field: string }>().field, 'invoice.number')
    const other = (await order('A-3')).json<Made>()
    const body = { invoice: { number: 'A-1', lines: [{ title: 'Lamp', price: '2' }] } }
    const changed = await shop.rest('PUT', `/api/checkouts/${other.id}`, merchant.key, body)
    assert.deepEqual([changed.status, changed.json<{ field: string }>().field], [409, 'invoice.number'])
    assert.equal((await order('A-1', (await shop.join()).headers)).status, 200, 'another account has its own')
    // An unpaid end frees the order number, and once another checkout has it, the old one cannot be accepted.
    await shop.rest('DELETE', `/api/checkouts/${other.id}`, merchant.key)
    assert.equal((await order('A-3')).status, 200)
    const late = await shop.rest('POST', `/api/checkouts/${other.id}/mark`, merchant.key, {})
    assert.deepEqual([late.status, late.json<{ field: string }>().field], [409, 'invoice.number'])
  })

  test('a link showed what it had brought, and not what went back of it (contract 4.9, rule 8)', async (t) => {
    const { world, shop, merchant, wallet, refund, untilRefund } = await openRefundShop(t, engine)
    const fields = { address: wallet, amount: '10', currency: 'EUR', title: 'Mug' }
    const link = (await shop.rest('POST', '/api/links', merchant.key, fields)).json<{ id: string; slug: string }>()
    const bought = await sendForm(`${shop.url}/buy/${link.slug}`)
    const id = idIn(bought)
    await payFor(world, shop, id)
    await refund(id, { fiat_amount: '2.50' })
    await untilRefund(id, 'sent')
    const shown = (await shop.rest('GET', `/api/links/${link.id}`, merchant.key)).json()
    const { revenue_fiat: gross, refunded_fiat: back, net_fiat: net } = shown
    assert.deepEqual([gross, back, net], ['10.00', '2.50', '7.50'])
    assert.equal(BigInt(shown.revenue_raw!) - BigInt(shown.refunded_raw!), BigInt(shown.net_raw!))
    const headers = { cookie: await enter(shop, merchant.key) }
    const page = await ask(`${shop.url}/dashboard/links/${link.id}`, { method: 'GET', headers })
    assert.match(bare(page.text), /2\.50 EUR.*7\.50 EUR/)
  })
})
