import { sessionSecretContext } from './tables.ts'
import { OPERATOR } from '../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SignJWT, UnsecuredJWT, decodeJwt, decodeProtectedHeader } from 'jose'
import { openSecretBox } from '../../infra/secrets/secret-key.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import { hexToBytes } from '../../kernel/nano/hex.ts'
import { Sessions, createAccount, issueKey, revokeKey } from './index.ts'
import { forgetExpired } from './jobs.ts'
import { findSessionSecret, insertSessionSecret, replaceSessionSecret } from './sessions-store.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { untouchable } from '../../../test/support/dump-store.ts'
import { testRandom } from '../../../test/support/random.ts'

/* Session tokens: short-lived, HS256 with a rotating secret (contract 5). */

const HOUR = 3_600_000
const secrets = openSecretBox(testRandom.bytes(32), testRandom)
const openSessions = (ctx: StoreCtx) => new Sessions(Object.assign(ctx, { secrets }))

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** A token with a signature that nobody made. */
const forge = (header: object, payload: object) => `${part(header)}.${part(payload)}.`

forEachEngine((_engine, open) => {
  const openAccount = async (t: Parameters<typeof open>[0]) => {
    const opened = await open(t)
    const account = await createAccount(opened.ctx, { email: 'a@example.com', role: 'user', actor: OPERATOR })
    return { ...opened, account, sessions: openSessions(opened.ctx) }
  }

  test('instances share the secret of a day, even when they make it at once', async (t) => {
    const { ctx, account, sessions, openAnother } = await openAccount(t)
    const instances = [sessions]
    for (let more = 0; more < 4; more++) instances.push(openSessions((await openAnother()).ctx))
    const tokens = await Promise.all(instances.map((sessions) => sessions.create(account.id)))
    for (const sessions of instances) {
      for (const token of tokens) assert.equal((await sessions.find(token))?.id, account.id)
    }
    assert.equal((await ctx.db.selectFrom('session_secrets').selectAll().execute()).length, 1)
  })

  test('the secret changes every day, and a session from before midnight lives on (contract 5, Key kinds: session token)', async (t) => {
    const { ctx, clock, account, sessions } = await openAccount(t)
    clock.advance(24 * HOUR - 1_000)
    const before = await sessions.create(account.id)
    clock.advance(2_000)
    const after = await sessions.create(account.id)
    assert.notEqual(decodeProtectedHeader(before).kid, decodeProtectedHeader(after).kid)
    assert.equal((await sessions.find(before))?.id, account.id)
    assert.equal((await openSessions(ctx).find(before))?.id, account.id)
    for (let day = 0; day < 4; day++) {
      clock.advance(24 * HOUR)
      await sessions.create(account.id)
      await forgetExpired(ctx, { keepRequests: undefined }).run({}, new AbortController().signal)
    }
    assert.ok((await ctx.db.selectFrom('session_secrets').selectAll().execute()).length <= 4)
  })

  // To end all sessions, an operator deletes the secret from the store. When a leaked key is revoked, everybody who signed in with it must be signed out
  // at once.
  test('without its secret in the store a session ends within two minutes, and one that was opened with a key with the key', async (t) => {
    const { ctx, clock, account, sessions } = await openAccount(t)
    const owner = { accountId: account.id, actor: OPERATOR }
    const { key } = await issueKey(ctx, { ...owner, kind: 'secret', name: 'Till' })
    const keyed = await sessions.create(account.id, { keyId: key.id })
    assert.equal((await sessions.find(keyed))?.id, account.id)
    await revokeKey(ctx, { ...owner, keyId: key.id })
    clock.advance(30_000)
    assert.equal(await sessions.find(keyed), undefined)

    const token = await sessions.create(account.id)
    await ctx.db.deleteFrom('session_secrets').execute()
    clock.advance(120_000)
    assert.equal(await sessions.find(token), undefined)
    assert.equal((await sessions.find(await sessions.create(account.id)))?.id, account.id)
    assert.equal(await sessions.find(token), undefined)
  })

  // Otherwise tokens that the first process signed with the new secret would be invalid at the second.
  test('a secret that cannot be read is replaced once, even if several find it at the same time', async (t) => {
    const { db } = (await openAccount(t)).ctx
    await insertSessionSecret(db, { id: 'ses_1', secret: 'unreadable', createdAt: 1 })
    for (const secret of ['first', 'second']) {
      await replaceSessionSecret(db, { id: 'ses_1', unreadable: 'unreadable', secret, now: 2 })
    }
    assert.equal(await findSessionSecret(db, 'ses_1'), 'first')
  })

  test('a session that was ended opens nothing any more, on no instance and however it was renewed', async (t) => {
    const { ctx, clock, account, sessions, openAnother } = await openAccount(t)
    const other = openSessions((await openAnother()).ctx)
    const token = await sessions.create(account.id)
    const staying = await sessions.create(account.id)
    const renewed = await sessions.renew((await sessions.read(token))!)
    for (const one of [token, renewed!, staying]) assert.equal((await other.find(one))?.id, account.id)
    const id = await sessions.end(token)
    for (const one of [token, renewed!]) assert.equal(await sessions.find(one), undefined)
    for (const one of [token, renewed!]) assert.equal(await other.find(one), undefined)
    assert.equal((await sessions.find(staying))?.id, account.id)
    assert.equal(await sessions.end(token), id, 'ending twice is ending')
    assert.equal(await sessions.end('a.b.c'), undefined)
    clock.advance(3 * HOUR)
    await forgetExpired(ctx, { keepRequests: undefined }).run({}, new AbortController().signal)
    assert.deepEqual(await ctx.db.selectFrom('ended_sessions').selectAll().execute(), [])
  })

  test('a session can be renewed for twelve hours and no longer', async (t) => {
    const { clock, account, sessions } = await openAccount(t)
    let token = await sessions.create(account.id)
    for (let hours = 0.5; hours < 12; hours += 0.5) {
      clock.advance(HOUR / 2)
      token = (await sessions.renew((await sessions.read(token))!))!
    }
    clock.advance(HOUR / 2)
    assert.equal(await sessions.renew((await sessions.read(token))!), undefined)
    clock.advance(HOUR / 2)
    assert.equal(await sessions.find(token), undefined)
  })

  test('a token that we did not sign in this very form opens nothing, and an invented one costs no read', async (t) => {
    const { ctx, account, sessions } = await openAccount(t)
    const untouching = openSessions({ ...ctx, db: untouchable })
    const invented = await new SignJWT({}).setProtectedHeader({ alg: 'HS256', kid: 'ses_1' }).sign(new Uint8Array(32))
    for (const text of [invented, 'a.b.c', '', '..', 'rpc_sk_', 'x'.repeat(10_000)]) {
      assert.equal(await untouching.find(text), undefined)
    }
    const token = await sessions.create(account.id)
    const { kid } = decodeProtectedHeader(token)
    const payload = decodeJwt(token)
    const { secret } = await ctx.db.selectFrom('session_secrets').selectAll().executeTakeFirstOrThrow()
    const key = hexToBytes(secrets.open(sessionSecretContext(kid!), secret))
    const sign = (change: object, header: object = {}, by = key) =>
      new SignJWT({ ...payload, ...change }).setProtectedHeader({ alg: 'HS256', kid: kid!, ...header }).sign(by)
    assert.equal((await openSessions(ctx).find(await sign({})))?.id, account.id)
    const { exp: _exp, ...endless } = payload
    const wrong = [
      new UnsecuredJWT(payload).encode(),
      await sign({}, {}, testRandom.bytes(32)),
      await sign({}, { alg: 'HS512' }, new Uint8Array([...key, ...key])),
      await sign({ aud: 'elsewhere' }),
      await sign({ iss: 'elsewhere' }),
      await sign({ sub: 'acc_nobody' }),
      await new SignJWT(endless).setProtectedHeader({ alg: 'HS256', kid: kid! }).sign(key),
      `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`,
      ...['none', 'None', 'nOnE', 'RS256', 'ES256'].map((alg) => forge({ alg, kid }, payload)),
      ...['', '../../etc/passwd', '__proto__', "ses_1' OR 1=1", `${kid}\u0000`].map((other) =>
        forge({ alg: 'HS256', kid: other }, payload),
      ),
      // What is in the store is useless to somebody who has a copy of it, and so is an empty secret.
      await sign({}, {}, new TextEncoder().encode(secret)),
      await sign({}, {}, new Uint8Array(1)),
      await sign({ nbf: payload.exp! + 1 }),
      await sign({ exp: 'never' }),
      await sign({}, { crit: ['exp'] }).catch(() => 'refused by the signer'),
      token.split('.').slice(0, 2).join('.'),
      `${token}.${token}`,
    ]
    for (const text of wrong) assert.equal(await sessions.find(text), undefined, text)
  })
})
