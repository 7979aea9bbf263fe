/*
 * Measures the same operations in larger and larger stores, from 10³ to 10⁶ checkouts of a service that is 90 days old. Rows are written in bulk;
 * operations go through the domain functions. A look-up, a new checkout, a payment and a page of a list must not slow down with the size of the store. A
 * report over a period takes longer the more happened in the period. Results are drawn to docs/pictures/growth.svg.
 */
import { OPERATOR } from '../src/kernel/actor.ts'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { StoreEngine } from '../src/kernel/dialect.ts'
import { toRaw } from '../src/kernel/money.ts'
import { type CheckoutContext, getCheckout } from '../src/modules/checkout/index.ts'
import { creditSend } from '../src/modules/checkout/domain/credit.ts'
import { listCheckouts } from '../src/modules/checkout/report-store.ts'
import { openCheckout } from '../src/modules/checkout/domain/open.ts'
import { readCheckout } from '../src/modules/checkout/wire-fields.ts'
import { readStats, reportCheckouts } from '../src/modules/checkout/domain/report.ts'
import { showCheck } from '../src/modules/checkout/domain/show.ts'
import { openBulk } from '../test/support/bulk.ts'
import { addressOf, checkoutIdOf, fillHistory, keyOf, ownerOf } from '../test/support/many-checkouts.ts'
import { query } from '../test/support/postgres.ts'
import { toCheckoutCtx } from '../test/support/checkout-context.ts'
import { openBenchStore } from './kit/gateway.ts'
import { type Line, drawGrowth } from './kit/growth-picture.ts'
import { median } from './kit/load.ts'
import type { Options } from './kit/options.ts'
import { type Figures, type Report, STORE_NAMES, toTable } from './kit/report.ts'
import { Bench } from './kit/servers.ts'

const PICTURE = fileURLToPath(new URL('../docs/pictures/growth.svg', import.meta.url))
const SMALLEST = 1_000
const DAY = 86_400_000
const TIMES = 40
const REPORTS = 5
/** The merchant whose reports are measured, its share of all rows, and the period of a report. */
const MERCHANT = 0

const OPERATIONS = [
  'look-up',
  'new checkout',
  'payment',
  'list, 100 rows',
  'report, last day',
  'report, everything',
] as const
type Operation = (typeof OPERATIONS)[number]

export async function benchGrowth(options: Options): Promise<Report> {
  await using bench = new Bench()
  const sizes: number[] = []
  for (let size = SMALLEST; size <= options.rows; size *= 10) sizes.push(size)
  const lines: Line[] = []
  const figures: Figures = {}
  for (const engine of options.stores) {
    const found = await grow(bench, engine, sizes)
    for (const operation of OPERATIONS) {
      lines.push({
        store: STORE_NAMES[engine],
        operation,
        points: found.map(({ size, times }) => [size, times[operation]]),
      })
    }
    figures[`${engine}Rows`] = sizes.at(-1)!
    figures[`${engine}BytesPerCheckout`] = found.at(-1)!.bytes / sizes.at(-1)!
    figures[`${engine}ReportMicrosPerRow`] = (found.at(-1)!.times['report, everything'] * 1_000) / (sizes.at(-1)! * 0.3)
  }
  if (options.write) {
    mkdirSync(fileURLToPath(new URL('../docs/pictures', import.meta.url)), { recursive: true })
    writeFileSync(PICTURE, drawGrowth(lines))
  }
  const head = ['median ms', ...sizes.map((size) => `10${superscript(Math.log10(size))}`)]
  const tables = options.stores.map((engine) => {
    const own = lines.filter(({ store }) => store === STORE_NAMES[engine])
    const rows = own.map(({ operation, points }) => [
      `${STORE_NAMES[engine]}: ${operation}`,
      ...sizes.map((size) => points.find(([at]) => at === size)?.[1].toFixed(2) ?? '–'),
    ])
    return toTable(head, rows)
  })
  return { figures, tables }
}

const superscript = (digit: number) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Math.round(digit)]!

interface Found {
  size: number
  times: Record<Operation, number>
  bytes: number
}

async function grow(bench: Bench, engine: StoreEngine, sizes: readonly number[]): Promise<Found[]> {
  const { url, store, ctx: storeCtx } = await openBenchStore(bench, engine)
  const ctx = toCheckoutCtx(storeCtx, engine)
  const bulk = await openBulk(url)
  const found: Found[] = []
  let filled = 0
  for (const size of sizes) {
    const started = performance.now()
    await fillHistory(bulk, { from: filled, to: size, now: Date.now() })
    await bulk.analyze()
    filled = size
    const seconds = (performance.now() - started) / 1_000
    const bytes = await sizeOf(engine, url, ctx)
    // The first measurement is slower than later ones, so its result is dropped.
    if (found.length === 0) await timeOperations(ctx, size, 'warm-up')
    const times = await timeOperations(ctx, size, 'grown')
    console.log(`${STORE_NAMES[engine]}: ${size} checkouts, written in ${seconds.toFixed(1)} s`)
    found.push({ size, times, bytes })
  }
  await bulk.close()
  await store.close()
  return found
}

async function sizeOf(engine: StoreEngine, url: string, { db }: CheckoutContext): Promise<number> {
  if (engine === 'postgres') {
    const [row] = (await query(url, 'select pg_database_size(current_database())::float as bytes')) as {
      bytes: number
    }[]
    return row!.bytes
  }
  const { sql } = await import('kysely')
  const { rows: pages } = await sql<{ page_count: number }>`pragma page_count`.execute(db)
  const { rows: each } = await sql<{ page_size: number }>`pragma page_size`.execute(db)
  return pages[0]!.page_count * each[0]!.page_size
}

async function time(times: number, run: (at: number) => Promise<unknown>): Promise<number> {
  const taken: number[] = []
  for (let at = 0; at < times; at++) {
    const begun = performance.now()
    await run(at)
    taken.push(performance.now() - begun)
  }
  return median(taken)
}

export async function timeOperations(
  ctx: CheckoutContext,
  size: number,
  label: string,
): Promise<Record<Operation, number>> {
  const { db, ports, clock } = ctx
  const caller = {
    kind: 'account',
    accountId: ownerOf(MERCHANT),
    role: 'user',
    prepaid: false,
    access: 'secret-key',
    actor: OPERATOR,
    rights: undefined,
  } as const
  const rules = { currencies: ports.prices.currencies, plainHttpAllowed: false }
  const open = async (at: number) => {
    const address = at % 2 === 0 ? addressOf(`shop ${MERCHANT}`) : addressOf(`${label} ${size} ${at}`)
    const mode = at % 2 === 0 ? {} : { mode: 'unique_address' }
    return (await openCheckout(ctx, caller, readCheckout({ address, amount: '3', ...mode }, rules))).checkout
  }
  const opened: Awaited<ReturnType<typeof open>>[] = []
  const from = addressOf('payer')
  const credit = async (at: number) => {
    const { address: to, amountRaw, id } = opened[at]!
    const hash = checkoutIdOf(`paid ${size} ${id}`).padStart(64, '0').toUpperCase()
    const seen = { at: clock.now(), knownAt: clock.now(), receivedAt: null }
    const changed = await creditSend(ctx, { hash, from, to, amountRaw: toRaw(amountRaw!), ...seen })
    if (changed[0] !== id) throw new Error('A payment was not matched.')
  }
  const lookUp = async (at: number) =>
    showCheck(ctx, await getCheckout(ctx, checkoutIdOf(`history ${(at * 7919) % size}`)))
  const list = () => listCheckouts(db, ports.engine, { owner: ownerOf(MERCHANT) }, { limit: 100 })
  const yesterday = String(Math.floor((clock.now() - DAY) / 1_000))
  await time(TIMES, lookUp)
  const lookUps = await time(TIMES * 5, lookUp)
  const opens = await time(TIMES, async (at) => opened.push(await open(at)))
  return {
    'look-up': lookUps,
    'new checkout': opens,
    payment: await time(TIMES, credit),
    'list, 100 rows': await time(TIMES, list),
    'report, last day': await time(REPORTS, () =>
      reportCheckouts(ctx, { accountId: ownerOf(MERCHANT), keyId: keyOf(MERCHANT) }, { from: yesterday, limit: 10 }),
    ),
    'report, everything': await time(REPORTS, () => readStats(ctx, ownerOf(MERCHANT))),
  }
}
