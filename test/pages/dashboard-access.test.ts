import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listKeys } from '../../src/modules/accounts/index.ts'
import { dumpStore } from '../support/dump-store.ts'
import { until } from '../support/until.ts'
import { pay } from './browser.ts'
import {
  type Dashboard,
  type Stocked,
  openDashboard,
  openReceiver,
  shopAddress,
  stock,
  tokensOf,
} from './dashboard-steps.ts'

/* Who gets in, and to what: every address of the dashboard, for its owner, for another account, for nobody. */

interface Way {
  method: 'GET' | 'POST'
  path: string
  /** Only administrators know that it exists. */
  admin?: boolean
  /** What belongs to one account: for others it does not exist. */
  own?: boolean
  /** It shows the ledger, where everybody sees everything. */
  ledger?: boolean
}

const WAYS: Way[] = [
  ...['/', '/checkouts', '/checkouts/new', '/checkouts/unmatched', '/wallets', '/webhooks', '/keys'].map(page),
  ...['/credits', '/activity', '/developer', '/emails', '/names', '/profile', '/links', '/links/new'].map(page),
  ...['', '/blocks/:hash', '/accounts/:address'].map((path) => ({ ...page(`/developer/ledger${path}`), ledger: true })),
  ...['/checkouts/:id', '/wallets/:address', '/webhooks/events/:id', '/emails/:id', '/links/:id'].map((path) => ({
    ...page(path),
    own: true,
  })),
  ...['/admin', '/admin/accounts/:id', '/admin/health', '/admin/mail', '/admin/jobs'].map((path) => ({
    ...page(path),
    admin: true,
  })),
  ...['/checkouts', '/checkouts/unmatched', '/wallets', '/webhooks/secret', '/webhooks/ping', '/keys'].map(form),
  ...['/emails', '/names', '/credits/buy', '/profile', '/links'].map(form),
  ...['/developer/pay', '/developer/fund', '/developer/hold', '/developer/confirm'].map(form),
  ...[
    '/checkouts/:id/cancel',
    '/emails/:id/cancel',
    '/checkouts/:id/mark',
    '/checkouts/:id/refund',
    '/checkouts/:id/events/:event/redeliver',
    '/developer/checkouts/:id/:what',
    '/links/:id',
    '/links/:id/pause',
    '/links/:id/resume',
    '/links/:id/delete',
    '/keys/:id/rotate',
    '/keys/:id/revoke',
    '/wallets/:address/receive',
    '/webhooks/events/:id/redeliver',
  ].map((path) => ({ ...form(path), own: true })),
  { ...form('/admin/jobs/:id/retry'), admin: true },
  ...['suspend', 'resume', 'sign-out', 'standing', 'credits'].map((what) => ({
    ...form(`/admin/accounts/:id/${what}`),
    admin: true,
  })),
]

function page(path: string): Way {
  return { method: 'GET', path }
}

function form(path: string): Way {
  return { method: 'POST', path }
}

/** The address of a way, with what belongs to the owner in it. */
function addressOf({ path }: Way, keyId: string, { open, event, wallet, email, link }: Stocked): string {
  const ids: Record<string, string> = { keys: keyId, webhooks: event, emails: email, links: link }
  const id = ids[path.split('/')[1]!] ?? open
  const filled = path
    .replace(':address', wallet)
    .replace(':hash', 'F'.repeat(64))
    .replace(':event', event)
    .replace(':what', 'exactly')
    .replace(':id', id)
  return `/dashboard${filled === '/' ? '' : filled}`
}

const WATCHED = [
  'email_payments',
  'checkouts',
  'checkout_payments',
  'deliveries',
  'wallets',
  'wallet_blocks',
  'webhook_secrets',
  'account_profiles',
  'payment_links',
] as const

async function everythingOwned({ ctx: { db } }: Dashboard, accountId: string): Promise<string> {
  const dump = await dumpStore(db)
  const keys = await listKeys(db, accountId, 100)
  const named = keys.map(({ id, revokedAt, expiresAt }) => [id, revokedAt, expiresAt])
  // When the next look at a payment is due is changed by whoever looks, in the background.
  return JSON.stringify([WATCHED.map((table) => dump[table]), named]).replaceAll(/\\+"due_at\\+":\d+/g, '')
}

test('the list of ways in names every one there is', async (t) => {
  const { gateway } = await openDashboard(t)
  const declared = gateway.app.doors.routes
    .filter(({ method, path }) => method !== 'HEAD' && /^\/dashboard(?=\/|$)(?!\/sign-)/.test(path))
    .map(({ method, path }) => `${method} ${path.slice('/dashboard'.length) || '/'}`)
  assert.ok(declared.length > 20)
  assert.deepEqual(
    [...new Set(declared)].sort(),
    [...new Set(WAYS.map(({ method, path }) => `${method} ${path}`))].sort(),
  )
})

test('nothing of an account is seen or changed by another account, by nobody, or by a form from elsewhere', async (t) => {
  const dashboard = await openDashboard(t)
  const { get, post, enter, join } = dashboard
  const owner = await join('owner@example.com')
  const other = await join('other@example.com')
  const receiver = await openReceiver(t)
  const stocked = await stock(dashboard, owner, receiver)
  const [mine, theirs] = [await enter(owner.key), await enter(other.key)]
  const before = await everythingOwned(dashboard, owner.accountId)
  const traces = [...Object.values(stocked), 'Blue mug', 'Tea for two', 'owner@example.com', owner.keyId]
  const tokens = tokensOf((await get('/dashboard/keys', theirs)).text)
  assert.match(tokens.csrf, /^[\w-]{43}$/)

  const seen: string[] = []
  for (const way of WAYS) {
    const address = addressOf(way, owner.keyId, stocked)
    const name = `${way.method} ${way.path}`
    const isGet = way.method === 'GET'
    const nobody = isGet ? await get(address) : await post(address, tokens)
    assert.equal(nobody.status, 303, name)
    assert.match(nobody.headers.location!, /^\/dashboard\/sign-in(\?next=[\w%-]+)?$/, name)

    const stranger = isGet ? await get(address, theirs) : undefined
    if (stranger) {
      assert.equal(stranger.status, way.own === true || way.admin === true ? 404 : 200, name)
      // What was asked for may be repeated in no way, and what is listed is the stranger's own.
      for (const trace of way.ledger ? [] : traces) assert.ok(!stranger.text.includes(trace), `${name} shows ${trace}`)
      assert.equal(stranger.headers['access-control-allow-origin'], undefined, name)
      assert.equal(stranger.headers['cache-control'], 'no-store', name)
    }
    if (!isGet && (way.own === true || way.admin === true)) {
      const refused = await post(address, { ...tokens, checkout: stocked.open }, { cookie: theirs })
      assert.equal(refused.status, 404, name)
      for (const trace of traces) assert.ok(!refused.text.includes(trace), `${name} shows ${trace}`)
    }
    if (!isGet) {
      // The owner's own cookie: without the token, with a stranger's, and from another site's page.
      const forged = [
        await post(address, {}, { cookie: mine }),
        await post(address, tokens, { cookie: mine }),
        await post(address, tokens, { cookie: theirs, origin: 'https://evil.example' }),
        await post(address, tokens, { cookie: theirs, 'sec-fetch-site': 'cross-site' }),
      ]
      for (const { status } of forged) assert.equal(status, way.admin === true && status === 404 ? 404 : 403, name)
    }
    seen.push(name)
  }
  assert.equal(await everythingOwned(dashboard, owner.accountId), before)
  t.diagnostic(`${seen.length} ways in, each tried as nobody, as another account and with a forged form`)

  for (const way of WAYS.filter(({ method, admin }) => method === 'GET' && admin !== true)) {
    const own = await get(addressOf(way, owner.keyId, stocked), mine)
    assert.equal(own.status, 200, way.path)
  }
})

test('the menu has what somebody may open, always in the same order, and lights what is open', async (t) => {
  const { get, enter, join, adminKey } = await openDashboard(t)
  const everybody =
    `Overview, Checkouts, Payment links, Wallets, E-mail payments, Usernames, Webhooks, Profile, API keys, Credits and usage,
    Activity, Developer, Ledger`.split(/,\s+/)
  const visitors: [string, string[]][] = [
    [(await join('owner@example.com')).key, everybody],
    [adminKey, [...everybody, 'All accounts', 'Health', 'Jobs', 'Mail']],
  ]
  for (const [key, titles] of visitors) {
    const cookie = await enter(key)
    const links = linksOf((await get('/dashboard', cookie)).text)
    assert.deepEqual(
      links.map(({ title }) => title),
      titles,
    )
    for (const { href, title } of links) {
      const { status, text } = await get(href, cookie)
      assert.equal(status, 200, href)
      const lit = linksOf(text).filter(({ isOpen }) => isOpen)
      assert.deepEqual(
        lit.map((link) => link.title),
        [title],
      )
    }
  }
})

/** The menu as wide screens show it. */
function linksOf(page: string): { href: string; title: string; isOpen: boolean }[] {
  const menu = /<div class="wide">(.*?)<\/div>/s.exec(page)![1]!
  return [...menu.matchAll(/<a href="([^"]+)"( aria-current="page")?>([^<]+)<\/a>/g)].map(
    ([, href, current, title]) => ({ href: href!, title: title!, isOpen: current !== undefined }),
  )
}

test('administrators see what others own, and change nothing of it', async (t) => {
  const dashboard = await openDashboard(t)
  const { get, send, enter, join, adminKey } = dashboard
  const owner = await join('owner@example.com')
  const stocked = await stock(dashboard, owner, await openReceiver(t))
  const admin = await enter(adminKey)
  for (const path of ['/admin', '/admin/health', '/admin/mail', '/admin/jobs', '/admin/jobs?status=done']) {
    assert.equal((await get(`/dashboard${path}`, admin)).status, 200, path)
  }
  assert.match((await get('/dashboard/admin', admin)).text, /owner@example\.com/)
  assert.match((await get(`/dashboard/checkouts?account=${owner.accountId}`, admin)).text, /Blue mug/)
  const detail = await get(`/dashboard/checkouts/${stocked.open}`, admin)
  assert.equal(detail.status, 200)
  assert.doesNotMatch(detail.text, /Cancel checkout|Redeliver/)
  const cancelled = await send('/dashboard/keys', `/dashboard/checkouts/${stocked.open}/cancel`, {}, admin)
  assert.equal(cancelled.status, 404)
  // What only an administrator may ask for is nobody else's filter.
  const own = await get(`/dashboard/checkouts?account=${owner.accountId}`, await enter((await join(null)).key))
  assert.doesNotMatch(own.text, /Blue mug/)
})

test('an operator suspends an account, gives it credits and limits, and lets it go on, from its page alone', async (t) => {
  const { get, send, enter, join, adminKey, rest } = await openDashboard(t)
  const owner = await join('owner@example.com')
  const admin = await enter(adminKey)
  const list = await get('/dashboard/admin?search=owner%40', admin)
  const page = /href="(\/dashboard\/admin\/accounts\/\w+)"/.exec(list.text)?.[1] ?? assert.fail(list.text)
  const act = (what: string, fields: Record<string, string>) => send(page, `${page}/${what}`, fields, admin)
  const wrong = await act('credits', { amount: 'many', credit_reason: 'An outage.' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /An outage\./, 'nothing typed is lost')
  assert.equal((await act('credits', { amount: '500', credit_reason: 'An outage.' })).status, 303)
  assert.equal((await act('standing', { per_minute: '50', concurrency: '', wallet_sends: 'off' })).status, 303)
  assert.equal((await act('suspend', { reason: 'The invoice of May is open.' })).status, 303)
  const shown = (await get(page, admin)).text
  for (const part of ['suspended', '500 left', 'value="50"', 'The invoice of May is open.']) {
    assert.ok(shown.includes(part), part)
  }
  await assert.rejects(rest('GET', '/api/account', owner.key), /403/)
  assert.equal((await act('resume', { reason: 'Paid.' })).status, 303)
  await rest('GET', '/api/account', owner.key)
})

test('a form that is sent twice, even at once, makes one thing; a changed one makes another', async (t) => {
  const dashboard = await openDashboard(t)
  const { get, post, enter, join, ctx } = dashboard
  const owner = await join('owner@example.com')
  const cookie = await enter(owner.key)
  const tokens = tokensOf((await get('/dashboard/checkouts/new', cookie)).text)
  const fields = {
    ...tokens,
    title: 'Once',
    amount: '1',
    address: shopAddress,
    currency: 'NANO',
    mode: 'unique_amount',
  }
  const make = (changed: object = {}) => post('/dashboard/checkouts', { ...fields, ...changed }, { cookie })
  const replies = await Promise.all([make(), make(), make()])
  const places = new Set(replies.map(({ status, headers }) => `${status} ${headers.location}`))
  assert.equal(places.size, 1)
  assert.match([...places][0]!, /^303 \/dashboard\/checkouts\/[0-9a-f]{16}\?done=made$/)
  assert.equal((await make({ title: 'Twice' })).status, 303)
  const rows = await ctx.db.selectFrom('checkouts').select('title').orderBy('title').execute()
  assert.deepEqual(rows, [{ title: 'Once' }, { title: 'Twice' }])

  const keyForm = { ...tokensOf((await get('/dashboard/keys', cookie)).text), name: 'Till', kind: 'secret' }
  const shown = [await post('/dashboard/keys', keyForm, { cookie }), await post('/dashboard/keys', keyForm, { cookie })]
  const texts = shown.map(({ text }) => /rpc_sk_\w{38}/.exec(text)?.[0])
  assert.ok(texts[0] !== undefined && texts[0] === texts[1], 'a reloaded page shows the same key')
  assert.equal((await listKeys(ctx.db, owner.accountId, 10)).length, 2)
  assert.doesNotMatch((await get('/dashboard/keys', cookie)).text, /rpc_sk_\w{20}/)
})

test('what is wrong with a form stands beside its field, with what was typed', async (t) => {
  const dashboard = await openDashboard(t)
  const { send, enter, join } = dashboard
  const owner = await join('owner@example.com')
  const cookie = await enter(owner.key)
  const evil = '"><script>alert(1)</script>'
  const wrong: [string, string, Record<string, string>, string][] = [
    ['/checkouts/new', '/checkouts', { title: evil, amount: '-1', address: shopAddress }, 'amount'],
    ['/checkouts/new', '/checkouts', { amount: '1', address: 'nano_wrong' }, 'address'],
    ['/checkouts/new', '/checkouts', { amount: '1', address: shopAddress, metadata: '{' }, 'metadata'],
    ['/checkouts/new', '/checkouts', { plans: 'One month', address: shopAddress }, 'plans'],
    ['/checkouts/new', '/checkouts', { plans: 'One month = x', address: shopAddress }, 'plans'],
    [
      '/checkouts/new',
      '/checkouts',
      { amount: '1', address: shopAddress, success_url: 'javascript:alert(1)' },
      'success_url',
    ],
    ['/emails', '/emails', { amount: '1', refund_address: shopAddress, emails: 'a@example.com nobody' }, 'emails'],
    ['/names', '/names', { name: 'not a name' }, 'name'],
    ['/names', '/names', { name: 'admin' }, 'name'],
    ['/keys', '/keys', { name: '', kind: 'secret' }, 'name'],
    ['/keys', '/keys', { name: evil, kind: 'public', origins: 'shop' }, 'origins'],
    ['/wallets', '/wallets', { refund_address: 'nano_wrong', lifetime: '30' }, 'refund_address'],
    ['/webhooks', '/webhooks/ping', { url: 'ftp://shop.example/' }, 'url'],
    ['/developer', '/developer/pay', { id: 'f'.repeat(16), way: 'exactly' }, 'id'],
    ['/developer', '/developer/fund', { address: shopAddress, amount: '0' }, 'amount'],
  ]
  for (const [from, path, fields, field] of wrong) {
    const reply = await send(`/dashboard${from}`, `/dashboard${path}`, fields, cookie)
    const name = `${path} ${JSON.stringify(fields)}`
    assert.ok(reply.status >= 400 && reply.status < 500, `${name}: ${reply.status}`)
    assert.match(reply.text, new RegExp(`id="${field}-error"`), name)
    assert.match(reply.text, new RegExp(`id="f-${field}"[^>]*aria-invalid="true"`), name)
    assert.ok(!reply.text.includes('<script>alert'), name)
  }
})

test('credits and a username are bought on the payment page, for the account that asked', async (t) => {
  const dashboard = await openDashboard(t)
  const { get, send, enter, join, ctx } = dashboard
  const owner = await join('owner@example.com')
  const cookie = await enter(owner.key)
  const bought = [
    await send('/dashboard/credits', '/dashboard/credits/buy', {}, cookie),
    await send('/dashboard/names', '/dashboard/names', { name: 'TeaShop' }, cookie),
  ]
  for (const { status, headers } of bought) {
    assert.equal(status, 303)
    assert.match(headers.location!, /^\/pay\/[0-9a-f]{16}$/)
    assert.equal((await get(headers.location!)).status, 200)
  }
  const orders = await ctx.db
    .selectFrom('service_orders')
    .select(['kind', 'account_id', 'subject'])
    .orderBy('kind')
    .execute()
  assert.deepEqual(orders, [
    { kind: 'credits', account_id: owner.accountId, subject: owner.accountId },
    { kind: 'name', account_id: owner.accountId, subject: 'teashop' },
  ])
})

test('a payment that has paid a checkout without a key says so before it is assigned to another', async (t) => {
  const { get, enter, join, rest, gateway } = await openDashboard(t)
  const owner = await join('owner@example.com')
  await rest('POST', '/api/checkouts', owner.key, { address: shopAddress, amount: '3' })
  const made = (await gateway.call('checkout', { address: shopAddress, amount: '2' })).json()
  await pay(gateway, shopAddress, made.amount_raw!)
  const cookie = await enter(owner.key)
  const page = async () => (await get('/dashboard/checkouts/unmatched', cookie)).text
  await until(async () => (await page()).includes('made without a key'))
  assert.ok((await page()).includes(`href="/pay/${made.id}"`))
})
