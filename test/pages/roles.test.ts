import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ROLES, type Role } from '../../src/kernel/rights.ts'
import { OFFERED } from '../../src/offered.ts'
import { ask } from '../support/gateway.ts'
import { groupsOf, openPeople, tabsOf, tokensOf } from './dashboard-steps.ts'

/* Every role with every page of the dashboard and every route that a session may use. The expectations are repeated here on purpose. */

/** Roles by their first letter. */
const EVERYBODY = [...ROLES, 'guest'] as const

const WAYS: readonly [RegExp, string][] = [
  [/^GET \/(statement|search)?$/, 'omdr'],
  [/^(GET|POST) \/checkouts\/:id\/edit$/, 'om'],
  [/^GET \/checkouts(\/:id|\/unmatched|\/refunds|\/invoices)?$/, 'omdr'],
  [/^POST \/checkouts\/:id\/events\/:event\/redeliver$/, 'omd'],
  [/^(GET|POST) \/checkouts/, 'om'],
  [/^GET \/(links(\/:id(\/subscriptions)?)?|subscriptions)$/, 'omdr'],
  [/^(GET|POST) \/links/, 'om'],
  [/^GET \/pos(\/:id)?$/, 'omc'],
  [/^(GET|POST) \/pos/, 'om'],
  [/^GET \/webhooks\/endpoints\/new$/, 'omd'],
  [/^GET \/wallets\/:address\/send$/, 'om'],
  [/^GET \/(payout|wallets|webhooks|credits|names|emails|profile|activity)(\/|$)/, 'omdr'],
  [/^POST \/(payout|wallets|credits|names|emails|profile)(\/|$)/, 'om'],
  [/^POST \/webhooks(\/|$)/, 'omd'],
  [/^(GET|POST) \/(keys|developer|requests)(\/|$)/, 'omd'],
  [/^(GET|POST) \/people(\/|$)/, 'om'],
  [/^POST \/security\/mail$/, 'o'],
  [/^(GET|POST) \/(accounts|prove|security)(\/|$)/, 'omdcrg'],
  [/^(GET|POST) \/admin(\/|$)/, ''],
]

const ROUTES: readonly [RegExp, string][] = [
  [/^get \/api\/(admin\/)?checkouts\/(.*\/)?refunds$/, 'om'],
  [/^get \/api\/(admin\/)?checkouts(\/|$)/, 'omdr'],
  [/^\w+ \/api\/(admin\/)?checkouts(\/|$)/, 'om'],
  [
    /^get \/api\/(links|subscriptions|names|pos|emails|credits|account|events|webhooks|webhook-endpoints|watches)(\/|$)/,
    'omdr',
  ],
  [/^\w+ \/api\/(events|webhooks|webhook-endpoints|watches)(\/|$)/, 'omd'],
  [/^\w+ \/api\/(keys|requests)(\/|$)/, 'omd'],
  [/^\w+ \/api\/members(\/|$)/, 'om'],
  [/^\w+ \/api\/(links|subscriptions|names|pos|emails|account)(\/|$)/, 'om'],
  [/^\w+ \/api\/(passkeys|recovery-codes|prove)(\/|$)/, 'omdcrg'],
  [/^get \/api\/activity\.csv$/, 'omdr'],
]

const wayOf = (table: readonly [RegExp, string][], name: string) =>
  (table.find(([pattern]) => pattern.test(name)) ?? assert.fail(`${name} is in no row`))[1]
    .split('')
    .map((letter) => EVERYBODY.find((one) => one.startsWith(letter))!)

async function openRoles(t: TestContext, role: 'user' | 'admin' = 'user') {
  const { dashboard, bring } = await openPeople(t, { role })
  const people = new Map<Role | 'guest', string>()
  for (const one of EVERYBODY) people.set(one, (await bring(one)).token)
  return { ...dashboard, people }
}

// A cashier must not get an export by its URL, and a reader must change nothing.
test('every role gets in where its row of the table says, by every page, form and route, and nowhere else (contract 5, rule 27)', async (t) => {
  const { gateway, people, get, post, url } = await openRoles(t)
  const ways = gateway.app.endpoints.routes
    .filter(({ method, path }) => method !== 'HEAD' && /^\/dashboard(?=\/|$)(?!\/sign-|\/live$)/.test(path))
    .map(({ method, path }) => ({ method, path: path.slice('/dashboard'.length) || '/' }))
  assert.ok(ways.length > 50)
  const routes = OFFERED.flatMap(({ described = [] }) => described).filter(({ who }) => who === 'account')
  for (const [role, token] of people) {
    const cookie = `nano-gateway=${token}`
    const { csrf } = tokensOf((await get('/dashboard/accounts', cookie)).text)
    for (const { method, path } of ways) {
      const name = `${method} ${path}`
      const at = `/dashboard${path === '/' ? '' : path.replaceAll(/:\w+/g, 'x1')}`
      // A form without its own token must do nothing, whatever the role.
      const reply = method === 'GET' ? await get(at, cookie) : await post(at, { csrf }, { cookie })
      const isIn = wayOf(WAYS, name).includes(role)
      if (path.startsWith('/admin')) assert.equal(reply.status, 404, `${name} as ${role}`)
      else if (path === '/' && !isIn) assert.equal(reply.status, 303, `${name} as ${role}`)
      else {
        const isRefused = reply.status === 403 && /you cannot do this here|Accept the invitation/.test(reply.text)
        assert.equal(isRefused, !isIn, `${name} as ${role}: ${reply.status}`)
      }
    }
    for (const { method, path } of routes) {
      const name = `${method} ${path}`
      const at = `${url}${path.replaceAll(/\{\w+\}/g, 'x1')}`
      const headers = { authorization: `Bearer ${token}` }
      const reply = await ask(at, { method: method.toUpperCase(), headers, ...(method !== 'get' && { body: '{}' }) })
      const isRefused = reply.status === 403 && reply.json().code === 'missing_scope'
      const told = `${name} as ${role}: ${reply.status} ${reply.text.slice(0, 80)}`
      assert.equal(isRefused, !wayOf(ROUTES, name).includes(role), told)
      if (isRefused) assert.equal(reply.json().role, role)
    }
  }
})

// Whoever can read everybody's mail can sign in as anybody, even the owner.
test('in an administrator’s account its owners alone administer the service (contract 5, rule 27)', async (t) => {
  const { people, get, url } = await openRoles(t, 'admin')
  for (const [role, token] of people) {
    const isOwner = role === 'owner'
    assert.equal((await get('/dashboard/admin/mail', `nano-gateway=${token}`)).status, isOwner ? 200 : 404, role)
    const headers = { authorization: `Bearer ${token}` }
    for (const path of ['/api/mails', '/api/accounts', '/api/jobs']) {
      const { status } = await ask(`${url}${path}`, { method: 'GET', headers })
      assert.equal(status, isOwner ? 200 : 403, `${path} ${role}`)
    }
    const made = await ask(`${url}/api/keys`, { headers, body: JSON.stringify({ name: 'Mine' }) })
    if (made.status !== 201) continue
    const { key, scopes } = made.json<{ key: string; scopes: string[] }>()
    assert.equal(scopes.includes('keys'), isOwner, role)
    const mails = await ask(`${url}/api/mails`, { method: 'GET', headers: { key } })
    assert.equal(mails.status, isOwner ? 200 : 403, `mails with the key of a ${role}`)
  }
})

test('pages show only permitted actions: no form of another role, no entry of the menu', async (t) => {
  const { people, get } = await openRoles(t)
  const seen = async (role: Role | 'guest', path: string) => (await get(path, `nano-gateway=${people.get(role)!}`)).text
  const pages = async (role: Role | 'guest', path: string) => {
    const text = await seen(role, path)
    return [groupsOf(text), tabsOf(text)].map((links) => links.map(({ title }) => title))
  }
  const own = ['Your accounts', 'Security']
  assert.deepEqual(await pages('cashier', '/dashboard/accounts'), [['Sell', 'Settings'], own])
  assert.deepEqual(await pages('cashier', '/dashboard/pos'), [['Sell', 'Settings'], []])
  const till = await seen('cashier', '/dashboard/pos')
  assert.doesNotMatch(till, /New point of sale|Create the first one|class="search"|class="new"/)
  assert.deepEqual(await pages('guest', '/dashboard/accounts'), [['Settings'], own])
  assert.ok(!(await pages('reader', '/dashboard/webhooks'))[1]!.includes('Keys'))
  assert.match(await seen('manager', '/dashboard/wallets'), /action="\/dashboard\/wallets"/)
  assert.doesNotMatch(await seen('reader', '/dashboard/wallets'), /<form method="post" action="\/dashboard\/wallets"/)
  assert.doesNotMatch(await seen('reader', '/dashboard/checkouts'), /checkouts\/new|class="new"/)
  assert.doesNotMatch(await seen('manager', '/dashboard/people'), /value="owner"|Hand over/)
  assert.match(await seen('owner', '/dashboard/people'), /has no mail server[^]*value="owner"/)
})
