import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { TestClock } from '../support/clock.ts'
import { openGateway } from '../support/gateway.ts'

/** Work that was made before costs nothing, so each needs a root of its own. */
const newWork = () => ({ hash: randomBytes(32).toString('hex') })

/** Its clock stands still: nobody earns a request while the test takes its time. */
const openLimited = (t: TestContext) => openGateway(t, { LIMIT_ANONYMOUS_PER_MINUTE: '3' }, new TestClock())

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

test('work for strangers is limited by address and a failure gives it back (contract 8, rules 4 and 7)', async (t) => {
  const gateway = await openGateway(t, { FREE_WORK_ANONYMOUS_PER_HOUR: '1' })
  const statuses: number[] = []
  for (let at = 0; at < 3; at++) statuses.push((await gateway.call('work_generate', newWork())).status)
  assert.deepEqual(statuses, [200, 429, 429])
  const dead = await openGateway(t, { FREE_WORK_ANONYMOUS_PER_HOUR: '1', NODE_URLS: 'http://127.0.0.1:1' })
  for (let at = 0; at < 3; at++) assert.equal((await dead.call('work_generate', newWork())).status, 503)
})

test('usage is counted by day and action, once, also when the gateway stops right after', async (t) => {
  const gateway = await openGateway(t, {}, new TestClock())
  const { accountId, headers } = await gateway.join()
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
  const { grant, issue, headers: own } = await gateway.join()
  await grant(3)
  const origin = 'https://shop.example'
  const text = await issue('public', [origin])
  const headers = { authorization: `Bearer ${text}`, origin }
  const first = await gateway.call('work_generate', newWork(), headers)
  assert.deepEqual([first.status, first.json<Record<string, unknown>>().credits], [200, 0])
  assert.equal((await gateway.call('work_generate', newWork(), headers)).status, 429)
  const credits = await gateway.call('rpc_credits', {}, own)
  assert.equal(credits.json<Record<string, unknown>>().credits, 3)
})
