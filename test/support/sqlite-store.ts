import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Store } from '../../src/infra/db/open.ts'
import { openIds } from '../../src/infra/random.ts'
import { toAccountNotice } from '../../src/kernel/account-notice.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import type { Clock } from '../../src/kernel/ports.ts'
import { openStore } from '../../src/store/schema.ts'
import { TestClock } from './clock.ts'
import { receiveFailures } from './failures.ts'
import { openFolder } from './folder.ts'
import { testRandom } from './random.ts'

/* SQLite stores for tests without a server: tests that import `postgres.ts` are not part of `npm run test:quick`. */

let empty: Promise<string> | undefined

/** Made once and copied, which is much faster than creating the tables. */
async function makeEmpty(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-empty-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const store = await openStore(`sqlite:${join(folder, 'first.db')}`, new TestClock())
  const file = join(folder, 'empty.db')
  await store.backup(file)
  await store.close()
  return file
}

/** Writes an empty store to a file that does not exist yet. */
export async function layEmptyStore(file: string): Promise<void> {
  copyFileSync(await (empty ??= makeEmpty()), file)
}

/** The URL of a test's own empty store. */
export async function emptyFileUrl(t: TestContext): Promise<string> {
  const folder = openFolder(t)
  const file = join(folder, 'gateway.db')
  await layEmptyStore(file)
  return `sqlite:${file}`
}

/** A store as modules have it. */
export function toStoreCtx({ db, notices }: Pick<Store, 'db' | 'notices'>, clock: Clock): StoreCtx {
  const wakeJobs = () => notices.publish('jobs', '')
  const notifyAccount: StoreCtx['notifyAccount'] = (accountId, about) =>
    notices.publish(...toAccountNotice({ accountId, about }))
  return {
    db,
    clock,
    random: testRandom,
    ids: openIds(testRandom),
    wakeJobs,
    notifyAccount,
    failures: receiveFailures(),
  }
}

/** An empty store in a file, closed and deleted when the test ends. */
export async function openFile(t: TestContext): Promise<{ ctx: StoreCtx; clock: TestClock }> {
  const clock = new TestClock()
  const store = await openStore(await emptyFileUrl(t), clock)
  t.after(() => store.close())
  return { ctx: toStoreCtx(store, clock), clock }
}
