import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { readSeries } from '../failures/reported.ts'
import { Signer } from '../support/blocks.ts'
import { type Gateway, ask, openGateway, readMetrics, sharedKeys } from '../support/gateway.ts'
import { PostgresServer, query } from '../support/postgres.ts'
import { testRandom } from '../support/random.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'

/* On a full disk every sale once got 500, while load balancers and operators saw no problem. */

/** Order metadata that compresses badly, to fill the database's pages faster. */
const note = () => Buffer.from(testRandom.bytes(1_500)).toString('base64')

const sell = (gateway: Gateway) =>
  gateway.call('checkout', { address: new Signer(1).address, amount: '1', metadata: { note: note() } })
const isReady = ({ url }: Gateway) => ask(`${url}/health/ready`, { method: 'GET' })

async function assertHeals(gateway: Gateway, { fill, empty }: { fill(): unknown; empty(): unknown }): Promise<void> {
  const made = (await sell(gateway)).json().id!
  assert.deepEqual([(await isReady(gateway)).status, await readWritable(gateway)], [200, 1])
  await fill()
  let refused = await sell(gateway)
  // Fill the remaining space of the pages.
  for (; refused.status === 200;) refused = await sell(gateway)
  assert.deepEqual(
    [refused.status, refused.json().code, refused.headers['retry-after']],
    [503, 'store_unavailable', '10'],
  )
  const ready = await isReady(gateway)
  assert.deepEqual([ready.status, ready.json().reason], [503, 'the store takes no writes: disk full'])
  assert.match(gateway.log(), /"code":"store_unavailable".*"reason":"disk full: /)
  assert.equal(await readWritable(gateway), 0)
  const reads = [await gateway.call('block_count'), await ask(`${gateway.url}/check/${made}`, { method: 'GET' })]
  assert.deepEqual(
    reads.map(({ status }) => status),
    [200, 200],
    'reads go on',
  )
  await empty()
  await until(async () => (await isReady(gateway)).status === 200)
  assert.equal((await sell(gateway)).status, 200)
}

const readWritable = async (gateway: Gateway) =>
  Number(/^gateway_store_writable (\d)$/m.exec(await readMetrics(gateway))?.[1])

test('the disk of an SQLite store is full: 503 with the reason, not ready, still readable, and recovered once there is space', async (t) => {
  const disk = mountSmallDisk(t, 16)
  const gateway = await openGateway(t, {
    ...(disk && { DATABASE_URL: `sqlite:${join(disk.folder, 'gateway.db')}` }),
    CHECKOUT_OPEN_ANONYMOUS_MAX: '0',
  })
  const { db } = gateway.app.store
  const limit = (pages: number) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(db)
  await assertHeals(gateway, disk ?? { fill: () => limit(1), empty: () => limit(2 ** 32 - 2) })
  if (!disk) return
  const free = readSeries(await readMetrics(gateway), 'gateway_disk_free_bytes', { folder: 'store' })
  assert.ok(free! > 0 && free! < 16 * 2 ** 20, String(free))
})

test('the disk of PostgreSQL is full: the same', async (t: TestContext) => {
  const disk = mountSmallDisk(t, 64)
  if (!disk) return t.skip('this process may not mount a disk')
  const server = await PostgresServer.create()
  t.after(() => server.remove())
  server.give(disk.folder)
  await server.start()
  await query(`${server.url}/postgres`, `create tablespace small location '${disk.folder}'`)
  await query(`${server.url}/postgres`, 'create database gateway tablespace small')
  const DATABASE_URL = `${server.url}/gateway`
  const gateway = await openGateway(t, { DATABASE_URL, ...sharedKeys(), CHECKOUT_OPEN_ANONYMOUS_MAX: '0' })
  await assertHeals(gateway, disk)
})
