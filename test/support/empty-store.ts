import type { TestContext } from 'node:test'
import { PostgresHosts } from '../../src/infra/db/postgres-hosts.ts'
import { openStore } from '../../src/store/schema.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { TestClock } from './clock.ts'
import { createDatabase } from './postgres.ts'
import { emptyFileUrl } from './sqlite-store.ts'

/*
 * Stores as they are after their first opening, with every table and no row. Most tests begin with one, and a copy takes a
 * fraction of the time that making the tables takes.
 */

let postgres: Promise<string> | undefined

async function makePostgres(): Promise<string> {
  const url = await createDatabase()
  // Through a pooler, connections would stay, and a database with connections cannot be copied.
  const store = await openStore(new PostgresHosts(url).direct ?? url, new TestClock())
  await store.close()
  return new URL(url).pathname.slice(1)
}

/** The address of an empty store of the test's own. */
export async function emptyUrl(t: TestContext, engine: StoreEngine): Promise<string> {
  if (engine === 'postgres') return createDatabase(await (postgres ??= makePostgres()))
  return emptyFileUrl(t)
}
