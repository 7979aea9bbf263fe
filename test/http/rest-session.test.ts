import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ask, openRoutes } from '../support/mounted-routes.ts'

/* Sessions in the REST API: how long they last, and which pages may use their cookie. */

const MINUTE = 60_000
const OWN = { origin: 'http://gateway.test' }

interface ErrorBody {
  error: string
  message: string
  code: string
}

test('the cookie is for https alone where the gateway is reached by https', async (t) => {
  const world = await openRoutes(t, { baseUrl: 'https://gateway.test' })
  const { cookie } = await world.signIn('a@example.com')
  assert.match(cookie, /^__Host-nano-gateway=/)
  const headers = { cookie, origin: 'https://gateway.test' }
  assert.equal((await world.ask('GET', '/api/account', { headers })).statusCode, 200)
  const out = await world.ask('POST', '/api/sign-out', { headers })
  assert.equal(out.headers['set-cookie'], '__Host-nano-gateway=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure')
  // A copy of the cookie stops working too.
  assert.equal((await world.ask('GET', '/api/account', { headers })).statusCode, 401)
})

test('401 a session that has ended, by its cookie and by its token', async (t) => {
  const world = await openRoutes(t)
  const { token, cookie } = await world.signIn('a@example.com')
  const refuse = async (headers: Record<string, string>) => {
    const reply = await world.ask('GET', '/api/account', { headers })
    const { error, message, code } = reply.json<ErrorBody>()
    assert.equal(error, message)
    return `${reply.statusCode} ${code}: ${error}`
  }
  assert.match(await refuse({ cookie: 'nano-gateway=a.b.c' }), /^401 invalid_key: The session has ended/)
  world.clock.advance(60 * MINUTE)
  assert.match(await refuse({ cookie }), /^401 invalid_key: The session has ended/)
  assert.equal(await refuse({ authorization: `Bearer ${token}` }), '401 invalid_key: Invalid API Key.')
})

// A page of another site can make a browser send the cookie; the request must be refused.
test('403 a change with the cookie from any page but our own', async (t) => {
  const world = await openRoutes(t)
  const { cookie, token } = await world.signIn('a@example.com')
  const body = { name: 'x' }
  const make = async (headers: Record<string, string>, how: Ask = { body }) =>
    (await world.ask('POST', '/api/keys', { ...how, headers })).statusCode
  const elsewhere: Record<string, string>[] = [
    {},
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://gateway.test.evil.example' },
    { origin: 'http://gateway.test:81' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', ...OWN },
  ]
  for (const headers of elsewhere) assert.equal(await make({ cookie, ...headers }), 403, JSON.stringify(headers))
  for (const headers of elsewhere) {
    const out = await world.ask('POST', '/api/sign-out', { headers: { cookie, ...headers } })
    assert.deepEqual([out.statusCode, out.headers['set-cookie']], [403, undefined])
  }
  assert.equal(await make({ cookie, ...OWN }), 201)
  assert.equal(await make({ cookie, 'sec-fetch-site': 'same-origin' }), 201)
  assert.equal(await make({ cookie: `other=1; ${cookie}; more=2`, ...OWN }), 201)
  assert.equal(await make({ cookie, origin: 'http://localhost:8080', host: 'localhost:8080' }), 201)
  // A browser never sends this header unasked.
  assert.equal(await make({ authorization: `Bearer ${token}`, origin: 'https://other.example' }), 201)
  const { keys } = (await world.ask('GET', '/api/keys', { headers: { cookie } })).json<{ keys: unknown[] }>()
  assert.equal(keys.length, 5)
})

test('403 signing in from a page of another site, which would choose the account', async (t) => {
  const world = await openRoutes(t)
  await world.ask('POST', '/api/sign-in/request', { body: { email: 'evil@example.com' } })
  const token = await world.mailedToken('evil@example.com')
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }] as const) {
    const reply = await world.ask('POST', '/api/sign-in', { headers: { ...headers }, body: { token } })
    assert.deepEqual([reply.statusCode, reply.headers['set-cookie']], [403, undefined])
  }
  assert.equal((await world.ask('POST', '/api/sign-in', { headers: OWN, body: { token } })).statusCode, 200)
})
