/*
 * Measures both stores on this machine: durable transactions per second and look-ups of a key per second, for callers
 * that come alone or together. A transaction is a new account with its audit row, answered after its sync. Run it as
 * `npm run bench -- stores`; it needs PostgreSQL's programs and about half a minute, and cleans up after itself.
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/infra/clock.ts'
import { openStore } from '../src/schema.ts'
import { openIds } from '../src/infra/ids.ts'
import { systemRandom } from '../src/infra/random.ts'
import { hashApiKey } from '../src/kernel/api-key.ts'
import type { StoreCtx } from '../src/kernel/in-tx.ts'
import { createAccount, issueKey } from '../src/modules/accounts/index.ts'
import { findKeyByHash } from '../src/modules/accounts/store.ts'
import { createDatabase } from '../test/support/postgres.ts'
import { terminalFailures } from '../src/infra/failures.ts'

const CALLERS = [1, 32, 256]
const KEYS = 1_000
const SECONDS = 2

/** Runs an operation over and over from so many callers; answers how often per second, and how long one took. */
async function measure(callers: number, run: () => Promise<unknown>): Promise<{ perSecond: number; median: number }> {
  const times: number[] = []
  const started = performance.now()
  const end = started + SECONDS * 1000
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let begun = performance.now(); begun < end; begun = performance.now()) {
        await run()
        times.push(performance.now() - begun)
      }
    }),
  )
  const perSecond = (times.length / (performance.now() - started)) * 1000
  return { perSecond, median: times.sort((a, b) => a - b)[times.length >> 1]! }
}

function syncMilliseconds(folder: string): number {
  const file = openSync(join(folder, 'sync'), 'w')
  const rounds = 50
  const started = performance.now()
  for (let round = 0; round < rounds; round++) {
    writeSync(file, Buffer.alloc(4096))
    fsyncSync(file)
  }
  closeSync(file)
  return (performance.now() - started) / rounds
}

async function benchStore(name: string, url: string): Promise<string[]> {
  const store = await openStore(url, systemClock)
  const { db } = store
  const wakeJobs = () => undefined
  const ctx: StoreCtx = {
    db,
    clock: systemClock,
    random: systemRandom,
    ids: openIds(systemRandom),
    wakeJobs,
    failures: terminalFailures,
  }
  try {
    const account = () => createAccount(ctx, { email: null, role: 'user', actor: 'bench' })
    const issue = async () => {
      const { id: accountId } = await account()
      return issueKey(ctx, { accountId, kind: 'secret', name: 'bench', actor: 'bench' })
    }
    const issued = await Promise.all(Array.from({ length: KEYS }, issue))
    const hashes = issued.map(({ text }) => hashApiKey(text))
    let next = 0
    const operations = {
      'durable transaction': account,
      'key look-up': () => findKeyByHash(db, hashes[next++ % KEYS]!),
    }
    const rows: string[] = []
    for (const [what, run] of Object.entries(operations)) {
      for (const callers of CALLERS) {
        const { perSecond, median } = await measure(callers, run)
        rows.push(`| ${what} | ${name} | ${callers} | ${Math.round(perSecond)} | ${median.toFixed(2)} |`)
      }
    }
    return rows
  } finally {
    await store.close()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-bench-'))
try {
  const rows = [
    ...(await benchStore('SQLite', `sqlite:${join(folder, 'gateway.db')}`)),
    ...(await benchStore('PostgreSQL', await createDatabase())),
  ]
  const [sqlite, postgres] = [rows.slice(0, rows.length / 2), rows.slice(rows.length / 2)]
  console.log('| operation | store | callers | per second | median ms |\n|---|---|---:|---:|---:|')
  for (const at of [0, CALLERS.length]) {
    console.log([...sqlite.slice(at, at + CALLERS.length), ...postgres.slice(at, at + CALLERS.length)].join('\n'))
  }
  console.log(`\nOne write with a sync takes ${syncMilliseconds(folder).toFixed(2)} ms in ${folder}.`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
