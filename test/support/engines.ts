import { join } from 'node:path'
import { type TestContext, describe } from 'node:test'
import type { Store } from '../../src/infra/db/open.ts'
import { openStore } from '../../src/store/schema.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { TestClock } from './clock.ts'
import { emptyUrl } from './empty-store.ts'
import { createDatabase } from './postgres.ts'
import { toStoreCtx } from './sqlite-store.ts'
import { openFolder } from './folder.ts'

const ALL_ENGINES: readonly StoreEngine[] = ['sqlite', 'postgres']
/** Both, or in a local run the one drawn for the suite. */
export const ENGINES = ALL_ENGINES.filter((engine) => engine === (process.env.TEST_ENGINE ?? engine))

export interface OpenedStore {
  url: string
  store: Store
  clock: TestClock
  ctx: StoreCtx
  /** Another instance on the same data, with the same clock. */
  openAnother(): Promise<Omit<OpenedStore, 'openAnother'>>
}

/** The URL of a store that does not exist yet. */
export async function freshUrl(t: TestContext, engine: StoreEngine): Promise<string> {
  if (engine === 'postgres') return createDatabase()
  const folder = openFolder(t)
  return `sqlite:${join(folder, 'gateway.db')}`
}

/** An empty store that is closed and deleted when the test ends. */
export async function openFresh(t: TestContext, engine: StoreEngine): Promise<OpenedStore> {
  const url = await emptyUrl(t, engine)
  const clock = new TestClock()
  const open = async () => {
    const store = await openStore(url, clock)
    t.after(() => store.close())
    return { url, store, clock, ctx: toStoreCtx(store, clock) }
  }
  return { ...(await open()), openAnother: open }
}

/** Defines the same suite for SQLite and PostgreSQL. Its tests mostly wait for the disk, so some run in parallel. */
export function forEachEngine(
  define: (engine: StoreEngine, openFreshStore: (t: TestContext) => Promise<OpenedStore>) => void,
): void {
  for (const engine of ENGINES) {
    describe(engine, { concurrency: 4 }, () => define(engine, (t) => openFresh(t, engine)))
  }
}

/** The file of an SQLite store's URL. */
export const fileOf = (url: string) => url.slice('sqlite:'.length)
