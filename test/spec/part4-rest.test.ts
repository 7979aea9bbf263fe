import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import {
  bearer,
  earned,
  type Made,
  merchant,
  openShop,
  openWorld,
  payFor,
  type Shop,
  type Shown,
  untilStatus,
} from '../support/checkout-steps.ts'

/* Contract 4.5: the REST API of checkouts, under both of its paths. Changes are in part4-rest-changes. */

const { address } = merchant
const PATHS = ['/api/checkouts', '/api/admin/checkouts']

interface Page {
  checkouts: { id: string }[]
  next_cursor: string | null
  total: number
  limit: number
  offset: number
}

const idsOf = (checkouts: { id: string }[]) => checkouts.map(({ id }) => id)

/** Signs in with the link mailed to the address. */
async function signIn(shop: Shop, adminKey: string, email: string): Promise<string> {
  await shop.rest('POST', '/api/sign-in/request', undefined, { email })
  let token: string | undefined
  await until(async () => {
    const { mails } = (await shop.rest('GET', '/api/mails', adminKey)).json<{ mails: { text: string }[] }>()
    token = mails.map(({ text }) => /\b\w{40}\b/.exec(text)?.[0]).find((found) => found !== undefined)
    return token !== undefined
  })
  return (await shop.rest('POST', '/api/sign-in', undefined, { token })).json<{ token: string }>().token
}

test('every route: its owner is let in, everybody else gets “not found” (contract 4.5, rules 1, 2, 3 and 13; 9, Synonyms: REST)', async (t) => {
  const { world, shop } = await openShop(t)
  const [owner, other] = [await shop.join(), await shop.join()]
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
      const body = method === 'GET' ? undefined : {}
      const foreign = await shop.rest(method, route, other.key, body)
      assert.deepEqual([foreign.status, foreign.json().error], [404, 'Checkout not found.'], `${method} ${route}`)
      const missing = await shop.rest(method, route.replace(made.id, '0123456789abcdef'), other.key, body)
      assert.equal(missing.text, foreign.text, 'a stranger’s is like one that does not exist')
      // An administrator may read everything, but not change the objects of others.
      const { status } = await shop.rest(method, route, world.key(), body)
      assert.equal(status, method === 'GET' && path === PATHS[1] ? 200 : 404, `${method} ${route} by an administrator`)
    }
    const total = async (key: string) => (await shop.rest('GET', path, key)).json<Page>().total
    assert.deepEqual([await total(owner.key), await total(other.key)], [1, 0])
    assert.equal(await total(world.key()), path === PATHS[1] ? 1 : 0)
    const overview = await shop.rest('GET', `${path}/overview`, owner.key)
    assert.deepEqual([overview.status, overview.json().code], [403, 'feature_disabled'])
    assert.equal((await shop.rest('GET', `${path}/overview`, world.key())).status, 200)
  }
  // A dashboard session may use the same endpoints as a key.
  const token = await signIn(shop, world.key(), 'shop@example.com')
  const mine = await shop.rest('POST', PATHS[1]!, token, { address, amount: '1' })
  assert.equal(mine.status, 201, mine.text)
  assert.deepEqual(idsOf((await shop.rest('GET', PATHS[1]!, token)).json<Page>().checkouts), [mine.json().id])
  assert.equal((await shop.rest('GET', `${PATHS[1]!}/${made.id}`, token)).status, 404)
})

test('201 both paths make a checkout like the action does, once for each key (contract 4.5, Administrative checkout REST API: POST /api/admin/checkouts; 4.5, rules 6 and 12; 9, Synonyms: REST)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start({ KNOWN_NAMES: JSON.stringify({ alice: address }), CHECKOUT_GENERATED_WALLETS: 'all' })
  const { key } = await shop.join()
  const fields = {
    address: '@alice',
    title: 'Tea',
    description: 'Green',
    image: 'https://shop.example/tea.png',
    success_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/cart',
    webhook: 'https://shop.example/hook',
    webhook_secret: 'long enough a secret',
    webhook_events: ['payment.partial'],
    notify: 'owner@shop.example',
    metadata: { order: 'A-1' },
  }
  const large = { name: 'Large', price: '5', discount: 10 }
  const plans = [{ title: 'Small', value: '1' }, large]
  for (const path of PATHS) {
    const reply = await shop.rest('POST', path, key, { ...fields, plans })
    assert.equal(reply.status, 201, reply.text)
    const made = reply.json<Made>()
    assert.deepEqual([made.address, made.status, made.mode], [address, 'pending', 'unique_amount'])
    assert.match(made.id, /^[0-9a-f]{16}$/)
    assert.match(made.qrcode, /^data:image\/png;base64,/)
    assert.deepEqual([made.browser, made.check], [`${shop.url}/pay/${made.id}`, `${shop.url}/check/${made.id}`])
    const { checkout } = (await shop.rest('GET', `${path}/${made.id}`, key)).json<Shown>()
    const { webhook, webhook_secret: _, address: name, ...shown } = fields
    assert.equal(name, '@alice')
    for (const [member, value] of Object.entries(shown)) assert.deepEqual(checkout[member], value, member)
    assert.deepEqual([checkout.webhook_url, checkout.webhook_secret_set], [webhook, true])
    assert.equal('webhook_secret' in checkout, false)
    const discounts = (checkout.plans as { title: string; discount: unknown }[]).map((plan) => [
      plan.title,
      plan.discount,
    ])
    assert.equal(JSON.stringify(discounts), '[["Small",false],["Large",10]]')
    const wallet = await shop.rest('POST', path, key, { address, amount: '1', mode: 'generated_wallet' })
    assert.deepEqual([wallet.status, wallet.json().mode], [201, 'generated_wallet'])
    assert.notEqual(wallet.json().address, address)

    const headers = { ...bearer(key), 'idempotency-key': path }
    const once = (amount: string) => ask(shop.url + path, { headers, body: JSON.stringify({ address, amount }) })
    const [first, second] = [await once('2'), await once('2')]
    assert.deepEqual(first.json(), second.json())
    assert.equal(second.headers['idempotent-replayed'], 'true')
    assert.equal((await once('3')).status, 409)
  }
  const wrong = await shop.rest('POST', PATHS[0]!, key, { amount: '1' })
  assert.deepEqual([wrong.status, wrong.json().field], [400, 'address'])
})

test('lists are newest first, and pages do not move while new checkouts come in (contract 4.5, Administrative checkout REST API: GET /api/admin/checkouts; 4.5, rule 4; 8, Requests: limit of a REST list; 3, rule 6)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const made: Made[] = []
  for (let at = 0; at < 7; at++) made.unshift(await shop.open({ address, amount: '1' }, bearer(key)))
  const page = async (query: string) => (await shop.rest('GET', `/api/checkouts?${query}`, key)).json<Page>()
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { checkouts, next_cursor: next } = await page(`limit=3&cursor=${cursor}`)
    seen.push(...idsOf(checkouts))
    cursor = next
    world.clock.advance(1)
    made.unshift(await shop.open({ address, amount: '1' }, bearer(key)))
  }
  assert.equal(new Set(seen).size, 7)
  assert.equal(seen.length, 7, 'all of one moment: only the second key tells them apart')

  const { checkouts, ...rest } = await page('limit=2&offset=1')
  assert.deepEqual(rest, { total: 10, limit: 2, offset: 1, next_cursor: rest.next_cursor })
  assert.deepEqual(idsOf(checkouts), idsOf(made.slice(1, 3)))
  const whole = await page('')
  assert.deepEqual([whole.limit, whole.offset, whole.checkouts.length], [25, 0, 10])
  const paid = made[0]!
  await world.pay(address, paid.amount_raw)
  await untilStatus(shop, paid.id, 'complete')
  for (const status of ['paid', 'confirmed', 'completed', 'complete']) {
    const { checkouts, total } = await page(`status=${status}`)
    assert.deepEqual([idsOf(checkouts), total], [[paid.id], 1], status)
  }
  assert.equal((await page('status=pending')).total, 9)
  const queries = ['limit=0', 'limit=101', 'limit=x', 'offset=-1', 'status=nope', 'cursor=1']
  for (const query of queries) {
    const reply = await shop.rest('GET', `/api/checkouts?${query}`, key)
    assert.deepEqual([reply.status, reply.json().field], [400, query.split('=')[0]], query)
  }
  assert.equal((await page('limit=100')).limit, 100)
})

test('stats have a day for each of the last 30, overview a row for each account, and the CSV a line for each payment (contract 4.5, Administrative checkout REST API: GET /api/admin/checkouts/stats, GET /api/admin/checkouts/overview, GET /api/admin/checkouts/export.csv; 4.5, rules 1 and 11)', async (t) => {
  const { world, shop } = await openShop(t)
  const [owner, other] = [await shop.join(), await shop.join()]
  const { key } = owner
  const title = '=HYPERLINK("https://evil.example")'
  const days: Made[] = []
  for (let day = 0; day < 3; day++) {
    const fiat = day === 2 && { currency: 'EUR', title, metadata: { note: 'a, "b"' } }
    const made = await shop.open({ address, amount: '1', ...fiat }, bearer(key))
    await payFor(world, shop, made.id)
    days.push(made)
    world.clock.leap(24 * 3_600_000)
  }
  await shop.open({ address, amount: '1' }, bearer(other.key))
  await shop.open({ address, amount: '1' })
  interface Stats {
    total: number
    by_status: Record<string, number>
    revenue: Record<string, { count: number; amount: string; amount_raw: string }>
    series: { date: string; count: number; amount: string; amount_raw: string; revenue: object }[]
    accounts?: object[]
  }
  const read = async (path: string, as = key) => (await shop.rest('GET', path, as)).json<Stats>()
  const stats = await read('/api/checkouts/stats')
  assert.deepEqual(Object.keys(stats), ['total', 'by_status', 'revenue', 'series'])
  const byStatus = { pending: 0, detected: 0, partial: 0, complete: 3, expired: 0, cancelled: 0 }
  assert.deepEqual([stats.total, stats.by_status], [3, byStatus])
  const [first, second, third] = days as [Made, Made, Made]
  const sum = `${BigInt(first.amount_raw) + BigInt(second.amount_raw)}`
  assert.deepEqual([stats.revenue.NANO!.count, stats.revenue.NANO!.amount_raw], [2, sum])
  assert.deepEqual(stats.revenue.EUR, earned(1, '1.00', third.amount_raw))
  assert.equal(stats.series.length, 30)
  assert.equal(stats.series.at(-1)!.date, '2026-11-18')
  assert.deepEqual(stats.series[0], { date: '2026-10-20', count: 0, amount: '0', amount_raw: '0', revenue: {} })
  const sold = stats.series.filter(({ count }) => count > 0).map(({ date, count }) => `${date} ${count}`)
  assert.deepEqual(sold, ['2026-11-15 1', '2026-11-16 1', '2026-11-17 1'])
  const raws = stats.series.slice(-4, -1).map(({ amount_raw: raw }) => raw)
  assert.deepEqual(raws, [first.amount_raw, second.amount_raw, third.amount_raw])
  assert.deepEqual(await read('/api/admin/checkouts/stats'), stats)
  assert.equal((await read('/api/admin/checkouts/stats', other.key)).total, 1)

  const overview = await read('/api/admin/checkouts/overview', world.key())
  assert.deepEqual(overview.total, 5)
  const { accounts } = overview
  const row = (account: string) => accounts!.find((one) => (one as { account: string | null }).account === account)
  const raw = `${BigInt(sum) + BigInt(third.amount_raw)}`
  const { amount, ...mine } = row(owner.accountId) as { amount: string }
  assert.equal(typeof amount, 'string')
  assert.deepEqual(mine, { account: owner.accountId, total: 3, complete: 3, amount_raw: raw })
  const none = { complete: 0, amount: '0', amount_raw: '0' }
  assert.deepEqual(row(other.accountId), { account: other.accountId, total: 1, ...none })
  assert.equal(accounts!.length, 3, 'and one for all without a key')

  const reply = await shop.rest('GET', '/api/checkouts/export.csv', key)
  assert.equal(reply.headers['content-type'], 'text/csv; charset=utf-8')
  const lines = reply.text.split('\r\n')
  assert.match(lines[0]!, /^\uFEFFdate_utc,checkout_id,title,status,/)
  assert.equal(lines.length, 5, 'a head, a line for each payment, and nothing after the last')
  assert.ok(lines[1]!.includes(third.id) && lines[1]!.includes(third.amount_raw))
  assert.ok(lines[1]!.includes(`"'=HYPERLINK(""https://evil.example"")"`), 'no cell is a formula')
  const linesOf = async (path: string, as: string) => (await shop.rest('GET', path, as)).text.split('\r\n').length
  assert.equal(await linesOf('/api/admin/checkouts/export.csv', other.key), 2)
  assert.equal(await linesOf('/api/admin/checkouts/export.csv', world.key()), 5)
  assert.equal(await linesOf('/api/checkouts/export.csv', world.key()), 2)
})
