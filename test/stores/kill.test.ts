import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openStore } from '../../src/store/schema.ts'
import { openIds } from '../../src/infra/random.ts'
import { JobRunner } from '../../src/infra/jobs/runner.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { Db } from '../../src/kernel/db.ts'
import { releaseExpired } from '../../src/modules/accounts/domain/credits.ts'
import { TestClock } from '../support/clock.ts'
import { assertCreditsBalance } from '../support/credits.ts'
import { fileOf, forEachEngine, freshUrl } from '../support/engines.ts'
import { SEED, SeededRandom, testRandom } from '../support/random.ts'
import { spawnWriter } from '../support/spawn-writer.ts'
import { writeMailOf } from '../support/store-writer-job.ts'
import { isThorough } from '../support/thorough.ts'
import { until } from '../support/until.ts'
import { receiveFailures } from '../support/failures.ts'

const KILLS = isThorough ? 15 : 6
const TOLD_MAX = 40
const random = new SeededRandom(SEED)
const DAY = 86_400_000

/** Kills one writer after another while it writes; returns everything that they reported as committed. */
async function killWriters(url: string): Promise<{ accounts: string[]; spent: string[] }> {
  const lines: string[] = []
  let next = spawnWriter(url)
  for (let kill = 1; kill <= KILLS; kill++) {
    const writer = next
    writer.start()
    if (kill < KILLS) next = spawnWriter(url)
    // The first tells enough that it has certainly spent something: its writers begin with an account or two each.
    lines.push(...(await writer.killAfter(kill === 1 ? TOLD_MAX : 1 + random.below(TOLD_MAX - 1))))
  }
  const told = (kind: string) => lines.filter((line) => line.startsWith(`${kind} `)).map((line) => line.split(' ')[1]!)
  return { accounts: told('account'), spent: told('spent') }
}

/** Runs the jobs that killed processes left, as the next process would. */
async function finishJobs(db: Db, engine: StoreEngine): Promise<void> {
  const clock = new TestClock(Date.now() + DAY)
  const ids = openIds(testRandom)
  const common = { failures: receiveFailures(), db, clock, random: testRandom, ids }
  const runner = new JobRunner({ ...common, engine, jobs: [writeMailOf(db)] })
  await runner.start()
  await until(async () => {
    runner.wake()
    const open = await db.selectFrom('jobs').select('id').where('status', '!=', 'done').limit(1).execute()
    return open.length === 0
  })
  await runner.stop()
  await releaseExpired({ ...common, wakeJobs: () => undefined, notifyAccount: () => undefined }, 10_000)
}

forEachEngine((engine) => {
  test(`a process killed ${KILLS} times loses nothing that was reported as committed, and leaves nothing half done`, async (t) => {
    const url = await freshUrl(t, engine)
    const told = await killWriters(url)
    assert.ok(told.accounts.length > KILLS && told.spent.length > 0)
    const store = await openStore(url, new TestClock(Date.now()))
    t.after(() => store.close())
    const { db } = store
    const list = async (table: 'accounts' | 'jobs' | 'mails') => db.selectFrom(table).selectAll().execute()

    await assertCreditsBalance(db)
    const accounts = new Set((await list('accounts')).map(({ id }) => id))
    const lost = told.accounts.filter((id) => !accounts.has(id))
    assert.deepEqual(lost, [], 'no account that was acknowledged is lost')
    const entries = await db.selectFrom('credit_entries').selectAll().execute()
    const references = new Set(entries.map(({ reference }) => reference))
    const forgotten = told.spent.filter((id) => !references.has(`reservation:${id}`))
    assert.deepEqual(forgotten, [], 'nothing spent is forgotten')

    const sorted = [...accounts].sort()
    const started = entries.filter(({ reference }) => reference.startsWith('start:')).map(({ account_id: id }) => id)
    assert.deepEqual(started.sort(), sorted, 'every account has its credits')
    const jobs = await list('jobs')
    assert.deepEqual(jobs.map(({ key }) => key!).sort(), sorted, 'every account has its job, once')
    const audited = await db
      .selectFrom('audit_entries')
      .select('account_id')
      .where('what', '!=', 'credits.spent')
      .execute()
    assert.deepEqual(audited.map(({ account_id: id }) => id!).sort(), sorted, 'every account has its audit row')
    const done = new Set((await list('mails')).map(({ id }) => id))
    const hollow = jobs.filter(({ status, key }) => status === 'done' && !done.has(key!))
    assert.deepEqual(hollow, [], 'no job is done without its work')

    await finishJobs(db, engine)
    assert.deepEqual((await list('mails')).map(({ id }) => id).sort(), sorted, 'every job was run in the end')
    const open = await db.selectFrom('credit_reservations').selectAll().where('status', '=', 'open').execute()
    assert.deepEqual(open, [], 'what the dead had set aside has returned')
    await assertCreditsBalance(db)
    t.diagnostic(`${told.accounts.length} accounts acknowledged, ${accounts.size} stored, ${told.spent.length} spent`)
    if (engine === 'sqlite') {
      const file = new DatabaseSync(fileOf(url), { readOnly: true })
      assert.deepEqual({ ...file.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
      file.close()
    }
  })
})
