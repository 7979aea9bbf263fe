import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGateway, sharedKeys } from '../support/gateway.ts'
import { Patroni } from '../support/patroni.ts'
import { query } from '../support/postgres.ts'
import { assertNobodyWoken, beginSales } from '../support/sales.ts'
import { until } from '../support/until.ts'

/* A cluster as operators run it: Patroni decides which server accepts writes, and the gateway only knows all addresses. */

test('the primary died while customers paid: the promoted one was found, each was credited once, and no alarm was raised', async (t) => {
  const cluster = await Patroni.start(t)
  await query(`${cluster.urlOf('one')}/postgres`, 'create database gateway')
  const DATABASE_URL = `postgres://postgres@${cluster.hosts}/gateway?target_session_attrs=read-write`
  const gateway = await openGateway(t, { DATABASE_URL, ...sharedKeys() })
  const sales = await beginSales(gateway, { pays: true })
  await sales.more()
  await cluster.killMember('one')
  await sales.missed()
  await sales.more()
  // It returns as the standby and becomes primary again in a switchover.
  cluster.startMember('one')
  await cluster.untilRole('one', 'sync_standby')
  await sales.more()
  await cluster.switchover('two', 'one')
  await cluster.untilRole('one', 'leader')
  await sales.more()
  await sales.stop()
  assert.deepEqual(sales.wrong, [])

  const url = `${cluster.urlOf('one')}/gateway`
  const count = async (of: string) => (await query(url, `select count(*)::int as count from ${of}`))[0]
  const all = { count: sales.made.size }
  assert.deepEqual(await count('checkouts'), all)
  const isPaid = async () =>
    (await query(url, `select 1 from checkouts where status <> 'complete' limit 1`)).length === 0
  await until(isPaid)
  assert.deepEqual(await count(`events where type = 'payment.completed'`), all)
  assert.deepEqual(await count('checkout_payments'), all)
  await assertNobodyWoken(gateway, url)
  t.diagnostic(`${sales.made.size} sales, ${sales.away} times away`)
})
