import { OPERATOR } from '../../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { checkStart } from '../../../config/check-start.ts'
import { readConfig } from '../../../config/config.ts'
import { systemClock } from '../../../infra/clock.ts'
import { listCapturedMail } from '../../../infra/mail/captured.ts'
import { Authenticator } from '../../../../test/support/authenticator.ts'
import { listAudit } from '../../../../test/support/dump-store.ts'
import { forEachEngine } from '../../../../test/support/engines.ts'
import { openRoutes } from '../../../../test/support/mounted-routes.ts'
import { until } from '../../../../test/support/until.ts'
import { suspendAccount } from '../domain/change-standing.ts'
import { insertMember, lockPerson } from '../people/members-store.ts'
import { forgetPasskeys } from './passkeys.ts'
import { type Required, isMailOpen, setMailLinks } from './policy.ts'
import { relyingPartyOf } from './ceremony.ts'

/* Passkeys and recovery codes: what they allow, and what an attacker can do with intercepted messages. */

const baseUrl = 'https://pay.example'
const origin = baseUrl
const EMAIL = 'owner@example.com'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const TRIED = 'Too many attempts. Try again later.'

type Asked = Parameters<Authenticator['make']>[0]

forEachEngine((engine) => {
  async function openHouse(t: TestContext, passkeysRequired: Required = 'none') {
    const world = await openRoutes(t, { engine, baseUrl, passkeysRequired })
    const { accountId } = await world.join(EMAIL)
    const post = async (path: string, body: object = {}, headers: Record<string, string> = {}) => {
      const reply = await world.ask('POST', path, { headers, body })
      const json = reply.json<Record<string, unknown>>()
      const cookie = [reply.headers['set-cookie'] ?? []].flat().map((one) => one.split(';')[0]!)
      return { status: reply.statusCode, code: json.code, json, cookie: cookie.join('; ') }
    }
    const bearer = (token: unknown) => ({ authorization: `Bearer ${String(token)}` })
    const askMake = async (token: string) =>
      (await post('/api/passkeys/options', {}, bearer(token))).json.options as Asked
    const enrol = async (token: string, device = new Authenticator(), name = 'Phone') => {
      const credential = device.make(await askMake(token), { origin })
      return { device, ...(await post('/api/passkeys', { name, credential }, bearer(token))) }
    }
    /** A browser that has got a challenge. */
    const arrive = async () => {
      const { json, cookie } = await post('/api/sign-in/passkey/options')
      return { asked: json.options as Asked, headers: { cookie } }
    }
    const bring = (credential: object, headers: Record<string, string>) =>
      post('/api/sign-in/passkey', { credential }, headers)
    const mails = async (subject: string) =>
      (await listCapturedMail(world.ctx.db, 50)).filter((mail) => mail.subject === subject)
    return { world, accountId, post, bearer, askMake, enrol, arrive, bring, mails }
  }

  test('a passkey signs in whose it is, without a name being typed; the session says how, and counts as proof (contract 5, rule 34)', async (t) => {
    const { world, accountId, enrol, arrive, bring, post, bearer, mails } = await openHouse(t)
    const { token } = await world.signIn(EMAIL)
    const { device, status, json } = await enrol(token)
    assert.equal(status, 201)
    assert.equal((json.recovery_codes as string[]).length, 10)
    await until(async () => (await mails('A passkey was added')).length === 1)
    const { asked, headers } = await arrive()
    assert.deepEqual((asked as { allowCredentials?: unknown }).allowCredentials, [])
    const opened = await bring(device.sign(asked, { origin }), headers)
    assert.equal(opened.status, 200)
    const session = (await world.sessions.read(String(opened.json.token)))!
    assert.deepEqual([session.account.id, session.member?.email, session.provedBy], [accountId, EMAIL, 'passkey'])
    world.clock.advance(15 * MINUTE + 1)
    const stale = await post('/api/keys', { name: 'K' }, bearer(opened.json.token))
    assert.equal(stale.code, 'fresh_proof_required')
    const fresh = await post('/api/prove/options', {}, bearer(opened.json.token))
    const proof = device.sign(fresh.json.options as Asked, { origin })
    const proved = await post('/api/prove', { credential: proof }, bearer(opened.json.token))
    assert.equal((await post('/api/keys', { name: 'K' }, bearer(proved.json.token))).status, 201)
    assert.equal((await post('/api/prove', { credential: proof }, bearer(opened.json.token))).status, 401)
    const activities = await listAudit(world.ctx.db, accountId)
    for (const what of ['passkey.added', 'account.signed-in', 'account.proved'])
      assert.ok(activities.includes(what), what)
    assert.doesNotMatch(JSON.stringify(await world.ctx.db.selectFrom('recovery_codes').selectAll().execute()), /-/)
  })

  // The address may belong to somebody else by the time it is invited again.
  test('somebody dismissed from their last account signed in again with the passkey of that time: it goes with the last membership, the codes too, and not before (contract 5, rules 30 and 34)', async (t) => {
    const { world, post, enrol, arrive, bring } = await openHouse(t)
    const { ctx } = world
    const shops = [await world.join('one@example.com'), await world.join('two@example.com')]
    const joined = { role: 'reader', invitedBy: null, invitedAt: 1, expiresAt: null, joinedAt: 1 } as const
    const hire = async (email: string) => {
      const ids = shops.map(() => ctx.ids.next('mem'))
      for (const [at, id] of ids.entries())
        await insertMember(ctx.db, { id, accountId: shops[at]!.accountId, email, ...joined })
      const token = await world.sessions.create(shops[0]!.accountId, { memberId: ids[0]! })
      const { device, json } = await enrol(token)
      return { email, ids, device, code: (json.recovery_codes as string[])[0]! }
    }
    type Hired = Awaited<ReturnType<typeof hire>>
    // The keys of both shops belong to the operator, and may change people.
    const dismiss = async ({ ids }: Hired, at: number) => {
      const { key } = shops[at]!
      return (await world.ask('DELETE', `/api/members/${ids[at]!}`, { headers: { key } })).statusCode
    }
    const signIn = async ({ device }: Hired) => {
      const { asked, headers } = await arrive()
      return (await bring(device.sign(asked, { origin }), headers)).status
    }
    const bob = await hire('bob@example.com')
    assert.equal(await dismiss(bob, 0), 200)
    assert.equal(await signIn(bob), 200)
    assert.equal(await dismiss(bob, 1), 200)
    assert.equal(await signIn(bob), 401)
    assert.equal((await post('/api/sign-in/recovery', { email: bob.email, code: bob.code })).status, 401)
    // Both at the same time; each finds the person's membership in the other account.
    for (let times = 0; times < 4; times++) {
      const ann = await hire(`ann${times}@example.com`)
      assert.deepEqual(await Promise.all([dismiss(ann, 0), dismiss(ann, 1)]), [200, 200])
      assert.equal(await signIn(ann), 401)
    }
    assert.deepEqual(await ctx.db.selectFrom('passkeys').select('email').execute(), [])
  })

  // A person may be removed after their session was checked and before their passkey is stored. SQLite runs
  // transactions one after another, so there this cannot happen.
  if (engine === 'postgres') {
    test('a person removed while they added a passkey has none: it would work for the next owner of their address (contract 5, rules 30 and 34)', async (t) => {
      const { world, accountId, post, bearer, askMake } = await openHouse(t)
      const { db, ids } = world.ctx
      const [id, email] = [ids.next('mem'), 'ann@example.com']
      const joined = { role: 'reader', invitedBy: null, invitedAt: 1, expiresAt: null, joinedAt: 1 } as const
      await insertMember(db, { id, accountId, email, ...joined })
      const token = await world.sessions.create(accountId, { memberId: id })
      const credential = new Authenticator().make(await askMake(token), { origin })
      let asked: ReturnType<typeof post> | undefined
      await db.transaction().execute(async (tx) => {
        await lockPerson(tx, email)
        asked = post('/api/passkeys', { name: 'Phone', credential }, bearer(token))
        await until(async () => (await sql`select 1 from pg_locks where not granted`.execute(db)).rows.length > 0)
        await tx.updateTable('members').set({ ended_at: 2 }).where('id', '=', id).execute()
      })
      assert.equal((await asked!).status, 401)
      assert.deepEqual(await db.selectFrom('passkeys').select('email').execute(), [])
    })
  }

  // Everything that an attacker can send who does not have the passkey, or has it but not the browser that got the
  // challenge.
  test('401 in the same words for what was signed elsewhere, before, for another, too late or by a copy (contract 5, rule 34)', async (t) => {
    const { world, enrol, arrive, bring, post, bearer } = await openHouse(t)
    const { token } = await world.signIn(EMAIL)
    const { device } = await enrol(token)
    const stranger = await enrol((await world.signIn('stranger@example.com')).token)
    const refused = async (made: Parameters<Authenticator['sign']>[1], by = device, wait = 0, as = device.id) => {
      const { asked, headers } = await arrive()
      const credential = { ...by.sign(asked, made), id: as }
      world.clock.advance(wait)
      const { status, json } = await bring(credential, headers)
      assert.deepEqual([status, json.error], [401, 'This passkey was not accepted. Try again.'], JSON.stringify(made))
    }
    await refused({ origin: 'https://pay.example.evil.example' })
    await refused({ origin: 'http://pay.example' })
    await refused({ origin, rpId: 'evil.example' })
    await refused({ origin, isVerified: false })
    await refused({ origin, userHandle: 'AAAA' })
    await refused({ origin }, stranger.device)
    await refused({ origin }, new Authenticator())
    await refused({ origin }, device, 5 * MINUTE)
    await refused({ origin }, device, 0, 'unknown')
    const [first, other] = [await arrive(), await arrive()]
    const credential = device.sign(first.asked, { origin })
    assert.equal((await bring(credential, other.headers)).status, 401, 'another browser')
    assert.equal((await bring(credential, {})).status, 401, 'no browser at all')
    const twice = await Promise.all([bring(credential, first.headers), bring(credential, first.headers)])
    assert.deepEqual(twice.map(({ status }) => status).sort(), [200, 401])
    await refused({ origin, counter: 3 })
    // A challenge for one purpose is not valid for another.
    const proof = await post('/api/prove/options', {}, bearer(token))
    const signed = device.sign(proof.json.options as Asked, { origin, counter: 100 })
    assert.equal((await bring(signed, first.headers)).status, 401)
  })

  test('429 at the 31st attempt within an hour on the passkeys of one person, right or wrong, by sign-in or by proof; others are not counted with it (contract 5, rule 34)', async (t) => {
    const { world, enrol, arrive, bring, post, bearer } = await openHouse(t)
    const { token } = await world.signIn(EMAIL)
    const { device } = await enrol(token)
    const other = await enrol((await world.signIn('other@example.com')).token)
    const signIn = async (by = device, from = origin) => {
      const { asked, headers } = await arrive()
      return bring(by.sign(asked, { origin: from }), headers)
    }
    for (let tries = 0; tries < 30; tries++) {
      assert.equal((await signIn(device, 'https://pay.example.evil.example')).status, 401)
      // The route itself has a limit per minute.
      world.clock.advance(10_000)
    }
    const late = await signIn()
    assert.deepEqual([late.status, late.json.detail], [429, TRIED])
    const fresh = await post('/api/prove/options', {}, bearer(token))
    const proof = device.sign(fresh.json.options as Asked, { origin })
    assert.equal((await post('/api/prove', { credential: proof }, bearer(token))).json.detail, TRIED)
    assert.equal((await signIn(other.device)).status, 200)
    // An attempt counts for an hour: the first one ends now, the second ten seconds later.
    world.clock.advance(HOUR - 300_000 - 1)
    assert.equal((await signIn()).json.detail, TRIED)
    world.clock.advance(1)
    assert.equal((await signIn()).status, 200)
    assert.equal((await signIn()).json.detail, TRIED)
  })

  test('a passkey is made once, by who was asked, without certificates, and ten of them are enough (contract 5, rule 34)', async (t) => {
    const { world, askMake, enrol, post, bearer } = await openHouse(t)
    const { token } = await world.signIn(EMAIL)
    const device = new Authenticator()
    const send = async (credential: object, as = token) => {
      const reply = await post('/api/passkeys', { name: 'Phone', credential }, bearer(as))
      return `${reply.status} ${String(reply.code)}`
    }
    const other = (await world.signIn('other@example.com')).token
    assert.equal(await send(device.make(await askMake(other), { origin })), '400 invalid_request')
    for (const made of [{ origin: 'https://evil.example' }, { origin, isVerified: false }]) {
      assert.equal(await send(device.make(await askMake(token), made)), '400 invalid_request')
    }
    // Reading a certificate would mean fetching the address in it.
    const x5c = new Map<unknown, unknown>([['x5c', [Buffer.from('00', 'hex')]]])
    const certified = device.make(await askMake(token), { origin }, ['packed', x5c])
    const empty = { id: 'a', type: 'public-key', response: { clientDataJSON: 'e30', attestationObject: 'AA' } }
    for (const credential of [certified, {}, empty]) assert.equal(await send(credential), '400 invalid_request')
    assert.equal((await enrol(token, device)).status, 201)
    assert.equal((await enrol(other, device)).code, 'conflict', 'a credential is of one person')
    const more = [1, 2, 3, 4, 5, 6, 7, 8]
    for (const _ of more) assert.deepEqual((await enrol(token)).json.recovery_codes, [])
    const [one, another] = [new Authenticator(), new Authenticator()]
    const made = one.make(await askMake(token), { origin })
    assert.equal(await send(made), '201 undefined')
    assert.equal(await send(another.make(await askMake(token), { origin })), '409 conflict')
    world.clock.advance(15 * MINUTE + 1)
    assert.equal((await post('/api/passkeys/options', {}, bearer(token))).code, 'fresh_proof_required')
    assert.equal((await post('/api/recovery-codes', {}, bearer(token))).code, 'fresh_proof_required')
  })

  test('a recovery code opens once, at either of two endpoints, and is reported; new ones end those before (contract 5, rule 35)', async (t) => {
    const { world, enrol, post, bearer, mails } = await openHouse(t)
    const { token } = await world.signIn(EMAIL)
    const { json } = await enrol(token)
    const [code, second, third] = json.recovery_codes as string[]
    const recover = (text: string, email = EMAIL) => post('/api/sign-in/recovery', { email, code: text })
    assert.equal((await recover(code!, 'other@example.com')).status, 401)
    const twice = await Promise.all([recover(code!.toUpperCase()), recover(code!.replaceAll('-', ' '))])
    assert.deepEqual(twice.map(({ status }) => status).sort(), [200, 401])
    const opened = twice.find(({ status }) => status === 200)!
    assert.equal((await world.sessions.read(String(opened.json.token)))?.provedBy, 'recovery code')
    await until(async () => (await mails('A recovery code was used')).length === 1)
    const fresh = await post('/api/recovery-codes', {}, bearer(token))
    assert.equal((await recover(second!)).status, 401)
    assert.equal((await recover((fresh.json.recovery_codes as string[])[0]!)).status, 200)
    for (let at = 0; at < 8; at++) await recover(third!)
    assert.equal((await recover(third!)).code, 'too_many_requests')
    // Wrong attempts lock nobody out.
    assert.equal((await recover((fresh.json.recovery_codes as string[])[1]!)).status, 200)
    for (let at = 0; at < 10; at++) assert.equal((await recover(third!, 'nobody@example.com')).status, 401)
    assert.equal((await recover(third!, 'nobody@example.com')).code, 'too_many_requests')
  })

  test('once there is a passkey, a mailed link does not sign in, not even an older one; a stranger sees no difference (contract 5, rule 35)', async (t) => {
    const { world, accountId, enrol, post, bearer, mails } = await openHouse(t)
    const ask = (email: string) => post('/api/sign-in/request', { email })
    const { token } = await world.signIn(EMAIL)
    await ask(EMAIL)
    await until(async () => (await mails('Sign in to nano-gateway')).length === 2)
    const older = await world.mailedToken(EMAIL)
    const { json } = await enrol(token)
    assert.equal((await post('/api/sign-in', { token: older })).status, 401)
    const [known, unknown] = [await ask(EMAIL), await ask('nobody@example.com')]
    assert.deepEqual([known.status, known.json], [unknown.status, unknown.json])
    const told = async () =>
      (await mails('Sign in to nano-gateway')).some(({ text }) =>
        /signs in with a passkey.*\n.*\n.*\/sign-in\/recovery/.test(text),
      )
    await until(told)
    await setMailLinks(world.ctx, { accountId, actor: OPERATOR, allowed: true })
    assert.equal((await post('/api/sign-in', { token: older })).status, 200)
    await setMailLinks(world.ctx, { accountId, actor: OPERATOR, allowed: false })
    const id = (json.passkey as { id: string }).id
    const remove = (as: string) => world.ask('DELETE', `/api/passkeys/${id}`, { headers: bearer(as) })
    const rename = (as: string) =>
      world.ask('PUT', `/api/passkeys/${id}`, { headers: bearer(as), body: { name: 'Mine' } })
    const { token: other } = await world.signIn('other@example.com')
    assert.deepEqual([(await remove(other)).statusCode, (await rename(other)).statusCode], [404, 404])
    assert.deepEqual([(await rename(token)).statusCode, (await remove(token)).statusCode], [200, 200])
    assert.deepEqual(await world.ctx.db.selectFrom('recovery_codes').selectAll().execute(), [])
    const list = await world.ask('GET', '/api/passkeys', { headers: bearer(token) })
    assert.deepEqual(list.json(), { passkeys: [], recovery_codes_left: 0, mail_opens: true })
  })

  test('403 passkey_required until there is one, for whom the operator names; the last one stays (contract 5, rule 36)', async (t) => {
    const { world, accountId, enrol, post, bearer } = await openHouse(t, 'members')
    const { token } = await world.signIn(EMAIL)
    const look = async () => (await world.ask('GET', '/api/keys', { headers: bearer(token) })).statusCode
    assert.equal((await post('/api/keys', { name: 'K' }, bearer(token))).code, 'passkey_required')
    const { device, json } = await enrol(token)
    assert.equal(await look(), 200)
    const id = (json.passkey as { id: string }).id
    assert.equal((await world.ask('DELETE', `/api/passkeys/${id}`, { headers: bearer(token) })).statusCode, 409)
    // The account's own setting counts only if the operator requires nothing.
    await setMailLinks(world.ctx, { accountId, actor: OPERATOR, allowed: true })
    const list = await world.ask('GET', '/api/passkeys', { headers: bearer(token) })
    assert.equal(list.json<{ mail_opens: boolean }>().mail_opens, false)
    await suspendAccount(world.ctx, { accountId, actor: OPERATOR, reason: 'test' })
    const { json: options, cookie } = await post('/api/sign-in/passkey/options')
    const credential = device.sign(options.options as Asked, { origin })
    const opened = await post('/api/sign-in/passkey', { credential }, { cookie })
    await assert.rejects(world.sessions.read(String(opened.json.token)), { code: 'account_suspended' })
  })

  test('the operator takes away what somebody has lost: mail opens again, and every account of theirs reads of it', async (t) => {
    const { world, accountId, enrol, post, mails } = await openHouse(t)
    const { json } = await enrol((await world.signIn(EMAIL)).token)
    await forgetPasskeys(world.ctx, { email: 'Owner@example.com', actor: OPERATOR })
    assert.ok((await listAudit(world.ctx.db, accountId)).includes('passkey.forgotten'))
    const [code] = json.recovery_codes as string[]
    assert.equal((await post('/api/sign-in/recovery', { email: EMAIL, code })).status, 401)
    assert.ok(await isMailOpen(world.ctx, EMAIL, 'none'))
    await until(async () => (await mails('Your passkeys were removed')).length === 1)
    await assert.rejects(forgetPasskeys(world.ctx, { email: EMAIL, actor: OPERATOR }), { code: 'not_found' })
  })

  test('administrators alone can be meant, and a key is never asked', async (t) => {
    const { world, bearer } = await openHouse(t, 'administrators')
    const admin = await world.join('admin@example.com', 'admin')
    const look = async (headers: Record<string, string>) =>
      (await world.ask('GET', '/api/keys', { headers })).statusCode
    assert.equal(await look(bearer((await world.signIn(EMAIL)).token)), 200)
    assert.equal(await look(bearer((await world.signIn('admin@example.com')).token)), 403)
    assert.equal(await look({ key: admin.key }), 200)
  })
})

test('passkeys belong to a name with https, or to this machine; elsewhere they are not required', () => {
  assert.deepEqual(relyingPartyOf('https://pay.example'), { id: 'pay.example', origin: 'https://pay.example' })
  for (const url of ['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000']) {
    assert.deepEqual(relyingPartyOf(url), { id: 'localhost', origin: 'http://localhost:3000' })
  }
  for (const url of ['http://pay.example', 'https://192.0.2.1', 'https://[2001:db8::1]'])
    assert.equal(relyingPartyOf(url), undefined, url)
  const start = (BASE_URL: string) =>
    checkStart(systemClock, readConfig({ BASE_URL, PASSKEYS_REQUIRED: 'members', NODE_URLS: 'devnet:' })).problems
  assert.match(start('http://pay.example').join(), /^PASSKEYS_REQUIRED needs BASE_URL/)
  assert.deepEqual(start('https://pay.example'), [])
})
