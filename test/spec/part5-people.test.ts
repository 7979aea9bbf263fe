import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import type { Role } from '../../src/kernel/rights.ts'
import { Sessions } from '../../src/modules/accounts/index.ts'
import { acceptInvitation } from '../../src/modules/accounts/people/invitation.ts'
import { TestClock } from '../support/clock.ts'
import { openGateway } from '../support/gateway.ts'
import { testRandom } from '../support/random.ts'

/* Contract 5: the people of an account over HTTP; `src/modules/accounts/people/` tests races and failures on both engines. */

async function openShop(t: TestContext) {
  const clock = new TestClock()
  const secretKey = testRandom.bytes(32)
  const env = { SECRET_KEY: Buffer.from(secretKey).toString('base64'), LIMIT_FREE_PER_MINUTE: '0' }
  const gateway = await openGateway(t, env, clock)
  const { ctx, rest } = gateway
  const { accountId, key } = await gateway.join({ email: 'owner@example.com' })
  const sessions = new Sessions({ ...ctx, secrets: openSecretBox(secretKey, testRandom) })
  const owner = await sessions.create(accountId)
  const invite = async (email: string, role: Role) => {
    const reply = await rest('POST', '/api/members', owner, { email, role })
    return reply.json<{ member: { id: string } }>().member.id
  }
  const bring = async (email: string, role: Role) => {
    const id = await invite(email, role)
    await acceptInvitation(ctx, { email, id })
    return { id, token: await sessions.create(accountId, { memberId: id }) }
  }
  return { clock, ctx, key, owner, rest, invite, bring }
}

test('a role is refused outside of its row with scope and role, a developer’s key makes no keys, and what people did is a table (contract 5, rules 27, 31 and 32)', async (t) => {
  const { rest, bring, owner, key } = await openShop(t)
  const { token: reader } = await bring('bob@example.com', 'reader')
  assert.equal((await rest('GET', '/api/checkouts', reader)).status, 200)
  const refused = await rest('POST', '/api/checkouts', reader, {})
  const { code, scope, role } = refused.json()
  assert.deepEqual([refused.status, code, scope, role], [403, 'missing_scope', 'checkout', 'reader'])
  const { token: developer } = await bring('dora@example.com', 'developer')
  const { scopes } = (await rest('POST', '/api/keys', developer, { name: 'Mine' })).json<{ scopes: string[] }>()
  assert.ok(scopes.includes('webhooks') && !scopes.includes('keys'))
  for (const credential of [owner, key]) {
    const { text } = await rest('GET', '/api/activity.csv?kind=member', credential)
    assert.match(text, /owner@example\.com,invited bob@example\.com as reader,member\.invited,/)
  }
})

test('an invitation is for its address alone, and once; a manager makes no owner, the last owner stays, and who is removed is out at once (contract 5, rules 28 to 30)', async (t) => {
  const { ctx, rest, invite, bring, owner } = await openShop(t)
  const [before, id] = [await invite('ann@example.com', 'reader'), await invite('ann@example.com', 'developer')]
  await assert.rejects(acceptInvitation(ctx, { email: 'ann@example.com', id: before }))
  await assert.rejects(acceptInvitation(ctx, { email: 'eve@example.com', id }))
  await acceptInvitation(ctx, { email: 'ann@example.com', id })
  await assert.rejects(acceptInvitation(ctx, { email: 'ann@example.com', id }))
  const bob = await bring('bob@example.com', 'manager')
  const { members } = (await rest('GET', '/api/members', owner)).json<{ members: { id: string; role: string }[] }>()
  const first = members.find(({ role }) => role === 'owner')!.id
  assert.equal((await rest('PUT', `/api/members/${bob.id}`, bob.token, { role: 'owner' })).status, 403)
  assert.equal((await rest('DELETE', `/api/members/${first}`, bob.token)).status, 403)
  assert.equal((await rest('DELETE', `/api/members/${first}`, owner)).status, 409)
  assert.equal((await rest('PUT', `/api/members/${first}`, owner, { role: 'reader' })).status, 409)
  assert.equal((await rest('DELETE', `/api/members/${bob.id}`, owner)).status, 200)
  assert.equal((await rest('GET', '/api/account', bob.token)).status, 401)
})

test('after a quarter of an hour a session makes no key and a key does (contract 5, rule 33)', async (t) => {
  const { clock, rest, owner, key } = await openShop(t)
  clock.advance(15 * 60_000 + 1)
  const stale = await rest('POST', '/api/keys', owner, { name: 'Late' })
  assert.deepEqual([stale.status, stale.json().code], [403, 'fresh_proof_required'])
  assert.equal((await rest('POST', '/api/keys', key, { name: 'Late' })).status, 201)
  // Payout addresses, webhook secrets and members cannot be changed in an unattended browser.
  for (const [method, path] of [
    ['DELETE', '/api/emails/x'],
    ['PUT', '/api/pos/x'],
    ['POST', '/api/pos/x/rotate'],
    ['PUT', '/api/links/x'],
    ['PUT', '/api/checkouts/x'],
    ['POST', '/api/webhooks/secret/rotate'],
    ['POST', '/api/webhook-endpoints'],
    ['POST', '/api/webhook-endpoints/x/rotate'],
    ['POST', '/api/checkouts/x/refunds'],
    ['POST', '/api/members'],
    ['POST', '/api/accounts/x/erase'],
    ['GET', '/api/accounts/x/export'],
  ] as const) {
    const { status, json } = await rest(method, path, owner)
    assert.deepEqual([status, json().code], [403, 'fresh_proof_required'], `${method} ${path}`)
  }
})
