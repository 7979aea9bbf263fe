import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { copyStore } from '../../src/infra/db/copy.ts'
import { TABLES } from '../../src/store/schema.ts'
import type { Store } from '../../src/infra/db/open.ts'
import { capturedMailer } from '../../src/infra/mail/captured.ts'
import { inTx } from '../../src/kernel/in-tx.ts'
import { addAvailable } from '../../src/modules/accounts/credits-store.ts'
import { insertAccount } from '../../src/modules/accounts/store.ts'
import { openFresh } from '../support/engines.ts'
import { fill } from '../support/filled-store.ts'
import { until } from '../support/until.ts'

/** Not copied, because the target computes them while it is written; their partitions may differ. */
const COUNTED_BY_STORES = ['checkout_sums', 'checkout_paid_sums']

/** Every row of every table, in a canonical order. */
async function dump({ db }: Store): Promise<Record<string, string[]>> {
  const any = db as unknown as Kysely<Record<string, Record<string, unknown>>>
  const tables: Record<string, string[]> = {}
  for (const { name } of await db.introspection.getTables()) {
    const rows = await any.selectFrom(name).selectAll().execute()
    for (const row of rows) if (COUNTED_BY_STORES.includes(name)) delete row.part
    tables[name] = rows.map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))).sort()
  }
  return tables
}

test('a store copied to PostgreSQL and back holds the same rows in every table', async (t) => {
  const embedded = await openFresh(t, 'sqlite')
  const clustered = await openFresh(t, 'postgres')
  const back = await openFresh(t, 'sqlite')
  await fill(embedded.ctx)
  const before = await dump(embedded.store)
  const copied = await copyStore(embedded.store, clustered.store, TABLES)
  // A table missing from the copy would be lost silently.
  assert.deepEqual([...copied.map(({ table }) => table), ...COUNTED_BY_STORES].sort(), Object.keys(before).sort())
  for (const { table, rows } of copied) assert.ok(rows > 0, `${table} was tried with rows`)
  await copyStore(clustered.store, back.store, TABLES)
  assert.deepEqual(await dump(clustered.store), before)
  assert.deepEqual(await dump(back.store), before)
})

for (const [from, to] of [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const) {
  test(`${from} to ${to}: a copy that fails leaves the target as it was: one that held something, or an empty one, which can be filled`, async (t) => {
    const [source, target] = [await openFresh(t, from), await openFresh(t, to)]
    const { db } = target.store
    await fill(source.ctx)
    // Not in the first table, so that part of the copy is already written when it is found.
    await capturedMailer(db, target.clock).send({ id: 'mine', recipient: 'a@b', subject: 's', text: 't' })
    const before = await dump(target.store)
    await assert.rejects(copyStore(source.store, target.store, TABLES), /already holds rows in mails/)
    assert.deepEqual(await dump(target.store), before)
    await db.deleteFrom('mails').execute()
    await sql`create unique index only_one on mails (subject)`.execute(db)
    await assert.rejects(copyStore(source.store, target.store, TABLES))
    assert.deepEqual(Object.values(await dump(target.store)).flat(), [])
    await sql`drop index only_one`.execute(db)
    await copyStore(source.store, target.store, TABLES)
    assert.deepEqual(await dump(target.store), await dump(source.store))
  })

  test(`${from} to ${to}: a copy taken while others write is one moment of the source`, async (t) => {
    const source = await openFresh(t, from)
    const target = await openFresh(t, to)
    let written = 0
    const enough = new AbortController()
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let round = 0; !enough.signal.aborted; round++) {
        const id = `acc_${writer}_${round}`
        await inTx(source.ctx, async ({ db }) => {
          await insertAccount(db, { id, email: null, role: 'user', createdAt: 1 })
          await addAvailable(db, id, 1)
        })
        written++
      }
    })
    await until(() => written > 100)
    await copyStore(source.store, target.store, TABLES)
    enough.abort()
    await Promise.all(writers)
    const { accounts, credit_balances: balances } = await dump(target.store)
    assert.ok(accounts!.length > 0)
    assert.equal(accounts!.length, balances!.length)
  })
}
