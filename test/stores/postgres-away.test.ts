import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '../../src/config/config.ts'
import { JobRunner } from '../../src/infra/jobs/runner.ts'
import { countJobs } from '../../src/infra/jobs/queue.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { enqueue } from '../../src/kernel/job.ts'
import { openStore } from '../../src/store/schema.ts'
import { openReporter } from '../failures/reported.ts'
import { makeCertificate } from '../gallery/tls-front.ts'
import { openFolder } from '../support/folder.ts'
import { openGateway, sharedKeys } from '../support/gateway.ts'
import { PostgresServer, query } from '../support/postgres.ts'
import { assertNobodyWoken, beginSales } from '../support/sales.ts'
import { toStoreCtx } from '../support/sqlite-store.ts'
import { until } from '../support/until.ts'

/* A server that restarts or fails over, as in every upgrade: requests are retried, and no operator is alerted. */

async function startServer(t: TestContext, ...settings: string[]): Promise<PostgresServer> {
  const server = await PostgresServer.create()
  t.after(() => server.remove())
  await server.start(...settings)
  return server
}

async function configure({ url }: PostgresServer, setting: string): Promise<void> {
  await query(`${url}/postgres`, `alter system set ${setting}`)
  await query(`${url}/postgres`, 'select pg_reload_conf()')
}

test('PostgreSQL restarted, callers got 500 internal_error and money alarms were raised: callers get 503 and retry, and nothing is lost or made twice', async (t) => {
  const server = await startServer(t)
  await query(`${server.url}/postgres`, 'create database gateway')
  const url = `${server.url}/gateway`
  const gateway = await openGateway(t, { DATABASE_URL: url, ...sharedKeys() })
  const sales = await beginSales(gateway)
  for (const mode of ['fast', 'immediate'] as const) {
    await sales.more()
    await server.stop(mode)
    await sales.missed()
    await server.start()
  }
  await sales.more()
  await sales.stop()
  assert.deepEqual(sales.wrong, [])
  const kept = (await query(url, 'select id from checkouts')) as { id: string }[]
  assert.deepEqual(new Set(kept.map(({ id }) => id)), sales.made)
  assert.match(
    gateway.log(),
    /"code":"store_unavailable".*"reason":"(connect ECONNREFUSED|Connection terminated|terminating connection)/,
  )
  await assertNobodyWoken(gateway, url)
  t.diagnostic(`${sales.made.size} sales, ${sales.away} times away`)
})

test('after a failover every write failed until each gateway was restarted: the next server of the address is used once it takes writes', async (t) => {
  const first = await startServer(t, 'synchronous_standby_names=*', 'synchronous_commit=on')
  // The process that creates the database waits for a second server.
  const second = await first.follow()
  t.after(() => second.remove())
  await second.start()
  await query(`${first.url}/postgres`, 'create database gateway')
  const hosts = [first, second].map(({ url }) => new URL(url).host)
  const DATABASE_URL = `postgres://postgres@${hosts.join()}/gateway?target_session_attrs=read-write`
  const gateway = await openGateway(t, { DATABASE_URL, ...sharedKeys() })
  const sales = await beginSales(gateway)
  await sales.more()
  await first.crash()
  await sales.missed()
  second.promote()
  await configure(second, `synchronous_standby_names = ''`)
  await sales.more()
  // The server stays up but refuses writes, like one that was replaced, or one that stops before its disk is full.
  await configure(second, 'default_transaction_read_only = on')
  await sales.missed()
  await configure(second, 'default_transaction_read_only = off')
  await sales.more()
  await sales.stop()
  assert.deepEqual(sales.wrong, [])
  const kept = (await query(`${second.url}/gateway`, 'select id from checkouts')) as { id: string }[]
  assert.deepEqual(new Set(kept.map(({ id }) => id)), sales.made)
  await assertNobodyWoken(gateway, `${second.url}/gateway`)
})

test('a job was dead because its store restarted while it ran: it is given back, and its attempts are not counted', async (t) => {
  const server = await startServer(t)
  const url = `${server.url}/postgres`
  const store = await openStore(url, systemClock)
  t.after(() => store.close())
  const reporter = openReporter()
  const outcomes: string[] = []
  let runs = 0
  const runner = new JobRunner({
    ...toStoreCtx(store, systemClock),
    engine: store.engine,
    failures: reporter,
    onOutcome: ({ outcome }) => void outcomes.push(outcome),
    jobs: [
      {
        kind: 'money',
        money: true,
        attemptsMax: 1,
        concurrencyMax: 1,
        leaseMilliseconds: 60_000,
        async run() {
          if (++runs > 2) return
          await server.crash()
          // The store goes down before the job's result is recorded, so the result is unknown.
          void until(() => reporter.lines().length >= runs).then(() => server.start())
          await store.ping()
        },
      },
    ],
  })
  t.after(() => runner.stop())
  await enqueue(toStoreCtx(store, systemClock), { kind: 'money', payload: {}, attemptsMax: 1 })
  await runner.start()
  await until(() => outcomes.includes('done'))
  assert.deepEqual(outcomes, ['given_back', 'given_back', 'done'])
  assert.deepEqual(await countJobs(store.db), [{ kind: 'money', status: 'done', count: 1 }])
  assert.ok(
    reporter.lines().every(({ kind }) => kind === 'outage'),
    JSON.stringify(reporter.lines()),
  )
})

test('a store reached over TLS is the one whose certificate the operator named, and no other', async (t) => {
  const [own, strange] = [openFolder(t), openFolder(t)]
  const server = await PostgresServer.create()
  t.after(() => server.remove())
  for (const folder of [own, strange]) makeCertificate(folder)
  server.give(own)
  await server.start('ssl=on', `ssl_cert_file=${own}/cert.pem`, `ssl_key_file=${own}/key.pem`)
  const urlWith = (folder: string) => `${server.url}/postgres?sslmode=verify-full&sslrootcert=${folder}/cert.pem`
  const store = await openStore(urlWith(own), systemClock)
  t.after(() => store.close())
  const { rows } = await sql<object>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(store.db)
  assert.deepEqual(rows, [{ ssl: true }])
  await assert.rejects(openStore(urlWith(strange), systemClock), /could not be brought up to date: .*certificate/)
})

test('what is wrong with the address of a store is found before anything connects', () => {
  const read = (url: string) => readConfig({ DATABASE_URL: url }).wrong.join()
  for (const url of ['one', 'one:5432,two:5433', '', 'user:secret@%2Frun%2Fpostgres', 'user@', '[::1]:5432']) {
    assert.equal(read(`postgres://${url}/gateway?sslmode=verify-full&target_session_attrs=primary`), '', url)
  }
  for (const [url, wrong] of [
    ['postgres://one:port/gateway', /must be like postgres/],
    ['postgres://one/gateway?target_session_attrs=standby', /target_session_attrs as one of any, read-write, primary/],
    ['postgres://one/gateway?sslmode=on', /sslmode as one of disable,/],
  ] as const) {
    assert.match(read(url), wrong)
  }
})
