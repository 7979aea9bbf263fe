import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearer, earned, type Made, merchant, openShop, payFor, turnUntil } from '../support/checkout-steps.ts'
import { assertNamed, wrongIn } from '../support/wrong-fields.ts'
import { row } from './row.ts'

/* Contract 4.3: the report over the checkouts of a key. */

const { address } = merchant
const DAY = 24 * 3_600_000

interface Report {
  period: { query: string | null; from: string | null; to: string | null }
  summary: { total: number; by_status: Record<string, number> }
  revenue: Record<string, { count: number; amount: string; amount_raw: string }>
  excluded: number
  checkouts: { id: string; metadata: object; status: string; amount_raw: string; json: string }[]
  limit: number
  has_more: boolean
}

const idsOf = (checkouts: readonly { id: string }[]) => checkouts.map(({ id }) => id)
const iso = (at: number) => new Date(at).toISOString()

test('checkout_report: the checkouts of this very key, by period, status and metadata (contract 4.3, rules 1 to 6; 3, rule 6; 8, Checkout: checkout_report; 9, Synonyms: checkout status filters; 4.1, Payments, wallets, faucet, swap: checkout_report)', async (t) => {
  const { world, shop } = await openShop(t)
  const { clock } = world
  const [{ key }, stranger] = [await shop.join(), await shop.join()]
  const secondKey = (await shop.rest('POST', '/api/keys', key, { name: 'till 2' })).json<{ key: string }>().key
  const make = (fields: object, as = key) => shop.open({ address, ...fields }, bearer(as))
  const paid = async (made: Made) => {
    await payFor(world, shop, made.id)
    return made
  }
  const goTo = (moment: string) => clock.leap(Date.parse(moment) - clock.now())

  const autumn = await paid(await make({ amount: '1', metadata: { shop: 'north', paid: true } }))
  assert.equal((await shop.rest('DELETE', `/api/checkouts/${autumn.id}`, key)).status, 200)
  goTo('2026-12-31T12:00:00Z')
  const december = await make({ amount: '2', metadata: { shop: 'south' } })
  goTo('2027-01-01T06:00:00Z')
  const newYear = await paid(await make({ amount: '12.50', currency: 'EUR', metadata: { shop: 'south', size: 7 } }))
  goTo('2027-01-02T08:00:00Z')
  const today = await make({ amount: '3' })
  await make({ amount: '4' }, stranger.key)
  await make({ amount: '5' }, secondKey)
  await shop.open({ address, amount: '6' })
  await turnUntil(world, 1_000, async () => (await shop.check(december.id)).status === 'expired')
  const everything = [today, newYear, december, autumn]

  const ask = (fields: object, as = key) => shop.call('checkout_report', fields, bearer(as))
  const report = async (fields: object, as = key) => {
    const reply = await ask(fields, as)
    assert.equal(reply.status, 200, reply.text)
    return reply.json<Report>()
  }
  const assertFound = async (fields: object, expected: readonly Made[]) => {
    const { checkouts, summary } = await report(fields)
    const what = JSON.stringify(fields)
    assert.deepEqual(idsOf(checkouts), idsOf(expected), what)
    assert.equal(summary.total, expected.length, what)
  }

  const whole = await report({})
  assert.deepEqual(Object.keys(whole), ['period', 'summary', 'revenue', 'excluded', 'checkouts', 'limit', 'has_more'])
  row('2, Checkout report: period', () => assert.deepEqual(whole.period, { query: null, from: null, to: null }))
  const byStatus = { pending: 1, detected: 0, partial: 0, complete: 2, expired: 1, cancelled: 0 }
  row('2, Checkout report: summary, revenue, limit, has_more', () => {
    assert.deepEqual(whole.summary, { total: 4, by_status: byStatus })
    assert.deepEqual(whole.revenue, {
      EUR: earned(1, '12.50', newYear.amount_raw),
      NANO: earned(1, autumn.amount, autumn.amount_raw),
    })
    assert.deepEqual([whole.limit, whole.has_more], [100, false])
  })
  await assertFound({}, everything)
  const [first, second] = whole.checkouts.map(({ id, status, amount_raw: raw, json }) => [id, status, raw, json])
  row('2, Checkout report: checkouts', () => {
    assert.deepEqual(first, [today.id, 'pending', today.amount_raw, today.json])
    assert.deepEqual(second, [newYear.id, 'complete', newYear.amount_raw, newYear.json])
  })
  assert.deepEqual(whole.checkouts.at(-1)!.metadata, { shop: 'north', paid: true })

  // It is the morning of the second of January in UTC.
  const thisYear = [today, newYear]
  const sinceDecember = [...thisYear, december]
  const periods: [readonly Made[], ...queries: string[]][] = [
    [[today], 'today', 'last 1 day', 'last 5 hours', 'past 1 hour'],
    [[newYear], 'yesterday'],
    [thisYear, 'this month', 'this year'],
    [[december], 'last month'],
    [sinceDecember, 'past 2 days', 'last 1 week', 'last 30 days', 'past 1 month', 'this week'],
    [everything, ' Last  3   MONTHS ', 'last 1 year', 'past 2 years'],
    [[], 'last week'],
    [[december, autumn], 'last year'],
  ]
  await row('4.3, checkout_report: query', async () => {
    for (const [expected, ...queries] of periods) {
      for (const query of queries) await assertFound({ query }, expected)
    }
  })
  const now = clock.now()
  const periodOf = async (query: string) => (await report({ query })).period
  const month = { query: 'last 30 days', from: iso(now - 30 * DAY), to: iso(now + 1) }
  assert.deepEqual(await periodOf('last 30 days'), month)
  const [december1, january1] = ['2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z']
  assert.deepEqual(await periodOf('last month'), { query: 'last month', from: december1, to: january1 })
  const yesterday = { query: 'yesterday', from: january1, to: '2027-01-02T00:00:00.000Z' }
  assert.deepEqual(await periodOf('yesterday'), yesterday)

  await row('4.3, checkout_report: status, from, to', async () => {
    for (const status of ['paid', 'confirmed', 'completed', 'complete'])
      await assertFound({ status }, [newYear, autumn])
    await assertFound({ status: 'expired' }, [december])
    // An end date includes the whole day.
    await assertFound({ from: '2027-01-01', to: '2027-01-01' }, [newYear])
    await assertFound({ from: '2027-01-01', to: '2027-01-02' }, [today, newYear])
    await assertFound({ to: '2027-01-01T06:00:00Z' }, [december, autumn])
    await assertFound({ from: Date.parse('2027-01-01T06:00:00Z') / 1_000 }, [today, newYear])
    // Exact dates take precedence over the period.
    await assertFound({ query: 'today', from: '2026-12-31' }, [today, newYear, december])
  })

  await row('4.3, checkout_report: metadata_filter', async () => {
    await assertFound({ metadata_filter: { shop: 'south' } }, [newYear, december])
    await assertFound({ metadata_filter: { shop: 'south', size: 7 } }, [newYear])
    await assertFound({ metadata_filter: { paid: true } }, [autumn])
    await assertFound({ metadata_filter: { shop: 'west' } }, [])
  })
  await row('4.3, checkout_report: metadata_key, metadata_value', async () => {
    await assertFound({ metadata_key: 'size', metadata_value: '7' }, [newYear])
    await assertFound({ metadata_key: 'shop', metadata_value: 'south', status: 'paid' }, [newYear])
  })
  assert.deepEqual((await report({ metadata_filter: { shop: 'west' } })).revenue, {})

  const cut = await report({ limit: 2 })
  row('4.3, checkout_report: limit', () =>
    assert.deepEqual([cut.checkouts.length, cut.limit, cut.has_more, cut.summary.total], [2, 2, true, 4]),
  )
  assert.deepEqual(cut.revenue, whole.revenue, 'sums are over all that match')
  assert.deepEqual([(await report({ limit: '4' })).has_more, (await report({ limit: 1000 })).limit], [false, 1000])

  assert.equal((await report({}, stranger.key)).summary.total, 1)
  assert.equal((await report({}, secondKey)).summary.total, 1, 'not even those of another key of the account')
  // Checkouts that are not listed are counted, so that the report does not look complete.
  const [ofDay, ofSecond] = [await report({ query: 'yesterday' }), await report({}, secondKey)]
  row('2, Checkout report: excluded', () =>
    assert.deepEqual([whole.excluded, ofDay.excluded, ofSecond.excluded], [1, 0, 4]),
  )
  const keys = (await shop.rest('GET', '/api/keys', key)).json<{ keys: { id: string; start: string }[] }>().keys
  const { id } = keys.find(({ start }) => key.startsWith(start))!
  const rotated = (await shop.rest('POST', `/api/keys/${id}/rotate`, key)).json<{ id: string; key: string }>()
  const again = (await shop.rest('POST', `/api/keys/${rotated.id}/rotate`, rotated.key)).json<{ key: string }>()
  for (const next of [rotated.key, again.key]) {
    const { summary, revenue, excluded } = await report({}, next)
    assert.deepEqual([summary, revenue, excluded], [whole.summary, whole.revenue, 1])
  }
  const admin = await report({}, world.key())
  assert.equal(admin.summary.total, 0)

  const askWrongly = async (fields: object) => {
    const reply = await ask(fields)
    assert.equal(reply.json().code, 'invalid_request')
    return reply
  }
  await assertNamed(askWrongly, [
    wrongIn('query', 'whenever', 'last days', 'last 0 days', 'next 3 days', 'last 5 minutes', 'last 30 days or so'),
    wrongIn('query', 30, { last: 30 }),
    wrongIn('status', 'unpaid'),
    wrongIn('from', 'soon'),
    wrongIn('to', '2027-13-01'),
    wrongIn('limit', 0, 1001, 1.5, 'all'),
    wrongIn(
      'metadata_filter',
      'shop',
      { "a'b": 1 },
      { shop: { name: 'north' } },
      { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 },
    ),
    ['metadata_key', { metadata_key: 'shop' }, { metadata_value: 'north' }],
  ])
  const nobody = await shop.call('checkout_report')
  assert.deepEqual([nobody.status, nobody.json().code], [401, 'key_required'])
  assert.match(nobody.json().error!, /API key required/)
})
