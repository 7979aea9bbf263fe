import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { type Made, bearer, listEvents, merchant, nano, openWorld, stranger, turnUntil, untilStatus } from './world.ts'

/* The REST interface of checkouts, under both of its paths (contract 4.5), and the report (contract 4.3). */

const address = merchant.address
const PATHS = ['/api/checkouts', '/api/admin/checkouts']

interface View {
  id: string
  status: string
  title: string | null
  amount_raw: string
  [name: string]: unknown
}

test('every route: its owner is let in, everybody else is told that there is nothing (contract 4.5, Administrative checkout REST API; 4.5, rules 1, 2 and 3; 9, Synonyms: REST)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const [owner, other] = [await world.join(shop), await world.join(shop)]
  const { key: publicKey } = await world.join(shop, 'public', ['https://shop.example'])
  const made = await shop.open({ address, amount: '1' }, bearer(owner.key))
  for (const path of PATHS) {
    const routes: [string, string][] = [
      ['GET', `${path}/${made.id}`],
      ['PUT', `${path}/${made.id}`],
      ['POST', `${path}/${made.id}/mark`],
      ['POST', `${path}/${made.id}/redeliver`],
      ['DELETE', `${path}/${made.id}`],
    ]
    for (const [method, route] of routes) {
      const status = async (key?: string) =>
        (await shop.rest(method, route, key, method === 'GET' ? undefined : {})).status
      assert.equal(await status(other.key), 404, `${method} ${route} by another account`)
      assert.equal(await status(), 401, `${method} ${route} by nobody`)
      assert.equal(await status(publicKey), 403, `${method} ${route} with a public key`)
      // An administrator sees all and changes nothing of others.
      const admin = await status(world.key())
      assert.equal(admin, method === 'GET' && path === PATHS[1] ? 200 : 404, `${method} ${route} by an administrator`)
    }
    const total = async (key: string) => (await shop.rest('GET', path, key)).json<{ total: number }>().total
    assert.deepEqual([await total(owner.key), await total(other.key)], [1, 0])
    assert.equal(await total(world.key()), path === PATHS[1] ? 1 : 0)
    assert.equal((await shop.rest('GET', `${path}/overview`, owner.key)).status, 403)
    assert.equal((await shop.rest('GET', `${path}/overview`, world.key())).status, 200)
  }
})

test('201 both paths make a checkout like the action does, once for each key (contract 4.5, rule 6; 9, Synonyms: REST)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start({ KNOWN_NAMES: JSON.stringify({ alice: address }) })
  for (const path of PATHS) {
    const reply = await shop.rest('POST', path, world.key(), {
      address: '@alice',
      amount: '1',
      webhook: 'https://a.example/',
    })
    assert.equal(reply.status, 201)
    assert.equal(reply.json<Made>().address, address)
    const headers = { ...bearer(world.key()), 'idempotency-key': path }
    const body = JSON.stringify({ address, amount: '2' })
    const [first, second] = [
      await ask(`${shop.url}${path}`, { headers, body }),
      await ask(`${shop.url}${path}`, { headers, body }),
    ]
    assert.deepEqual(first.json(), second.json())
    assert.equal(second.headers['idempotent-replayed'], 'true')
  }
  const wrong = await shop.rest('POST', PATHS[0]!, world.key(), { amount: '1' })
  assert.deepEqual([wrong.status, wrong.json().field], [400, 'address'])
})

test('pages do not move while new checkouts come in (contract 4.5, rule 4; 8, Requests: limit of a REST list)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  for (let at = 0; at < 7; at++) await shop.open({ address, amount: '1', title: `${at}` }, bearer(world.key()))
  type Page = { checkouts: View[]; next_cursor: string | null; total: number; limit: number; offset: number }
  const page = async (query: string) => (await shop.rest('GET', `/api/checkouts?${query}`, world.key())).json<Page>()
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { checkouts, next_cursor: next } = await page(`limit=3&cursor=${cursor}`)
    seen.push(...checkouts.map(({ id }) => id))
    cursor = next
    world.clock.advance(1)
    await shop.open({ address, amount: '1' }, bearer(world.key()))
  }
  assert.equal(new Set(seen).size, 7)
  assert.equal(seen.length, 7, 'all of one moment: only the second key tells them apart')
  const { total, limit, offset } = await page('limit=2&offset=2')
  assert.deepEqual([total, limit, offset], [10, 2, 2])
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'offset=-1', 'status=nope', 'cursor=1']) {
    assert.equal((await shop.rest('GET', `/api/checkouts?${query}`, world.key())).status, 400, query)
  }
})

test('PUT changes texts until it is paid, and the price only until somebody has seen it (contract 4.5, rule 7)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const key = world.key()
  const made = await shop.open({ address, amount: '1' }, bearer(key))
  const put = (body: object) => shop.rest('PUT', `/api/checkouts/${made.id}`, key, body)
  const changed = (await put({ title: 'New', amount: '2', metadata: { a: 1 } })).json<{ checkout: View }>().checkout
  assert.equal(changed.title, 'New')
  assert.ok(BigInt(changed.amount_raw) > nano('2'))
  // The old amount was shown to whoever made it; it pays nothing by itself any more.
  await world.pay(address, made.amount_raw)
  await until(async () => {
    const { payments } = (await shop.rest('GET', '/api/checkouts/unmatched', key)).json<{ payments: object[] }>()
    return payments.length === 1
  })
  assert.equal((await shop.check(made.id)).status, 'pending')
  assert.equal((await put({ amount: '3' })).status, 409, 'a block was seen')
  assert.equal((await put({ address: stranger.address })).status, 409)
  assert.equal((await put({ mode: 'unique_address' })).status, 409)
  assert.equal((await put({ success_url: 'javascript:alert(1)' })).status, 400)
  await world.pay(address, changed.amount_raw)
  await untilStatus(shop, made.id, 'complete')
  assert.equal((await put({ title: 'Too late' })).status, 409)

  const served = await shop.open({ address, amount: '1' }, bearer(key))
  await ask(`${shop.url}/pay/${served.id}`, { method: 'GET' })
  const late = await shop.rest('PUT', `/api/checkouts/${served.id}`, key, { amount: '2' })
  assert.deepEqual([late.status, late.json().field], [409, 'amount'])
})

test('DELETE cancels what is open and hides what is paid; money that still comes is recorded (contract 4.5, rule 8; 3, Checkout: cancelled)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const key = world.key()
  const [open, paid] = [
    await shop.open({ address, amount: '1' }, bearer(key)),
    await shop.open({ address, amount: '2' }, bearer(key)),
  ]
  await world.pay(address, paid.amount_raw)
  await untilStatus(shop, paid.id, 'complete')
  for (const { id } of [open, paid]) {
    const reply = await shop.rest('DELETE', `/api/checkouts/${id}`, key)
    assert.deepEqual(reply.json(), { success: true, deleted: true, id })
  }
  assert.equal((await shop.check(open.id)).status, 'cancelled')
  assert.equal((await shop.check(paid.id)).status, 'complete')
  const { checkouts } = (await shop.rest('GET', '/api/checkouts', key)).json<{ checkouts: View[] }>()
  assert.deepEqual(
    checkouts.map(({ id }) => id),
    [open.id],
  )
  await world.pay(address, open.amount_raw)
  await until(async () => (await shop.check(open.id)).additional_status === 'paid_late')
  const stats = (await shop.rest('GET', '/api/checkouts/stats', key)).json<{ total: number; by_status: object }>()
  assert.equal(stats.total, 2)
})

test('GET :id shows payments, events, wallet and timeline (contract 4.5, rule 5)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const fields = { address, amount: '1', webhook_url: 'https://shop.example/hook' }
  const made = await shop.open(fields, bearer(world.key()))
  const hash = await world.pay(address, made.amount_raw)
  await untilStatus(shop, made.id, 'complete')
  const all = (await shop.rest('GET', `/api/checkouts/${made.id}`, world.key())).json<{
    checkout: View
    payments: { block_hash: string; kind: string }[]
    webhook_events: { type: string; deliveries: unknown[] }[]
    wallet: unknown
    timeline: { seq: number; status: string; reason: string }[]
  }>()
  assert.deepEqual(
    all.payments.map(({ block_hash: hash, kind }) => [hash, kind]),
    [[hash, 'counted']],
  )
  assert.deepEqual(
    all.webhook_events.map(({ type }) => type),
    ['payment.completed'],
  )
  assert.equal(all.wallet, null)
  assert.deepEqual(
    all.timeline.map(({ status, reason }) => [status, reason]),
    [
      ['pending', 'created'],
      ['complete', 'paid'],
    ],
  )
  const again = await shop.rest('POST', `/api/checkouts/${made.id}/redeliver`, world.key())
  assert.deepEqual([again.status, again.json<{ redelivered: number }>().redelivered], [200, 1])
  assert.equal((await listEvents(shop, made.id)).length, 1)
})

test('stats have a day for each of the last 30, and overview a row for each account', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const key = world.key()
  const other = await world.join(shop)
  const days: Made[] = []
  for (let day = 0; day < 3; day++) {
    const made = await shop.open({ address, amount: '1', ...(day === 2 && { currency: 'EUR' }) }, bearer(key))
    await world.pay(address, made.amount_raw)
    await turnUntil(world, 1_000, async () => (await shop.check(made.id)).success)
    days.push(made)
    world.clock.advance(24 * 3_600_000)
  }
  await shop.open({ address, amount: '1' }, bearer(other.key))
  type Day = { date: string; count: number; amount_raw: string }
  const stats = (await shop.rest('GET', '/api/checkouts/stats', key)).json<{
    total: number
    by_status: Record<string, number>
    revenue: Record<string, { count: number; amount: string }>
    series: Day[]
  }>()
  assert.deepEqual([stats.total, stats.by_status.complete], [3, 3])
  assert.deepEqual([stats.revenue.NANO!.count, stats.revenue.EUR!.count, stats.revenue.EUR!.amount], [2, 1, '1.00'])
  assert.equal(stats.series.length, 30)
  const busy = stats.series.filter(({ count }) => count > 0)
  assert.deepEqual(
    busy.map(({ amount_raw: raw }) => raw),
    days.map(({ amount_raw: raw }) => raw),
  )
  assert.deepEqual(
    busy.map(({ date }) => date),
    ['2026-11-15', '2026-11-16', '2026-11-17'],
  )
  const overview = (await shop.rest('GET', '/api/admin/checkouts/overview', key)).json<{
    total: number
    accounts: { account: string; total: number; complete: number }[]
  }>()
  assert.equal(overview.total, 4)
  assert.deepEqual(
    overview.accounts.map(({ total, complete }) => [total, complete]),
    [
      [3, 3],
      [1, 0],
    ],
  )
})

test('the CSV has a line for each payment, and no cell of it is a formula', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const key = world.key()
  const made = await shop.open(
    { address, amount: '1', title: '=HYPERLINK("https://evil.example")', metadata: { note: 'a, "b"' } },
    bearer(key),
  )
  await world.pay(address, made.amount_raw)
  await untilStatus(shop, made.id, 'complete')
  const reply = await shop.rest('GET', '/api/checkouts/export.csv', key)
  assert.match(reply.headers['content-type']!, /text\/csv/)
  const [header, line, end] = reply.text.split('\r\n')
  assert.ok(header!.startsWith('\uFEFFdate_utc,'))
  assert.ok(line!.includes(`"'=HYPERLINK(""https://evil.example"")"`))
  assert.ok(line!.includes(made.amount_raw))
  assert.equal(end, '')
  const foreign = await world.join(shop)
  assert.equal((await shop.rest('GET', '/api/checkouts/export.csv', foreign.key)).text.split('\r\n').length, 2)
})

test('checkout_report: the checkouts of this very key, by period, status and metadata (contract 4.3, checkout_report; 4.3, rules 1, 2 and 3; 2, Checkout report; 3, rule 6; 8, Checkout: checkout_report; 9, Synonyms: checkout status filters; 4.1, Payments, wallets, faucet, swap: checkout_report)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const key = world.key()
  const other = await world.join(shop)
  await shop.open({ address, amount: '1', metadata: { shop: 'north', paid: true } }, bearer(key))
  world.clock.advance(40 * 24 * 3_600_000)
  const made = await shop.open({ address, amount: '1', metadata: { shop: 'south', size: 7 } }, bearer(key))
  await shop.open({ address, amount: '1' }, bearer(other.key))
  await world.pay(address, made.amount_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(made.id)).success)
  interface Report {
    summary: { total: number; by_status: Record<string, number> }
    revenue: Record<string, { count: number; amount: string; amount_raw: string }>
    checkouts: View[]
    limit: number
    has_more: boolean
    error?: string
  }
  const report = async (fields: object, as = key) =>
    (await shop.call('checkout_report', fields, bearer(as))).json<Report>()
  const recent = await report({ query: 'last 30 days' })
  assert.deepEqual([recent.summary.total, recent.limit, recent.has_more], [1, 100, false])
  assert.deepEqual(recent.revenue, { NANO: { count: 1, amount: made.amount, amount_raw: made.amount_raw } })
  assert.equal((await report({})).summary.total, 2)
  assert.equal((await report({ status: 'paid' })).summary.total, 1)
  assert.equal((await report({ metadata_filter: { shop: 'north' } })).summary.total, 1)
  assert.equal((await report({ metadata_key: 'size', metadata_value: 7 })).checkouts[0]!.id, made.id)
  assert.equal((await report({ metadata_filter: { paid: true } })).summary.total, 1)
  assert.equal((await report({ metadata_filter: { shop: 'west' } })).summary.total, 0)
  const cut = await report({ limit: 1 })
  assert.deepEqual([cut.checkouts.length, cut.has_more, cut.summary.total], [1, true, 2])
  assert.equal((await report({}, other.key)).summary.total, 1)
  for (const fields of [{ query: 'whenever' }, { limit: 1001 }, { from: 'soon' }, { metadata_filter: { "a'b": 1 } }]) {
    assert.equal((await shop.call('checkout_report', fields, bearer(key))).status, 400, JSON.stringify(fields))
  }
  assert.equal((await shop.call('checkout_report')).status, 401)
})
