import { OPERATOR, actorOf } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import { ROLES, SCOPES, type Scope } from '../../src/kernel/rights.ts'
import type { Access as RouteAccess } from '../../src/kernel/route.ts'
import { Sessions, issueKey, suspendAccount } from '../../src/modules/accounts/index.ts'
import { insertMember, updateRole } from '../../src/modules/accounts/people/members-store.ts'
import { insertLease } from '../../src/modules/names/index.ts'
import { OFFERED } from '../../src/offered.ts'
import { Signer } from '../support/blocks.ts'
import { type Gateway, type Reply, ask, openGateway } from '../support/gateway.ts'
import { testRandom } from '../support/random.ts'
import { subscribe } from '../support/subscribe.ts'
import {
  ACTIONS,
  type Access,
  IS_PERSONAL,
  NEEDS_ALL,
  ROUTES,
  type RouteExpectation,
  SCOPES_OF,
  scopeOf,
} from './expectations.ts'

/* Calls every route and every action as every kind of caller. The lists are the server's own. */

const ORIGIN = 'https://shop.example'
/** Text inside every object of the victim that must stay private. */
const PRIVATE = 'victims-own-business'
type Headers = Record<string, string>

interface Person {
  accountId: string
  key: Headers
  session: Headers
}

interface World {
  gateway: Gateway
  victim: Person & { publicKey: Headers; keyId: string }
  other: Person
  admin: Person
  /** Makes a new object of the victim and returns its id. */
  make(what: NonNullable<RouteExpectation['of']>): Promise<string>
  rest(route: string, path: string, headers: Headers, body?: object): Promise<Reply>
}

const bearer = (text: string) => ({ authorization: `Bearer ${text}` })

async function openMatrix(t: TestContext): Promise<World> {
  const secretKey = testRandom.bytes(32)
  const gateway = await openGateway(t, {
    SECRET_KEY: Buffer.from(secretKey).toString('base64'),
    LIMIT_FREE_PER_MINUTE: '0',
    LIMIT_FREE_CONCURRENCY: '0',
    FREE_WORK_ANONYMOUS_PER_HOUR: '1',
  })
  const { ctx } = gateway
  const sessions = new Sessions({ ...ctx, secrets: openSecretBox(secretKey, testRandom) })
  const join = async (role: 'user' | 'admin', name = 'First') => {
    const { accountId, keyId, headers: key } = await gateway.join({ role, name })
    return { accountId, keyId, key, session: bearer(await sessions.create(accountId, { keyId })) }
  }
  const victim = await join('user', PRIVATE)
  const { accountId } = victim
  const publicKey = { accountId, kind: 'public' as const, name: 'p', origins: [ORIGIN], actor: OPERATOR }
  const rest: World['rest'] = (route, path, headers, body) => {
    const method = route.split(' ')[0]!
    const hasBody = method !== 'GET' && method !== 'HEAD'
    const accept = { accept: 'application/json' }
    return ask(`${gateway.url}${path}`, {
      method,
      headers: { ...accept, ...headers },
      ...(hasBody && { body: JSON.stringify(body ?? {}) }),
    })
  }
  const { address } = new Signer(31)
  let others = 0
  const make: World['make'] = async (what) => {
    if (what === 'key') {
      const second = { accountId, kind: 'secret' as const, name: PRIVATE, actor: OPERATOR }
      return (await issueKey(ctx, second)).key.id
    }
    if (what === 'account' || what === 'suspended account') {
      const { accountId } = await gateway.join({ email: `${PRIVATE}${++others}@example.org` })
      if (what === 'suspended account') await suspendAccount(ctx, { accountId, actor: OPERATOR, reason: PRIVATE })
      return accountId
    }
    if (what === 'member') {
      const id = ctx.ids.next('mem')
      const person = { id, accountId, email: `${PRIVATE}${++others}@example.org`, role: 'reader' as const }
      await insertMember(ctx.db, { ...person, invitedBy: null, invitedAt: 1, expiresAt: null, joinedAt: 1 })
      return id
    }
    if (what === 'event') {
      const made = await rest('POST /', '/api/webhooks/ping', victim.key, { url: `http://127.0.0.1:9/${PRIVATE}` })
      return made.json<{ event: { id: string } }>().event.id
    }
    if (what === 'endpoint') {
      const endpoint = { url: `http://127.0.0.1:9/${PRIVATE}`, description: PRIVATE }
      return (await rest('POST /', '/api/webhook-endpoints', victim.key, endpoint)).json().id!
    }
    if (what === 'link') {
      const link = { address, amount: '1', title: PRIVATE }
      return (await rest('POST /', '/api/links', victim.key, link)).json().id!
    }
    if (what === 'subscription') return subscribe(ctx, accountId, { email: `${PRIVATE}@example.org` })
    if (what === 'name') {
      const key = `name${++others}`
      const times = { createdAt: 1, changedAt: 1, expiresAt: 2 ** 42, graceUntil: 2 ** 42 }
      const lease = { key, name: key, owner: address, address, accountId, ...times }
      await insertLease(ctx.db, { ...lease, profile: { title: PRIVATE }, indexed: false })
      return key
    }
    if (what === 'pos') {
      return (await rest('POST /', '/api/pos', victim.key, { address, title: PRIVATE })).json().id!
    }
    if (what === 'email') {
      const payment = { amount: '1', emails: [`${PRIVATE}@example.org`], refund_address: address }
      return (await gateway.call('nano_email', payment, victim.key)).json().id!
    }
    const told = { webhook_url: `http://127.0.0.1:9/${PRIVATE}`, notify: `${PRIVATE}@example.org` }
    const checkout = { address, amount: '1', metadata: { note: PRIVATE }, ...told }
    return (await rest('POST /', '/api/checkouts', victim.key, checkout)).json().id!
  }
  return {
    gateway,
    victim: { ...victim, publicKey: { ...bearer((await issueKey(ctx, publicKey)).text), origin: ORIGIN } },
    other: await join('user'),
    admin: await join('admin'),
    make,
    rest,
  }
}

const listed = ({ app }: Gateway) => [...new Set(app.endpoints.routes.map(({ method, path }) => `${method} ${path}`))]

/** The access that a module may declare for each expectation. Pages and documents are not declared routes. */
const ACCESS: Record<Access, readonly (RouteAccess | undefined)[]> = {
  public: ['open', 'anyone', undefined],
  embedded: ['developer', undefined],
  own: ['account'],
  object: ['account'],
  'object, administrators read': ['account'],
  administrators: ['administrator'],
  person: ['account'],
  page: [undefined],
}

test('every route, and no other, has a line with its access; that is the access its module declares, also for routes of the server', async (t) => {
  const gateway = await openGateway(t)
  const routes = listed(gateway).filter((route) => !route.startsWith('HEAD '))
  const without = routes.filter((route) => !Object.hasOwn(ROUTES, route))
  assert.deepEqual(without, [], 'add them to test/hostile/expectations.ts')
  const gone = Object.keys(ROUTES).filter((route) => !routes.includes(route))
  assert.deepEqual(gone, [])
  const wrong = gateway.app.endpoints.routes.filter(({ method, path, access }) => {
    const expected = ROUTES[`${method === 'HEAD' ? 'GET' : method} ${path}`]!.access
    return !ACCESS[expected].includes(access)
  })
  assert.deepEqual(wrong, [])
  // A HEAD request for a stream would never end.
  assert.ok(!listed(gateway).includes('HEAD /pay/:id/events'))
})

// Conveniences for a laptop would be a disaster in front of a real network.
test('routes for the development ledger do not exist in front of real nodes', async (t) => {
  const gateway = await openGateway(t, { NODE_URLS: 'http://127.0.0.1:1' })
  const left = listed(gateway).filter((route) => ROUTES[route]?.access === 'embedded')
  assert.deepEqual(left, [])
})

test('every route admits exactly its callers, and reveals nothing to others', async (t) => {
  const world = await openMatrix(t)
  const { victim, other, admin, rest } = world
  for (const route of listed(world.gateway)) {
    const { access, body, of, at: path } = ROUTES[route.replace(/^HEAD /, 'GET ')] ?? { access: 'public' }
    // A stream never ends; it shows the same as the check.
    if (route === 'GET /pay/:id/events') continue
    const id = of === undefined ? '' : await world.make(of)
    const at = (name: string) => path ?? route.split(' ')[1]!.replace(/:(id|name)/, name || 'none')
    const filled = (name: string) =>
      body && (JSON.parse(JSON.stringify(body).replaceAll('":id"', JSON.stringify(name))) as object)
    const call = (headers: Headers, name = id) => rest(route, at(name), headers, filled(name))
    const strangers = { other: other.key, 'session of another': other.session }
    if (access === 'public' || access === 'embedded') {
      for (const [who, headers] of Object.entries({ nobody: {}, ...strangers, victim: victim.key })) {
        const reply = await call(headers)
        assert.ok(access === 'embedded' || reply.status !== 403, `${route} for ${who}: ${reply.status}`)
        assert.ok(!reply.text.includes(PRIVATE), `${route} tells ${who} what is not theirs`)
      }
      continue
    }
    if (access === 'page') {
      const own = { key: victim.key, token: victim.session }
      for (const [who, headers] of Object.entries({ nobody: {}, ...strangers, ...own })) {
        const reply = await call(headers)
        assert.ok(reply.status >= 300 && reply.status < 500, `${route} for ${who}: ${reply.status}`)
        assert.ok(!reply.text.includes(PRIVATE), `${route} tells ${who} what is not theirs`)
      }
      continue
    }
    const without: [string, Headers, number][] = [
      ['nobody', {}, 401],
      ['a wrong key', bearer('rpc_sk_none'), 401],
      ['a wrong session', bearer('a.b.c'), 401],
      ['the public key', victim.publicKey, 403],
    ]
    for (const [who, headers, status] of without) {
      assert.equal((await call(headers)).status, status, `${route} for ${who}`)
    }
    if (access === 'person') {
      for (const headers of Object.values({ ...strangers, victim: victim.session }))
        assert.equal((await call(headers)).status, 409, `${route} for who is no person`)
      continue
    }
    for (const [who, headers] of Object.entries(strangers)) {
      const reply = await call(headers)
      assert.ok(!reply.text.includes(PRIVATE), `${route} tells ${who} what is not theirs`)
      if (access === 'administrators') assert.equal(reply.status, 403, `${route} for ${who}`)
      else if (access === 'own') assert.ok(reply.status < 300, `${route} for ${who}: ${reply.status} ${reply.text}`)
      else {
        const missing = await call(headers, 'f'.repeat(16))
        assert.deepEqual([reply.status, reply.text], [404, missing.text], `${route} for ${who}`)
      }
    }
    const asAdmin = await call(admin.key)
    if (access === 'administrators' || access === 'object, administrators read')
      assert.equal(asAdmin.status, 200, route)
    else if (access === 'object') assert.equal(asAdmin.status, 404, `${route} for an administrator`)
    if (access === 'administrators') assert.equal((await call(victim.key)).status, 403, `${route} for the victim`)
    else {
      const own = await call(victim.key)
      // A conflict with the object's state is reported only to its owner.
      assert.ok(own.status < 300 || own.status === 409, `${route} for its owner: ${own.status} ${own.text}`)
    }
  }
})

test('every action has a line with its access, and keeps to it', async (t) => {
  const { gateway, victim, other } = await openMatrix(t)
  const { actions } = gateway.app.endpoints
  const without = actions.filter(({ name }) => !Object.hasOwn(ACTIONS, name)).map(({ name }) => name)
  assert.deepEqual(without, [], 'add them to test/hostile/expectations.ts')
  for (const { name, auth, example } of actions) {
    const access = ACTIONS[name]
    const nobody = await gateway.call(name, example.request)
    const wrong = await gateway.call(name, example.request, { 'x-api-key': 'rpc_sk_none' })
    const sessionAsKey = await gateway.call(name, example.request, victim.session)
    assert.deepEqual([wrong.status, sessionAsKey.status], [401, 401], `${name} with a wrong key, and with a session`)
    if (access === 'key') {
      assert.equal(auth, 'secret-key', name)
      assert.equal(nobody.status, 401, name)
      assert.ok([401, 403].includes((await gateway.call(name, example.request, victim.publicKey)).status), name)
      assert.notEqual((await gateway.call(name, example.request, other.key)).status, 401, name)
    } else assert.notEqual(nobody.status, 401, name)
  }
})

test('actions on an object work only for its owner', async (t) => {
  const { gateway, victim, other, admin, make } = await openMatrix(t)
  const wallet = (await gateway.call('cloud_wallet', { metadata: { note: PRIVATE } }, victim.key)).json().address!
  const unknown = new Signer(32).address
  const template = await make('checkout')
  const own = { address: new Signer(33).address, amount: '2' }
  const update = { wallet_action: 'update_metadata', metadata: {} }
  const probes: [string, object, object][] = [
    ['cloud_wallet', { balance: true, account: wallet }, { balance: true, account: unknown }],
    ['cloud_wallet', { receive: true, account: wallet }, { receive: true, account: unknown }],
    ['cloud_wallet', { send: unknown, amount: '1', account: wallet }, { send: wallet, amount: '1', account: unknown }],
    ['cloud_wallet', { ...update, account: wallet }, { ...update, account: unknown }],
    ['cloud_wallet', { delete: true, account: wallet }, { delete: true, account: unknown }],
    ['checkout', { ...own, template }, { ...own, template: 'f'.repeat(16) }],
  ]
  for (const [action, theirs, missing] of probes) {
    for (const stranger of [other, admin]) {
      const reply = await gateway.call(action, theirs, stranger.key)
      const expected = await gateway.call(action, missing, stranger.key)
      assert.deepEqual([reply.status, reply.text], [expected.status, expected.text], JSON.stringify(theirs))
      assert.ok(reply.status >= 400, JSON.stringify(theirs))
    }
  }
  for (const [action, request] of [
    ['cloud_wallet', { list: true }],
    ['checkout_report', { query: 'today' }],
    ['rpc_credits', {}],
  ] as const) {
    const reply = await gateway.call(action, request, other.key)
    assert.equal(reply.status, 200, action)
    assert.ok(!reply.text.includes(PRIVATE) && !reply.text.includes(wallet), action)
  }
  assert.ok((await gateway.call('cloud_wallet', { list: true }, victim.key)).text.includes(wallet))
})

// A person must not gain a scope by making a key with it.
test('every action and route, called with a key made by each role, allows exactly what the role may do', async (t) => {
  const { gateway, rest } = await openMatrix(t)
  const { ctx } = gateway
  const { accountId } = await gateway.join({ email: 'owner@example.org' })
  const routes = OFFERED.flatMap(({ described = [] }) => described).filter(
    ({ who, path }) => who === 'account' && !IS_PERSONAL.test(path),
  )
  assert.ok(routes.length > 20)
  for (const role of ROLES) {
    const id = ctx.ids.next('mem')
    const joined = { invitedBy: null, invitedAt: 1, expiresAt: null, joinedAt: 1 }
    // A key's maker may have several roles over time; only the current role counts.
    await insertMember(ctx.db, { id, accountId, email: `${role}-here@example.org`, role: 'owner', ...joined })
    const { text } = await issueKey(ctx, { accountId, kind: 'secret', name: role, actor: actorOf.person(id) })
    await updateRole(ctx.db, { accountId, id }, role)
    const check = (reply: Reply, needed: readonly Scope[], about: string) => {
      const lacks = needed.find((scope) => !SCOPES_OF[role].includes(scope))
      if (lacks === undefined) assert.ok(!reply.text.includes('missing_scope'), `${about} as ${role}: ${reply.text}`)
      else assert.deepEqual([reply.status, reply.json().code], [403, 'missing_scope'], `${about} as ${role}`)
    }
    for (const { name, scope, scopeWhen, example } of gateway.app.endpoints.actions) {
      // A request that the key may not make must not reach the node.
      check(await gateway.call(name, example.request, bearer(text)), [scopeWhen?.(example.request) ?? scope], name)
    }
    for (const { method, path } of routes) {
      const needed = NEEDS_ALL.test(path) ? SCOPES : [scopeOf(path) ?? assert.fail(path)]
      const route = `${method.toUpperCase()} ${path}`
      check(await rest(route, path.replaceAll(/\{\w+\}/g, 'x1'), bearer(text)), needed, route)
    }
  }
})
