import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import { openIds } from '../../src/infra/ids.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { systemRandom } from '../../src/infra/random.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { createAccount, grantCredits, issueKey } from '../../src/modules/accounts/index.ts'
import { type Gateway, openGateway } from '../support/gateway.ts'

/** Work that was made before costs nothing, so each needs a root of its own. */
const newWork = () => ({ hash: randomBytes(32).toString('hex') })

/** A customer of a gateway, and what the gateway's own verbs need to make one. */
async function openCustomer({ app }: Gateway) {
  const ctx: StoreCtx = {
    db: app.store.db,
    clock: systemClock,
    random: systemRandom,
    ids: openIds(systemRandom),
    wakeJobs: () => undefined,
  }
  const { id: accountId } = await createAccount(ctx, { email: null, role: 'user', actor: 'test' })
  const { text } = await issueKey(ctx, { accountId, kind: 'secret', name: 'test', actor: 'test' })
  return { ctx, accountId, headers: { authorization: `Bearer ${text}` } }
}

const openLimited = (t: TestContext) => openGateway(t, { LIMIT_ANONYMOUS_PER_MINUTE: '3' })

test('a caller over the limit is told when to come back, with every header a page needs (contract 8, rule 3; 7, Status codes: 429; 7, Texts and codes: over a limit; 7, Body: retry_after)', async (t) => {
  const gateway = await openLimited(t)
  for (const remaining of ['2', '1', '0']) {
    const { status, headers } = await gateway.call('version')
    assert.equal(status, 200)
    assert.equal(headers['ratelimit-limit'], '3')
    assert.equal(headers['ratelimit-remaining'], remaining)
  }
  const refused = await gateway.call('version')
  assert.equal(refused.status, 429)
  assert.equal(refused.headers['access-control-allow-origin'], '*')
  const body = refused.json<Record<string, unknown>>()
  assert.equal(body.error, 'Too many requests.')
  assert.equal(String(body.retry_after), refused.headers['retry-after'])
  assert.ok(Number(body.retry_after) >= 1)
})

test('an answer from memory counts like any other', async (t) => {
  const gateway = await openLimited(t)
  const statuses: number[] = []
  for (let at = 0; at < 5; at++) statuses.push((await gateway.call('block_count')).status)
  assert.deepEqual(statuses, [200, 200, 200, 429, 429])
})

test('keys cannot be tried for nothing: a wrong one counts against its address', async (t) => {
  const gateway = await openLimited(t)
  const statuses: number[] = []
  for (let at = 0; at < 5; at++) statuses.push((await gateway.call('version', { key: `wrong ${at}` })).status)
  assert.deepEqual(statuses, [401, 401, 401, 429, 429])
})

test('what cannot be read counts against its address like any other request', async (t) => {
  const gateway = await openLimited(t)
  const replies = [await gateway.post('{'), await gateway.call('no_such_action'), await gateway.post('[]')]
  assert.deepEqual(
    replies.map(({ status, headers }) => [status, headers['ratelimit-remaining']]),
    [
      [400, '2'],
      [400, '1'],
      [400, '0'],
    ],
  )
  assert.equal((await gateway.post('{')).status, 429)
})

test('the limits of the contract are the defaults, and every answer tells them (contract 8, rules 1 and 2; 8, Plans)', () => {
  const { limitAnonymousPerMinute, limitAnonymousConcurrency, freeWorkAnonymousPerHour } = loadConfig({})
  assert.deepEqual([limitAnonymousPerMinute, limitAnonymousConcurrency, freeWorkAnonymousPerHour], [60, 10, 5])
})

test('an account has its own limit, whatever its address has used (contract 5, rule 2; 8, rule 4)', async (t) => {
  const gateway = await openLimited(t)
  const { headers } = await openCustomer(gateway)
  for (let at = 0; at < 4; at++) await gateway.call('version')
  const reply = await gateway.call('version', {}, headers)
  assert.equal(reply.status, 200)
  assert.equal(reply.headers['ratelimit-limit'], '600')
})

test('an account without credits gets its free work and is then told what to buy (contract 8, Plans: free key; 8, rule 10; 7, Texts and codes: metered action without credits)', async (t) => {
  const gateway = await openGateway(t, { FREE_WORK_PER_HALF_HOUR: '2' })
  const { headers } = await openCustomer(gateway)
  for (let at = 0; at < 2; at++) {
    const { status, json } = await gateway.call('work_generate', newWork(), headers)
    assert.equal(status, 200)
    assert.equal(json<Record<string, unknown>>().credits, 0)
  }
  const refused = await gateway.call('work_generate', newWork(), headers)
  assert.equal(refused.status, 403)
  assert.equal(refused.json().code, 'insufficient_credits')
  assert.match(refused.json().error!, /buy_rpc/)
})

test('an account with credits pays one for each work, and reads what is left and what it used (contract 8, Plans: prepaid; 8, rule 8; 4.1, Keys and credits: rpc_credits)', async (t) => {
  const gateway = await openGateway(t)
  const { ctx, accountId, headers } = await openCustomer(gateway)
  await grantCredits(ctx, { accountId, amount: 3, reason: 'test', reference: 'test:1', actor: 'test' })
  const { json } = await gateway.call('work_generate', newWork(), headers)
  assert.equal(json<Record<string, unknown>>().credits, 1)
  const credits = await gateway.call('rpc_credits', {}, headers)
  assert.equal(credits.json<Record<string, unknown>>().credits, 2)
  assert.equal(credits.json<Record<string, unknown>>().plan, 'prepaid')
})

// Contract 8: a failed call is not charged.
test('work that nobody could make costs nothing (contract 8, rule 7; 3, rule 16)', async (t) => {
  const gateway = await openGateway(t, { NODE_URLS: 'http://127.0.0.1:1' })
  const { ctx, accountId, headers } = await openCustomer(gateway)
  await grantCredits(ctx, { accountId, amount: 1, reason: 'test', reference: 'test:2', actor: 'test' })
  assert.equal((await gateway.call('work_generate', newWork(), headers)).status, 503)
  const credits = await gateway.call('rpc_credits', {}, headers)
  assert.equal(credits.json<Record<string, unknown>>().credits, 1)
})

test('work for strangers is limited by address and a failure gives it back (contract 8, Plans: anonymous; 8, rule 4)', async (t) => {
  const gateway = await openGateway(t, { FREE_WORK_ANONYMOUS_PER_HOUR: '1' })
  const statuses: number[] = []
  for (let at = 0; at < 3; at++) statuses.push((await gateway.call('work_generate', newWork())).status)
  assert.deepEqual(statuses, [200, 429, 429])
  const dead = await openGateway(t, { FREE_WORK_ANONYMOUS_PER_HOUR: '1', NODE_URLS: 'http://127.0.0.1:1' })
  for (let at = 0; at < 3; at++) assert.equal((await dead.call('work_generate', newWork())).status, 503)
})

test('usage is counted by day and action, once, also when the gateway stops right after', async (t) => {
  const gateway = await openGateway(t)
  const { accountId, headers } = await openCustomer(gateway)
  for (let at = 0; at < 5; at++) await gateway.call('version', {}, headers)
  const { store } = gateway.app
  await gateway.app.usage.flush()
  await gateway.app.usage.flush()
  const rows = await store.db.selectFrom('usage_days').selectAll().where('account_id', '=', accountId).execute()
  assert.deepEqual(
    rows.map(({ action, count }) => [action, count]),
    [['version', 5]],
  )
})

// A public key stands in the page of a shop, where everybody can read it.
test('a public key spends neither the credits nor the free work of its account', async (t) => {
  const gateway = await openGateway(t, { FREE_WORK_ANONYMOUS_PER_HOUR: '1' })
  const { ctx, accountId, headers: own } = await openCustomer(gateway)
  await grantCredits(ctx, { accountId, amount: 3, reason: 'test', reference: 'test:3', actor: 'test' })
  const origin = 'https://shop.example'
  const { text } = await issueKey(ctx, { accountId, kind: 'public', name: 'page', origins: [origin], actor: 'test' })
  const headers = { authorization: `Bearer ${text}`, origin }
  const first = await gateway.call('work_generate', newWork(), headers)
  assert.deepEqual([first.status, first.json<Record<string, unknown>>().credits], [200, 0])
  assert.equal((await gateway.call('work_generate', newWork(), headers)).status, 429)
  const credits = await gateway.call('rpc_credits', {}, own)
  assert.equal(credits.json<Record<string, unknown>>().credits, 3)
})
