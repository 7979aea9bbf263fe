import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grantCredits } from '../../src/modules/accounts/domain/credits.ts'
import { openRoutes } from '../support/mounted-routes.ts'
import { dumpStore } from '../support/dump-store.ts'

/* Accounts and keys in the REST API, under /api. */

interface ErrorBody {
  error: string
  message: string
  code: string
  field?: string
}

test('400 names the field that is wrong, and nothing was made', async (t) => {
  const world = await openRoutes(t)
  const { key, keyId } = await world.join('a@example.com')
  const headers = { key }
  const before = await dumpStore(world.store.db)
  const shop = 'https://shop.example'
  // src/modules/accounts/wire-fields.test.ts tests all wrong values of each field.
  const wrong: [string, unknown, string][] = [
    ['/api/sign-in/request', {}, 'email'],
    ['/api/sign-in/request', { email: 7 }, 'email'],
    ['/api/sign-in/request', { email: 'nobody' }, 'email'],
    ['/api/sign-in', {}, 'token'],
    ['/api/sign-in', { token: ['x'] }, 'token'],
    ['/api/keys', {}, 'name'],
    ['/api/keys', { name: 'x'.repeat(101) }, 'name'],
    ['/api/keys', { name: 'x', kind: 'admin' }, 'kind'],
    ['/api/keys', { name: 'x', kind: 'public', origins: shop }, 'origins'],
    ['/api/keys', { name: 'x', kind: 'public', origins: ['javascript://shop.example'] }, 'origins'],
    ['/api/keys', { name: 'x', kind: 'public', origins: Array(21).fill(shop) }, 'origins'],
    [`/api/keys/${keyId}/rotate`, { overlap_hours: 1e9 }, 'overlap_hours'],
  ]
  for (const [path, body, field] of wrong) {
    const reply = await world.ask('POST', path, { headers, body })
    assert.equal(reply.statusCode, 400, path)
    const { error, message, field: named } = reply.json<ErrorBody>()
    assert.deepEqual([named, message], [field, error], JSON.stringify(body))
  }
  for (const body of ['[]', '{', '"x"', '{"name": "x"', `{"name":${'['.repeat(30)}${']'.repeat(30)}}`]) {
    const reply = await world.ask('POST', '/api/keys', { headers, body })
    assert.deepEqual([reply.statusCode, reply.json<ErrorBody>().code], [400, 'invalid_json'], body)
  }
  const large = await world.ask('POST', '/api/keys', { headers, body: { name: 'x'.repeat(100_000) } })
  assert.deepEqual([large.statusCode, large.json<ErrorBody>().code], [413, 'body_too_large'])
  assert.deepEqual(await dumpStore(world.store.db), before)
})

test('200 credits and usage as rpc_credits tells them (contract 5, rule 7)', async (t) => {
  const world = await openRoutes(t)
  const { accountId, key } = await world.join('a@example.com')
  const read = async () => (await world.ask('GET', '/api/credits', { headers: { key } })).json<unknown>()
  assert.deepEqual(await read(), { credits: 0, plan: 'free', usage: {} })
  const grant = { accountId, amount: 1000, reason: 'test', reference: 'r', actor: OPERATOR }
  await grantCredits(world.ctx, grant)
  const row = { account_id: accountId, day: '2026-11-14', action: 'work_generate', count: 9 }
  await world.store.db.insertInto('usage_days').values(row).execute()
  const usage = { '2026-11-14': { work_generate: 9 } }
  assert.deepEqual(await read(), { credits: 1000, plan: 'prepaid', usage })
})

test('403 pages of administrators are closed to others', async (t) => {
  const world = await openRoutes(t)
  const user = await world.join('a@example.com')
  const admin = await world.join('root@example.com', 'admin')
  const { token } = await world.signIn('root@example.com')
  const refused = await world.ask('GET', '/api/jobs', { headers: { key: user.key } })
  assert.deepEqual([refused.statusCode, refused.json<ErrorBody>().code], [403, 'feature_disabled'])
  assert.equal((await world.ask('GET', '/api/jobs', { headers: { authorization: token } })).statusCode, 200)
  const see = async (path: string) =>
    (await world.ask('GET', path, { headers: { key: admin.key } })).json<Record<string, Record<string, unknown>[]>>()
  const { accounts } = await see('/api/accounts')
  assert.deepEqual(accounts!.map(({ email }) => email).sort(), ['a@example.com', 'root@example.com'])
  const { mails } = await see('/api/mails')
  assert.deepEqual([mails!.length, mails![0]!.recipient], [1, 'root@example.com'])
  const { jobs } = await see('/api/jobs?status=done')
  assert.ok(jobs!.some(({ kind, status }) => kind === 'accounts.mail-sign-in' && status === 'done'))
  assert.ok(jobs!.every((job) => !('payload' in job)))
  const wrong = await world.ask('GET', '/api/jobs?status=odd', { headers: { key: admin.key } })
  assert.deepEqual([wrong.statusCode, wrong.json<ErrorBody>().field], [400, 'status'])
})
