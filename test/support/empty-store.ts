import type { TestContext } from 'node:test'
import { PostgresHosts } from '../../src/infra/db/postgres-hosts.ts'
import { openStore } from '../../src/store/schema.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { TestClock } from './clock.ts'
import { createDatabase } from './postgres.ts'
import { emptyFileUrl } from './sqlite-store.ts'

/* A template of an empty store. Most tests start with one, and copying it is much faster than creating the tables. */

let postgres: Promise<string> | undefined

async function makePostgres(): Promise<string> {
  const url = await createDatabase()
  // Through a pooler connections would stay open, and a database with connections cannot be copied.
  const store = await openStore(new PostgresHosts(url).direct ?? url, new TestClock())
  await store.close()
  return new URL(url).pathname.slice(1)
}

/** The URL of a test's own empty store. */
export async function emptyUrl(t: TestContext, engine: StoreEngine): Promise<string> {
  if (engine === 'postgres') return createDatabase(await (postgres ??= makePostgres()))
  return emptyFileUrl(t)
}
