import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openStore } from '../../src/schema.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { TestClock } from './clock.ts'
import { createDatabase } from './postgres.ts'

/*
 * Stores as they are after their first opening, with every table and no row. Most tests begin with one, and a copy takes a
 * fraction of the time that making the tables takes.
 */

let sqlite: Promise<string> | undefined
let postgres: Promise<string> | undefined

async function makeSqlite(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-empty-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const store = await openStore(`sqlite:${join(folder, 'first.db')}`, new TestClock())
  const file = join(folder, 'empty.db')
  await store.backup(file)
  await store.close()
  return file
}

async function makePostgres(): Promise<string> {
  const url = await createDatabase()
  const store = await openStore(url, new TestClock())
  await store.close()
  return new URL(url).pathname.slice(1)
}

/** Puts an empty store into a file that is not there yet. */
export async function layEmptyStore(file: string): Promise<void> {
  copyFileSync(await (sqlite ??= makeSqlite()), file)
}

/** The address of an empty store of the test's own. */
export async function emptyUrl(t: TestContext, engine: StoreEngine): Promise<string> {
  if (engine === 'postgres') return createDatabase(await (postgres ??= makePostgres()))
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-store-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'gateway.db')
  await layEmptyStore(file)
  return `sqlite:${file}`
}
