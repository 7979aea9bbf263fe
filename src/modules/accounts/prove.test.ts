import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { toSessionCaller } from '../../http/session.ts'
import { listCapturedMail } from '../../infra/mail/captured.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { openRoutes } from '../../../test/support/mounted-routes.ts'
import { until } from '../../../test/support/until.ts'
import { requestProof, takeProof } from './domain/prove.ts'

/* Before money moves, keys are made or people change, the signed-in person must confirm their identity again. */

const FRESH = 15 * 60_000
const refused = (code: string) => (error: unknown) => (error as { code: string }).code === code

forEachEngine((engine) => {
  async function openHouse(t: TestContext) {
    const world = await openRoutes(t, { engine })
    const owner = await world.join('owner@example.com')
    const make = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const reply = await world.ask('POST', '/api/keys', { headers, body: { name: 'New' } })
      return reply.statusCode === 201 ? 201 : `${reply.statusCode} ${reply.json<{ code: string }>().code}`
    }
    const callerOf = async (token: string) => toSessionCaller((await world.sessions.read(token))!)
    const codes = async () =>
      (await listCapturedMail(world.ctx.db, 50)).flatMap(({ text }) => /Your code: (\w+)/.exec(text)?.[1] ?? [])
    const prove = (caller: Awaited<ReturnType<typeof callerOf>>, proof: { code?: string; key?: string }) =>
      takeProof(world.ctx, world.keys, caller, { code: '', key: '', ...proof })
    return { world, owner, make, callerOf, codes, prove }
  }

  // A browser left open at the counter must not let anybody make a key.
  test('403 fresh_proof_required a quarter of an hour after the sign-in, renewed or not; to look needs no proof, and a key none at all (contract 5, rule 33)', async (t) => {
    const { world, owner, make, callerOf } = await openHouse(t)
    const { token } = await world.signIn('owner@example.com')
    world.clock.advance(FRESH)
    assert.equal(await make(token), 201)
    world.clock.advance(1)
    assert.equal(await make(token), '403 fresh_proof_required')
    const renewed = (await world.sessions.renew((await world.sessions.read(token))!))!
    assert.equal(await make(renewed), '403 fresh_proof_required')
    const headers = { authorization: `Bearer ${token}` }
    const invite = { email: 'bob@example.com', role: 'reader' }
    for (const [method, path, body] of [
      ['POST', '/api/members', invite],
      ['PUT', '/api/members/x', { role: 'reader' }],
      ['DELETE', '/api/members/x', undefined],
      ['POST', '/api/members/x/owner', undefined],
      ['POST', `/api/keys/${owner.keyId}/rotate`, undefined],
    ] as const) {
      const reply = await world.ask(method, path, { headers, ...(body && { body }) })
      assert.equal(reply.json<{ code: string }>().code, 'fresh_proof_required', path)
    }
    assert.equal((await world.ask('GET', '/api/keys', { headers })).statusCode, 200)
    assert.equal(
      (await world.ask('POST', '/api/keys', { headers: { key: owner.key }, body: { name: 'K' } })).statusCode,
      201,
    )
    assert.equal((await callerOf(token)).session?.member?.email, 'owner@example.com')
  })

  test('a code from the mail proves it once, in ten minutes, in the session that asked; the tokens before stay stale (contract 5, rule 33)', async (t) => {
    const { world, make, callerOf, codes, prove } = await openHouse(t)
    const { token } = await world.signIn('owner@example.com')
    world.clock.advance(FRESH + 1)
    const caller = await callerOf(token)
    await requestProof(world.ctx, caller)
    await until(async () => (await codes()).length === 1)
    const [code] = await codes()
    const thief = await callerOf((await world.signIn('other@example.com')).token)
    await assert.rejects(prove(thief, { code: code! }), refused('invalid_request'))
    await assert.rejects(prove(caller, { code: `${code}x` }), refused('invalid_request'))
    // A code is not a sign-in link, in whatever form it is sent.
    for (const text of [code!, `${caller.session!.id} ${code}`]) {
      assert.equal((await world.ask('POST', '/api/sign-in', { body: { token: text } })).statusCode, 401)
    }
    const twice = await Promise.allSettled([prove(caller, { code: code! }), prove(caller, { code: code! })])
    assert.deepEqual(twice.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal(await make(await world.sessions.prove(caller)), 201)
    assert.equal(await make(token), '403 fresh_proof_required')
    await requestProof(world.ctx, caller)
    await until(async () => (await codes()).length === 2)
    const late = (await codes()).find((one) => one !== code)!
    world.clock.advance(10 * 60_000)
    await assert.rejects(prove(caller, { code: late }), refused('invalid_request'))
  })

  test('who has signed in with a key types it in again: no key of another account, and none that may do less (contract 5, rule 33)', async (t) => {
    const { world, owner, make, callerOf, prove } = await openHouse(t)
    const other = await world.join('other@example.com')
    const limited = await world.ask('POST', '/api/keys', {
      headers: { key: owner.key },
      body: { name: 'Bot', scopes: ['read'] },
    })
    const token = await world.sessions.create(owner.accountId, { keyId: owner.keyId })
    world.clock.advance(FRESH + 1)
    assert.equal(await make(token), '403 fresh_proof_required')
    const caller = await callerOf(token)
    await assert.rejects(requestProof(world.ctx, caller), refused('conflict'))
    for (const key of [other.key, '', 'rpc_sk_none'])
      await assert.rejects(prove(caller, { key }), refused('invalid_request'))
    await assert.rejects(prove(caller, { key: limited.json<{ key: string }>().key }), refused('missing_scope'))
    await prove(caller, { key: owner.key })
    assert.equal(await make(await world.sessions.prove(caller)), 201)
  })

  test('guesses are counted: ten an hour for a session, five mails an hour for an address', async (t) => {
    const { world, callerOf, prove } = await openHouse(t)
    const caller = await callerOf((await world.signIn('owner@example.com')).token)
    for (let at = 0; at < 10; at++)
      await assert.rejects(prove(caller, { code: `guess${at}` }), refused('invalid_request'))
    await assert.rejects(prove(caller, { code: 'guess' }), refused('too_many_requests'))
    for (let at = 0; at < 5; at++) await requestProof(world.ctx, caller)
    await assert.rejects(requestProof(world.ctx, caller), refused('too_many_requests'))
  })
})
