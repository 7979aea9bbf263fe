/*
 * Measures how two years of old rows slow down queries. The hot queries of requests, payments, jobs and pages (`test/support/hot-queries.ts`) are timed in
 * a store with 40,000 rows, then again after 10⁷ old rows were added to every table that grows. The result is the ratio of the two times. The query plans
 * are checked too.
 */
import type { StoreEngine } from '../src/kernel/dialect.ts'
import { openBulk } from '../test/support/bulk.ts'
import { toCheckoutCtx } from '../test/support/checkout-context.ts'
import { HOT, type Known, SORTED, TABLE_SCAN, explain, statementsOf } from '../test/support/hot-queries.ts'
import { addressOf, checkoutIdOf, fillHistory, keyOf, ownerOf } from '../test/support/many-checkouts.ts'
import { timeOperations } from './growth.ts'
import { openBenchStore } from './kit/gateway.ts'
import { fillOld, fillOwners } from './kit/old-rows.ts'
import type { Options } from './kit/options.ts'
import { type Figures, type Report, STORE_NAMES, toTable } from './kit/report.ts'
import { Bench } from './kit/servers.ts'

const LIVE = 1_000
/** Few enough to fill quickly, but not so few that clean-up jobs find nothing to delete. */
const YOUNG_ROWS = 40_000
const OLD_ROWS = 1_000_000
const OLD_ROWS_LONG = 10_000_000
const TIMES = 15
const SHOWN = 12
/** Differences below this are noise. */
const NOISE_MILLISECONDS = 1
const LEVEL_MAX = 2

type Times = Record<string, number>

export async function benchAged(options: Options): Promise<Report> {
  await using bench = new Bench()
  const rows = options.rowsGiven ?? (options.long ? OLD_ROWS_LONG : OLD_ROWS)
  const figures: Figures = {}
  const tables: string[] = []
  for (const engine of options.stores) {
    const { before, after, written, scans } = await age(bench, engine, rows)
    const asked = Object.keys(before).map((what) => {
      const ratio = after[what]! / before[what]!
      return { what, ratio, isLevel: ratio < LEVEL_MAX || after[what]! - before[what]! < NOISE_MILLISECONDS }
    })
    const steep = asked.filter(({ isLevel }) => !isLevel)
    const shown = [...asked].sort((one, other) => after[other.what]! - after[one.what]!).slice(0, SHOWN)
    const cells = shown.map(({ what, ratio }) => [
      what,
      before[what]!.toFixed(2),
      after[what]!.toFixed(2),
      ratio.toFixed(1),
    ])
    tables.push(
      toTable([`${STORE_NAMES[engine]}, ms`, 'before', `with ${written} old rows`, 'ratio'], cells),
      `Of ${asked.length} statements, ${asked.length - steep.length} cost about the same in both stores; the table has the most expensive ones. ${scans.length === 0 ? 'No statement reads a whole table.' : `These read a whole table: ${scans.join('; ')}.`}${
        steep.length === 0
          ? ''
          : ` These grow: ${steep.map(({ what, ratio }) => `${what} (${ratio.toFixed(1)})`).join(', ')}.`
      }`,
    )
    figures[`${engine}Rows`] = written
    figures[`${engine}Asked`] = asked.length
    figures[`${engine}Level`] = asked.length - steep.length
  }
  return { figures, tables }
}

/** Takes the fastest of several runs: other load on the machine can only slow a query down. */
async function timeFastest(ask: () => Promise<unknown>): Promise<number> {
  let fastest = Infinity
  for (let times = 0; times < TIMES; times++) {
    const begun = performance.now()
    await ask()
    fastest = Math.min(fastest, performance.now() - begun)
  }
  return fastest
}

async function age(bench: Bench, engine: StoreEngine, rows: number) {
  const { url, store, ctx: storeCtx } = await openBenchStore(bench, engine)
  const ctx = toCheckoutCtx(storeCtx, engine)
  const { db } = ctx
  const now = Date.now()
  const bulk = await openBulk(url)
  await fillOwners(bulk, engine, now)
  await fillHistory(bulk, { from: 0, to: LIVE, now })
  await fillOld(bulk, engine, { to: YOUNG_ROWS, now, tell: () => undefined })
  await bulk.analyze()
  const known: Known = {
    accountId: ownerOf(0),
    keyId: keyOf(0),
    checkoutId: checkoutIdOf('history 0'),
    address: addressOf('shop 0'),
    walletId: 'wal_old_0',
    linkId: 'pln_0',
    posId: 'pos_0',
    eventId: 'evt_old_1',
    now,
    limit: 10,
  }
  const ask = async (label: string): Promise<Times> => {
    const times: Times = { ...(await timeOperations(ctx, LIVE, label)) }
    for (const [what, run] of Object.entries({ ...HOT, ...SORTED }))
      times[what] = await timeFastest(() => run(db, engine, known))
    return times
  }
  await ask('warm-up')
  const before = await ask('young')
  const tell = (line: string) => console.log(`${STORE_NAMES[engine]}: ${line}`)
  const written = await fillOld(bulk, engine, { from: YOUNG_ROWS, to: rows, now, tell })
  await bulk.analyze()
  await ask('warm again')
  const after = await ask('aged')
  const scans = new Set<string>()
  for (const [what, run] of Object.entries({ ...HOT, ...SORTED })) {
    for (const statement of await statementsOf(db, (watched) => run(watched, engine, known))) {
      const plan = await explain(db, engine, statement)
      if (plan.some((line) => TABLE_SCAN.test(line.trim()))) scans.add(what)
    }
  }
  await bulk.close()
  await store.close()
  return { before, after, written, scans: [...scans] }
}
