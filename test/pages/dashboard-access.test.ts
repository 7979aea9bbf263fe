import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listKeys } from '../../src/modules/accounts/index.ts'
import { ROUTES } from '../hostile/expectations.ts'
import { dumpStore } from '../support/dump-store.ts'
import {
  type Dashboard,
  type Stocked,
  groupsOf,
  openDashboard,
  openReceiver,
  stock,
  tabsOf,
  tokensOf,
} from './dashboard-steps.ts'

/*
 * Who may open what: every path of the dashboard, as its owner, as another account, and without a session. `test/hostile/matrix.test.ts` checks that the
 * list is complete.
 */

interface Way {
  method: 'GET' | 'POST'
  path: string
  /** Only administrators may know that it exists. */
  admin: boolean
  /** Belongs to one account: for others it does not exist. */
  own: boolean
  /** Shows the ledger, which is public. */
  ledger: boolean
  /** Belongs to a person; a session of a key has none. */
  person: boolean
}

const WAYS: Way[] = Object.keys(ROUTES)
  .filter((route) => /^\w+ \/dashboard(?=\/|$)(?!\/sign-|\/live$)/.test(route))
  .map((route) => {
    const [method, address] = route.split(' ') as [Way['method'], string]
    const path = address.slice('/dashboard'.length) || '/'
    const admin = path.startsWith('/admin')
    const ledger = path.startsWith('/developer/ledger')
    // `src/modules/accounts/passkeys/` tests the passkeys of other people.
    const own = path.includes(':') && !admin && !ledger && !path.startsWith('/security/')
    return { method, path, admin, ledger, own, person: path === '/accounts/:id' }
  })

/** The path with ids of the owner's objects. */
function addressOf({ path }: Way, keyId: string, stocked: Stocked): string {
  const { open, event, endpoint, wallet, email, link, pos, member, name } = stocked
  const ids: Record<string, string> = {
    keys: keyId,
    webhooks: path.startsWith('/webhooks/endpoints') ? endpoint : event,
    emails: email,
    links: link,
    pos,
    people: member,
    accounts: member,
  }
  const own = { address: wallet, event, name, id: ids[path.split('/')[1]!] ?? open }
  const parts: Record<string, string> = { ...own, hash: 'F'.repeat(64), subscription: 'sub_none', what: 'exactly' }
  const filled = path.replaceAll(/:(\w+)/g, (whole, part: string) => parts[part] ?? whole)
  return `/dashboard${filled === '/' ? '' : filled}`
}

const WATCHED =
  `email_payments checkouts checkout_payments deliveries wallets wallet_blocks webhook_secrets webhook_endpoints
  webhook_replays address_watches account_profiles payment_links members points_of_sale usernames`.split(/\s+/)

async function everythingOwned({ ctx: { db } }: Dashboard, accountId: string): Promise<string> {
  const dump = await dumpStore(db)
  const keys = await listKeys(db, accountId, 100)
  const named = keys.map(({ id, revokedAt, expiresAt }) => [id, revokedAt, expiresAt])
  // Reading a payment changes in the background when it is checked next.
  return JSON.stringify([WATCHED.map((table) => dump[table]), named]).replaceAll(/\\+"due_at\\+":\d+/g, '')
}

test('nothing of an account can be read or changed by another account, without a session, or by a form of another site', async (t) => {
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
      assert.equal(stranger.status, way.own || way.admin ? 404 : 200, name)
      // The answer must not repeat what was requested, and a list has only the stranger's own objects.
      for (const trace of way.ledger ? [] : traces) assert.ok(!stranger.text.includes(trace), `${name} shows ${trace}`)
      assert.equal(stranger.headers['access-control-allow-origin'], undefined, name)
      assert.equal(stranger.headers['cache-control'], 'no-store', name)
    }
    if (!isGet && (way.own || way.admin)) {
      const fields = { ...tokens, checkout: stocked.open, [`role-${stocked.member}`]: 'reader' }
      const refused = await post(address, fields, { cookie: theirs })
      assert.equal(refused.status, 404, name)
      for (const trace of traces) assert.ok(!refused.text.includes(trace), `${name} shows ${trace}`)
    }
    if (!isGet) {
      // The owner's own cookie: without the form token, with a stranger's token, and from another site's page.
      const forged = [
        await post(address, {}, { cookie: mine }),
        await post(address, tokens, { cookie: mine }),
        await post(address, tokens, { cookie: theirs, origin: 'https://evil.example' }),
        await post(address, tokens, { cookie: theirs, 'sec-fetch-site': 'cross-site' }),
      ]
      for (const { status } of forged) assert.equal(status, way.admin && status === 404 ? 404 : 403, name)
    }
    seen.push(name)
  }
  assert.equal(await everythingOwned(dashboard, owner.accountId), before)
  t.diagnostic(`${seen.length} ways in, each tried as nobody, as another account and with a forged form`)

  for (const way of WAYS.filter(({ method, admin, person }) => method === 'GET' && !admin && !person)) {
    const own = await get(addressOf(way, owner.keyId, stocked), mine)
    assert.equal(own.status, 200, way.path)
  }
})

test('the menu has only permitted pages, in groups and in a fixed order, and marks the open one', async (t) => {
  const { get, enter, join, adminKey } = await openDashboard(t)
  const everybody = {
    Home: [],
    Payments: ['All payments', 'Refunds', 'Unmatched'],
    Sell: ['Links', 'Tills', 'Invoices', 'Subscriptions'],
    Money: ['Where it goes', 'Wallets', 'Statement', 'Email payments'],
    Developers: ['Keys', 'Webhooks', 'Requests', 'Usage', 'Names', 'Try it', 'Ledger'],
    Settings: ['Shop', 'People', 'Activity', 'Your accounts', 'Security'],
  }
  const operator = { Operator: ['All accounts', 'Health', 'Frozen sends', 'Jobs', 'Mail'] }
  const visitors: [string, Record<string, string[]>][] = [
    [(await join('owner@example.com')).key, everybody],
    [adminKey, { ...everybody, ...operator }],
  ]
  for (const [key, wanted] of visitors) {
    const cookie = await enter(key)
    const groups = groupsOf((await get('/dashboard', cookie)).text)
    assert.deepEqual(
      groups.map(({ title }) => title),
      Object.keys(wanted),
    )
    for (const group of groups) {
      const first = (await get(group.href, cookie)).text
      const tabs = tabsOf(first)
      assert.deepEqual(
        tabs.map(({ title }) => title),
        wanted[group.title],
      )
      for (const { href, title } of tabs) {
        const { status, text } = await get(href, cookie)
        assert.equal(status, 200, href)
        const lit = [groupsOf(text), tabsOf(text)].map((links) => links.filter(({ isOpen }) => isOpen))
        assert.deepEqual(
          lit.map((links) => links.map((link) => link.title)),
          [[group.title], [title]],
        )
      }
    }
  }
})

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
  // A filter for administrators must have no effect for others.
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
