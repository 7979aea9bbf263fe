import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearer, earned, type Made, merchant, openShop, turnUntil } from '../support/checkout-steps.ts'
import { row } from './row.ts'

/* Contract 4.3: what the checkouts of one key came to. */

const { address } = merchant
const HOUR = 3_600_000
const DAY = 24 * HOUR

interface Report {
  period: { query: string | null; from: string | null; to: string | null }
  summary: { total: number; by_status: Record<string, number> }
  revenue: Record<string, { count: number; amount: string; amount_raw: string }>
  excluded: number
  checkouts: { id: string; metadata: object; status: string; amount_raw: string; json: string }[]
  limit: number
  has_more: boolean
  field?: string
}

const iso = (at: number) => new Date(at).toISOString()

test('checkout_report: the checkouts of this very key, by period, status and metadata (contract 4.3, rules 1 to 6; 3, rule 6; 8, Checkout: checkout_report; 9, Synonyms: checkout status filters; 4.1, Payments, wallets, faucet, swap: checkout_report)', async (t) => {
  const { world, shop } = await openShop(t)
  const { clock } = world
  const [{ key }, stranger] = [await shop.join(), await shop.join()]
  const secondKey = (await shop.rest('POST', '/api/keys', key, { name: 'till 2' })).json<{ key: string }>().key
  const make = (fields: object, as = key) => shop.open({ address, ...fields }, bearer(as))
  const paid = async (made: Made) => {
    await world.pay(address, made.amount_raw)
    await turnUntil(world, 1_000, async () => (await shop.check(made.id)).success)
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
    assert.deepEqual(
      checkouts.map(({ id }) => id),
      expected.map(({ id }) => id),
      what,
    )
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
  row('2, Checkout report: checkouts', () =>
    assert.deepEqual(
      whole.checkouts.slice(0, 2).map(({ id, status, amount_raw: raw, json }) => [id, status, raw, json]),
      [
        [today.id, 'pending', today.amount_raw, today.json],
        [newYear.id, 'complete', newYear.amount_raw, newYear.json],
      ],
    ),
  )
  assert.deepEqual(whole.checkouts.at(-1)!.metadata, { shop: 'north', paid: true })

  // It is the morning of the second of January, by UTC.
  const periods: [string, readonly Made[]][] = [
    ['today', [today]],
    ['yesterday', [newYear]],
    ['this month', [today, newYear]],
    ['last month', [december]],
    ['last 1 day', [today]],
    ['past 2 days', [today, newYear, december]],
    ['last 1 week', [today, newYear, december]],
    ['last 30 days', [today, newYear, december]],
    [' Last  3   MONTHS ', everything],
    ['past 1 month', [today, newYear, december]],
    ['last 1 year', everything],
    ['past 2 years', everything],
    ['last 5 hours', [today]],
    ['past 1 hour', [today]],
    ['this week', [today, newYear, december]],
    ['last week', []],
    ['this year', [today, newYear]],
    ['last year', [december, autumn]],
  ]
  await row('4.3, checkout_report: query', async () => {
    for (const [query, expected] of periods) await assertFound({ query }, expected)
  })
  const now = clock.now()
  const periodOf = async (query: string) => (await report({ query })).period
  assert.deepEqual(await periodOf('last 30 days'), {
    query: 'last 30 days',
    from: iso(now - 30 * DAY),
    to: iso(now + 1),
  })
  const [december1, january1] = ['2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z']
  assert.deepEqual(await periodOf('last month'), { query: 'last month', from: december1, to: january1 })
  const yesterday = { query: 'yesterday', from: january1, to: '2027-01-02T00:00:00.000Z' }
  assert.deepEqual(await periodOf('yesterday'), yesterday)

  await row('4.3, checkout_report: status, from, to', async () => {
    for (const status of ['paid', 'confirmed', 'completed', 'complete'])
      await assertFound({ status }, [newYear, autumn])
    await assertFound({ status: 'expired' }, [december])
    // A day as the end is the whole of that day.
    await assertFound({ from: '2027-01-01', to: '2027-01-01' }, [newYear])
    await assertFound({ from: '2027-01-01', to: '2027-01-02' }, [today, newYear])
    await assertFound({ to: '2027-01-01T06:00:00Z' }, [december, autumn])
    await assertFound({ from: Date.parse('2027-01-01T06:00:00Z') / 1_000 }, [today, newYear])
    // What is said exactly goes before the period.
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
  // They are counted, so that nobody takes the report for all there is.
  const left = [whole, await report({ query: 'yesterday' }), await report({}, secondKey)]
  row('2, Checkout report: excluded', () =>
    assert.deepEqual(
      left.map(({ excluded }) => excluded),
      [1, 0, 4],
    ),
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

  const wrong: [object, string][] = [
    ...['whenever', 'last days', 'last 0 days', 'next 3 days', 'last 5 minutes', 'last 30 days or so'].map(
      (query): [object, string] => [{ query }, 'query'],
    ),
    [{ query: 30 }, 'query'],
    [{ query: { last: 30 } }, 'query'],
    [{ status: 'unpaid' }, 'status'],
    [{ from: 'soon' }, 'from'],
    [{ to: '2027-13-01' }, 'to'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 1001 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ limit: 'all' }, 'limit'],
    [{ metadata_filter: 'shop' }, 'metadata_filter'],
    [{ metadata_filter: { "a'b": 1 } }, 'metadata_filter'],
    [{ metadata_filter: { shop: { name: 'north' } } }, 'metadata_filter'],
    [{ metadata_filter: { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 } }, 'metadata_filter'],
    [{ metadata_key: 'shop' }, 'metadata_key'],
    [{ metadata_value: 'north' }, 'metadata_key'],
  ]
  for (const [fields, field] of wrong) {
    const reply = await ask(fields)
    assert.deepEqual(
      [reply.status, reply.json().code, reply.json().field],
      [400, 'invalid_request', field],
      JSON.stringify(fields),
    )
  }
  const nobody = await shop.call('checkout_report')
  assert.deepEqual([nobody.status, nobody.json().code], [401, 'key_required'])
  assert.match(nobody.json().error!, /API key required/)
})
