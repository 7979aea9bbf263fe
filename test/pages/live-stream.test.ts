import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { type TestContext, test } from 'node:test'
import type { Role } from '../../src/kernel/rights.ts'
import { suspendAccount } from '../../src/modules/accounts/index.ts'
import { updateRole } from '../../src/modules/accounts/people/members-store.ts'
import { openWorld } from '../support/checkout-steps.ts'
import { TestClock } from '../support/clock.ts'
import { ask } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { openPeople, shopAddress } from './dashboard-steps.ts'

/* The stream that notifies open dashboard pages of changes: who gets which, and until when. */

interface Heard {
  status: number
  headers: Record<string, unknown>
  text: string
  ended: boolean
}

function follow(t: TestContext, url: string, cookie: string, since = ''): Heard {
  const heard: Heard = { status: 0, headers: {}, text: '', ended: false }
  const headers = { cookie, accept: 'text/event-stream', 'sec-fetch-site': 'same-origin' }
  const request = httpRequest(`${url}/dashboard/live?since=${since}`, { agent: false, headers }, (response) => {
    Object.assign(heard, { status: response.statusCode, headers: response.headers })
    response.setEncoding('utf8').on('data', (chunk: string) => (heard.text += chunk))
    response.on('close', () => (heard.ended = true))
  })
  request.on('error', () => (heard.ended = true)).end()
  t.after(() => request.destroy())
  return heard
}

const toldOf = ({ text }: Heard) => [...text.matchAll(/data: (.*)/g)].map(([, about]) => about!)

async function open(t: TestContext) {
  const clock = new TestClock()
  const people = await openPeople(t, { clock })
  const { dashboard, key } = people
  const enter = async (role: Role) => {
    const { id, token } = await people.bring(role)
    return { id, token, stream: follow(t, dashboard.url, `nano-gateway=${token}`, String(clock.now())) }
  }
  const sell = () =>
    dashboard.rest<{ id: string }>('POST', '/api/checkouts', key, { address: shopAddress, amount: '1' })
  return { ...people, clock, enter, sell }
}

test('the stream only says that something visible has changed: to no other role or account, and without details', async (t) => {
  const { dashboard, enter, sell, key, accountId } = await open(t)
  const { ctx, url } = dashboard
  const [manager, cashier] = [await enter('manager'), await enter('cashier')]
  const stranger = await dashboard.enter((await dashboard.join('other@example.com')).key)
  const other = follow(t, url, stranger, String(ctx.clock.now()))
  await until(() => [manager.stream, cashier.stream, other].every(({ status }) => status === 200))
  assert.equal(manager.stream.headers['access-control-allow-origin'], undefined)
  const { id } = await sell()
  await until(() => toldOf(manager.stream).length === 1)
  assert.deepEqual(toldOf(manager.stream), ['checkout reports'])
  const till = { address: shopAddress, title: 'Counter', items: [], tips: [] }
  const pos = await dashboard.rest<{ id: string; link: string }>('POST', '/api/pos', key, till)
  const headers = { 'pos-token': pos.link.split('#')[1]!, 'content-type': 'application/json' }
  const sale = { key: 'a'.repeat(22), amount: '1', total: '1' }
  const sold = await ask(`${url}/pos/${pos.id}/sales`, { headers, body: JSON.stringify(sale) })
  assert.equal(sold.status, 201, sold.text)
  await until(() => toldOf(cashier.stream).length === 1 && toldOf(manager.stream).length === 2)
  assert.deepEqual(toldOf(cashier.stream), ['pos'])
  // A new role applies from the very next change.
  await updateRole(ctx.db, { accountId, id: manager.id }, 'cashier')
  const before = toldOf(manager.stream).length
  await dashboard.rest('DELETE', `/api/checkouts/${id}`, key)
  const witness = await enter('owner')
  await sell()
  await until(() => toldOf(witness.stream).length > 0)
  assert.deepEqual(toldOf(manager.stream).slice(before), [])
  assert.deepEqual(toldOf(other), [])
  assert.doesNotMatch(manager.stream.text + cashier.stream.text + witness.stream.text, new RegExp(id))
})

test('a stream ends with the session, with the account’s suspension and with the gateway; a page that was read long ago is notified that all may be new', async (t) => {
  const { dashboard, clock, enter, sessions, accountId, sell } = await open(t)
  const { ctx, url } = dashboard
  const [leaves, stays] = [await enter('manager'), await enter('reader')]
  await until(() => [leaves, stays].every(({ stream }) => stream.status === 200))
  await sessions.end(leaves.token)
  await sell()
  await until(() => leaves.stream.ended)
  assert.deepEqual(toldOf(leaves.stream), [])
  await until(() => toldOf(stays.stream).length > 0)
  const [justRead, readBefore] = [String(clock.now() + 1), String(clock.now() - 60_000)].map((since) =>
    follow(t, url, `nano-gateway=${stays.token}`, since),
  ) as [Heard, Heard]
  await until(() => toldOf(readBefore).length > 0)
  assert.match(toldOf(readBefore)[0]!, /\bcheckout\b.*\bwebhooks\b/)
  assert.doesNotMatch(toldOf(readBefore)[0]!, /\bpeople\b|\brefunds\b/, 'also of everything, only what a reader sees')
  await suspendAccount(ctx, { accountId, actor: OPERATOR, reason: 'test' })
  clock.advance(15_000)
  await until(() => [stays.stream, readBefore, justRead].every(({ ended }) => ended))
})

test('the stream is for our own pages with the cookie, and for so many of an account at once', async (t) => {
  const { dashboard, key } = await open(t)
  const { url } = dashboard
  const cookie = await dashboard.enter(key)
  const tried = async (headers: Record<string, string>) =>
    (await ask(`${url}/dashboard/live`, { method: 'GET', headers })).status
  const accept = 'text/event-stream'
  assert.equal(await tried({ accept }), 401)
  assert.equal(await tried({ accept, authorization: `Bearer ${key}` }), 401)
  assert.equal(await tried({ accept, cookie, 'sec-fetch-site': 'cross-site' }), 403)
  assert.equal(await tried({ cookie }), 400)
  const streams = Array.from({ length: 20 }, () => follow(t, url, cookie))
  await until(() => streams.every(({ status }) => status === 200))
  assert.equal(await tried({ accept, cookie }), 429)
})

test('changes on one instance reach a page served by another', async (t) => {
  const world = await openWorld(t, 'postgres')
  const [first, second] = [await world.start(), await world.start()]
  const signedIn = await ask(`${second.url}/dashboard/sign-in/key`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: second.url },
    body: new URLSearchParams({ key: world.key() }).toString(),
  })
  const stream = follow(t, second.url, signedIn.headers['set-cookie']![0]!.split(';')[0]!, String(world.clock.now()))
  await until(() => stream.status === 200)
  await first.rest('POST', '/api/checkouts', world.key(), { address: shopAddress, amount: '1' })
  await until(() => toldOf(stream).some((about) => about.includes('checkout')))
})
