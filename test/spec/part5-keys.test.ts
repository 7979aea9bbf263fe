import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { hashApiKey } from '../../src/kernel/api-key.ts'
import { listAudit } from '../support/dump-store.ts'
import { TestClock } from '../support/clock.ts'
import { ask, bearer, openGateway } from '../support/gateway.ts'
import { openMailServer, tokenOf } from '../support/mail-server.ts'
import { until } from '../support/until.ts'
import { listFiles } from '../support/folder.ts'
import { assertRefusal } from './refusal.ts'

/* Contract 5: how keys and sessions are obtained, their form, and how they end. */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const BASE58 = '[1-9A-HJ-NP-Za-km-z]'

/** A gateway with a real mail server and a test clock. */
async function openOffice(t: TestContext) {
  const clock = new TestClock()
  const mails = await openMailServer(t)
  const env = { SMTP_URL: mails.url, MAIL_FROM: 'nano-gateway <noreply@gateway.test>' }
  const gateway = await openGateway(t, env, clock)
  /** The token of the latest link mailed to an address. */
  const mailedToken = async (email: string, count = 1) => {
    await until(() => mails.to(email).length >= count)
    return tokenOf(mails.to(email).at(-1)!.text)
  }
  const signIn = (token: string) => gateway.rest('POST', '/api/sign-in', undefined, { token })
  return { ...gateway, clock, mails, mailedToken, signIn }
}

const claimsOf = (jwt: string) =>
  jwt
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>)

test('rpc_key and gpu_key mail a link that signs in once, and do not reveal who has an account (contract 5, rules 15 and 17; 5, How keys are issued: action rpc_key, synonym gpu_key, with email, dashboard; 5, Key kinds: session token; 4.1, Keys and credits: rpc_key; 9, Synonyms: action rpc_key)', async (t) => {
  const office = await openOffice(t)
  const { call, clock, mails } = office
  const askFor = async (action: string, email: string) => (await call(action, { email })).json<unknown>()
  const sent = (email: string) => ({ success: true, message: `A sign-in link was sent to ${email}.` })
  assert.deepEqual(await askFor('rpc_key', 'alice@example.com'), sent('alice@example.com'))
  const link = await office.mailedToken('alice@example.com')
  const [mail] = mails.to('alice@example.com')
  assert.match(mail!.text, new RegExp(`^${office.url}/dashboard/sign-in#${link}$`, 'm'))
  assert.doesNotMatch(mail!.data, /rpc_[sp]k_/, 'no key travels by mail')

  const reply = await office.signIn(link)
  assert.equal(reply.status, 200)
  const signedIn = reply.json<{ token: string; account: Record<string, string>; expires_in: number }>()
  const { token, account } = signedIn
  assert.equal(signedIn.expires_in, 3_600)
  assert.deepEqual(Object.keys(account), ['id', 'email', 'role', 'created_at'])
  assert.deepEqual([account.email, account.role], ['alice@example.com', 'user'])
  const cookie = `nano-gateway=${token}; Path=/; Max-Age=3600; HttpOnly; SameSite=Strict`
  assert.deepEqual(reply.headers['set-cookie'], [cookie])
  assert.equal(reply.headers['cache-control'], 'no-store')
  assert.equal(reply.headers['access-control-allow-origin'], undefined)
  assertRefusal(await office.signIn(link), 401, /./, 'invalid_key')

  // She has an account now; the answer must be the same as for an address without one.
  for (const action of ['gpu_key', 'rpc_key']) {
    for (const email of ['alice@example.com', 'stranger@example.com']) {
      assert.deepEqual(await askFor(action, email), sent(email))
    }
  }
  const byRest = async (email: string) => (await office.rest('POST', '/api/sign-in/request', undefined, { email })).text
  assert.equal(await byRest('alice@example.com'), await byRest('nobody@example.com'))
  assertRefusal(await call('rpc_key', {}), 400, 'The field email is required.', 'invalid_request')
  for (const email of ['nobody', 'a@b.example\r\nBcc: c@d.example', 7])
    assertRefusal(await call('rpc_key', { email }), 400, 'Invalid email', 'invalid_email')
  const again = await office.signIn(await office.mailedToken('alice@example.com', 4))
  assert.equal(again.json<{ account: { id: string } }>().account.id, account.id)

  // Four links an hour for one address, whatever its case, for one caller.
  for (let times = 0; times < 4; times++) await call('rpc_key', { email: 'Eve@example.com' })
  const fifth = await call('rpc_key', { email: 'eve@example.com' })
  assertRefusal(fifth, 429, 'Too many requests.', 'too_many_requests')
  assert.deepEqual([fifth.json<{ retry_after: number }>().retry_after, fifth.headers['retry-after']], [3_600, '3600'])
  const detail =
    'You can request four sign-in links an hour for one email address, five from all callers together. Links already sent work for one hour.'
  assert.equal(fifth.json().detail, detail)
  const late = await office.mailedToken('eve@example.com', 4)

  // The token: HS256, valid for an hour, only for /api, signed with the current secret.
  const [head, claims] = claimsOf(token)
  assert.deepEqual([head!.alg, Number(claims!.exp) - Number(claims!.iat), claims!.sub], ['HS256', 3_600, account.id])
  assert.deepEqual((await office.rest('GET', '/api/account', token)).json<unknown>(), { account })
  assert.equal((await office.rest('GET', '/api/checkouts', token)).status, 200)
  assertRefusal(await call('version', {}, bearer(token)), 401, 'Invalid API Key.', 'invalid_key')
  clock.advance(60 * MINUTE - 1)
  assert.equal((await office.rest('GET', '/api/account', token)).status, 200)
  clock.advance(1)
  assertRefusal(await office.signIn(late), 401, /./, 'invalid_key')
  assertRefusal(await office.rest('GET', '/api/account', token), 401, 'Invalid API Key.', 'invalid_key')
  clock.leap(24 * HOUR)
  await call('rpc_key', { email: 'alice@example.com' })
  const tomorrow = await office.signIn(await office.mailedToken('alice@example.com', 5))
  const [nextHead] = claimsOf(tomorrow.json().token!)
  assert.notEqual(nextHead!.kid, head!.kid)

  const next = { cookie: String(tomorrow.headers['set-cookie']).split(';')[0]!, origin: office.url }
  assert.equal((await ask(`${office.url}/api/sign-out`, { headers: next })).status, 200)
  const copied = await ask(`${office.url}/api/account`, { method: 'GET', headers: next })
  assert.equal(copied.status, 401, 'a copy of the cookie is worth nothing')
  assert.equal((await office.rest('GET', '/api/account', tomorrow.json().token)).status, 401)
})

test('a key is named, shown once, listed by its start, stored as SHA-256, like the administrator’s, logged nowhere, rotated with an overlap and revoked (contract 5, rules 7 and 13; 5, How keys are issued: dashboard, first start; 5, Key kinds: secret (RPC) key, public key)', async (t) => {
  const office = await openOffice(t)
  const { call, clock, app, folder, rest } = office
  await call('rpc_key', { email: 'a@example.com' })
  const { token } = (await office.signIn(await office.mailedToken('a@example.com'))).json()
  const made = await rest('POST', '/api/keys', token, { name: '  Shop\u202e \u200b1 ', kind: 'secret' })
  assert.equal(made.status, 201)
  const { key = '', ...shown } = made.json()
  assert.match(key, new RegExp(`^rpc_sk_${BASE58}{38}$`))
  assert.deepEqual([shown.name, shown.kind, shown.status, shown.start], ['Shop 1', 'secret', 'live', key.slice(0, 12)])
  const list = async () => (await rest('GET', '/api/keys', token)).json<{ keys: Record<string, string>[] }>().keys
  assert.deepEqual(await list(), [shown])
  const status = async (credential: string) => (await call('rpc_credits', {}, { 'x-api-key': credential })).status
  assert.equal(await status(key), 200)

  const rotate = (body?: object) => rest('POST', `/api/keys/${shown.id}/rotate`, token, body)
  const rotated = await rotate({ overlap_hours: 1 })
  assert.equal(rotated.status, 201)
  const next = rotated.json()
  assert.equal(next.replaces, shown.id)
  assertRefusal(await rotate(), 409, /./, 'conflict')
  assert.deepEqual([await status(key), await status(next.key!)], [200, 200])
  const old = (await list()).find(({ id }) => id === shown.id)!
  assert.equal(Date.parse(old.expires_at!) - clock.now(), HOUR)

  const origins = ['https://shop.example']
  const page = (await rest('POST', '/api/keys', key, { name: 'Page', kind: 'public', origins })).json()
  assert.match(page.key!, new RegExp(`^rpc_pk_${BASE58}{38}$`))
  assert.deepEqual([page.kind, page.origins], ['public', origins])

  const revoke = () => rest('DELETE', `/api/keys/${next.id}`, key)
  assert.deepEqual((await revoke()).json<unknown>(), { success: true, id: next.id })
  assert.equal(await status(next.key!), 401)
  assertRefusal(await revoke(), 404, 'Key not found.', 'not_found')
  // The old key stops working at the end of its overlap, to the millisecond; last-used times are written once a minute.
  clock.advance(HOUR - 1)
  assert.equal(await status(key), 200)
  clock.advance(1)
  assert.equal(await status(key), 401)

  const { db } = app.store
  const used = () => db.selectFrom('api_keys').select(['id', 'last_used_at']).where('id', '=', next.id!).execute()
  await until(async () => (await used())[0]!.last_used_at !== null)
  const rows = await db.selectFrom('api_keys').selectAll().execute()
  for (const text of [key, next.key!, page.key!, app.createdKey!]) {
    assert.ok(JSON.stringify(rows).includes(hashApiKey(text)))
    assert.ok(!office.log().includes(text))
    for (const file of listFiles(folder)) assert.ok(!readFileSync(file).includes(text), file)
  }
  const { account_id: accountId } = rows.find(({ id }) => id === shown.id)!
  const audit = (await listAudit(db, accountId)).sort().join(' ')
  assert.equal(audit, 'account.created account.signed-in key.issued key.issued key.issued key.revoked key.rotated')
})
