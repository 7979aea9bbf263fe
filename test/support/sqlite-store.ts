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

/* A store in a file, for tests that need no server: what loads `postgres.ts` is none of `npm run test:quick`. */

let empty: Promise<string> | undefined

/** As a store is after its first opening: a copy takes a fraction of the time that making the tables takes. */
async function makeEmpty(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-empty-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const store = await openStore(`sqlite:${join(folder, 'first.db')}`, new TestClock())
  const file = join(folder, 'empty.db')
  await store.backup(file)
  await store.close()
  return file
}

/** Puts an empty store into a file that is not there yet. */
export async function layEmptyStore(file: string): Promise<void> {
  copyFileSync(await (empty ??= makeEmpty()), file)
}

/** The address of an empty store of the test's own. */
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

/** An empty store in a file, closed and forgotten when the test ends. */
export async function openFile(t: TestContext): Promise<{ ctx: StoreCtx; clock: TestClock }> {
  const clock = new TestClock()
  const store = await openStore(await emptyFileUrl(t), clock)
  t.after(() => store.close())
  return { ctx: toStoreCtx(store, clock), clock }
}
