import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Raw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { revokeKey } from '../../src/modules/accounts/index.ts'
import { openDevnet } from '../support/devnet.ts'
import { give } from '../support/blocks.ts'
import { ask, openGateway, sharedKeys } from '../support/gateway.ts'
import { createDatabase } from '../support/postgres.ts'
import { sharedRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

const ALICE = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'

/* Two gateways on one PostgreSQL, one Redis and one node must act as one. */
test('two instances share limits, sessions, keys, jobs and invalidations', async (t) => {
  const devnet = await openDevnet(t)
  const { url: redis } = await sharedRedis()
  const env = {
    ...sharedKeys(),
    DATABASE_URL: await createDatabase(),
    REDIS_URL: redis,
    NODE_URLS: devnet.rpcUrl,
    NODE_WS_URLS: devnet.wsUrl,
    NODE_NETWORK: 'dev',
    LIMIT_FREE_PER_MINUTE: '120',
  }
  const first = await openGateway(t, env)
  const second = await openGateway(t, env)

  // The store has one administrator, made by the gateway that started first.
  const key = first.app.createdKey!
  assert.equal(second.app.createdKey, undefined)
  const headers = { authorization: `Bearer ${key}` }

  // Sessions: a sign-in link requested at one is used at the other, and its session works at the first.
  const json = { 'content-type': 'application/json' }
  const body = JSON.stringify({ email: 'alice@example.com' })
  await ask(`${first.url}/api/sign-in/request`, { headers: json, body })
  const { db } = first.app.store
  const mails = () => db.selectFrom('mails').select('text').execute()
  await until(async () => (await mails()).length > 0)
  assert.equal((await mails()).length, 1, 'one job, one mail, whichever instance ran it')
  const token = /#(\w+)/.exec((await mails())[0]!.text)![1]
  const signedIn = await ask(`${second.url}/api/sign-in`, { headers: json, body: JSON.stringify({ token }) })
  const session = signedIn.json().token
  const account = await ask(`${first.url}/api/account`, {
    method: 'GET',
    headers: { authorization: `Bearer ${session}` },
  })
  assert.equal(account.status, 200)

  // Limits: together they allow what one account may use, plus or minus a lease.
  const statuses: number[] = []
  const startedAt = performance.now()
  for (let at = 0; at < 160; at++) {
    const gateway = at % 2 === 0 ? first : second
    statuses.push((await gateway.call('account_key', { account: ALICE }, headers)).status)
  }
  const allowed = statuses.filter((status) => status === 200).length
  // Two more each second, however long the requests take.
  const earned = 2 * ((performance.now() - startedAt) / 1000)
  // If Redis is too slow on a busy machine, each gateway grants half of the limit alone, and logs it.
  const alone = [first, second].filter((gateway) => gateway.log().includes('limits_degraded')).length
  const most = 130 + earned + 60 * alone
  const told = `${allowed} of 160 requests were let through, ${earned} earned, ${alone} on their own`
  assert.ok(allowed >= 110 && allowed <= most, told)

  // A block published by one instance must not leave old answers in the other's cache; here the ledger's own event arrives too.
  const before = await second.call('account_balance', { account: ALICE })
  assert.equal(before.json().receivable, '0')
  await give(devnet.node, fromAddress(ALICE)!, 5n as Raw)
  await until(async () => (await second.call('account_balance', { account: ALICE })).json().receivable === '5')

  // Keys: revoked at one, refused by the other at once, not only when its cache expires.
  const { id: keyId, account_id: accountId } = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('start', '=', key.slice(0, 12))
    .executeTakeFirstOrThrow()
  const hash = await revokeKey(first.ctx, { accountId, keyId, actor: OPERATOR })
  first.app.store.notices.publish('key', hash)
  await until(async () => (await second.call('version', {}, headers)).status === 401)
  assert.equal((await first.call('version', {}, headers)).status, 401)
})
