import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openStore as openWith } from '../../src/infra/db/open.ts'
import { MIGRATIONS, openStore } from '../../src/store/schema.ts'
import { TestClock } from '../support/clock.ts'
import { createDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const RELEASED = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0018'))

// A gateway of the previous version keeps running while the first new one migrates the schema. If each waited for the other's locks, PostgreSQL would
// abort one of them: a request, or the migration.
test('postgres: a change of the schema steps back from tables that a request holds, and is made when it has ended', async (t) => {
  const url = await createDatabase()
  const old = await openWith(url, new TestClock(), { migrations: RELEASED })
  t.after(() => old.close())
  const isWaiting = async () => {
    const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock'`.execute(old.db)
    return rows.length > 0
  }
  let opening: ReturnType<typeof openStore> | undefined
  await old.db.transaction().execute(async (request) => {
    // Of two tables that migration 0020 changes, lock first the one that it changes last.
    await sql`update watched_addresses set address = address`.execute(request)
    opening = openStore(url, new TestClock())
    opening.catch(() => undefined)
    await until(isWaiting)
    await sql`update checkouts set title = title`.execute(request)
  })
  const store = await opening!
  t.after(() => store.close())
  assert.deepEqual(await store.db.selectFrom('passkeys').selectAll().execute(), [])
})
