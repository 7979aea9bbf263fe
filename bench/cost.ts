/*
 * Measures what an operation costs in processor time of the gateway (all threads) and its database. Each operation is measured in turns with a baseline:
 * the smallest program that does comparable work. Processor time is used because wall-clock time is unreliable on shared machines. The clients, the node
 * and the shops run in processes of their own, which are not counted.
 */
import type { StoreEngine } from '../src/kernel/dialect.ts'
import { costBlocks } from './cost/blocks.ts'
import { keepInMemory, listDearer, tellCompared, toKnown } from './cost/check.ts'
import { costCheckouts } from './cost/checkouts.ts'
import { costHearing } from './cost/hearing.ts'
import { costIdle, costMemory, costStart } from './cost/life.ts'
import { costCoalesced, costReads } from './cost/reads.ts'
import { costReport } from './cost/report.ts'
import { GROUPS, type Group, type Row, ratioOf, tellRows } from './cost/row.ts'
import { costSends } from './cost/sends.ts'
import { costTraces } from './cost/traces.ts'
import { costWebhooks } from './cost/webhooks.ts'
import { type World, openWorld } from './cost/world.ts'
import { type BenchGateway, startGateway } from './kit/gateway.ts'
import { startAsker, startStandIn } from './kit/helpers.ts'
import type { Options } from './kit/options.ts'
import type { Figures, Report } from './kit/report.ts'
import { Bench, buildGateway } from './kit/servers.ts'

export async function benchCost(options: Options): Promise<Report> {
  buildGateway()
  if (options.check) keepInMemory()
  await using bench = new Bench()
  using asker = startAsker()
  using ledger = await startStandIn('ledger')
  const world = await openWorld({ bench, asker, ledger, options })
  const wanted = GROUPS.filter((group) => options.only.length === 0 || options.only.includes(group))
  const rows = await costGroups(world, new Set(wanted))
  if (!options.check) return { figures: toFigures(rows), tables: [tellRows(rows)] }
  const words = options.write ? [] : listDearer(rows)
  return { figures: toKnown(rows), tables: [tellCompared(rows), ...words], failed: words.length > 0 }
}

async function costGroups(world: World, wanted: ReadonlySet<Group>): Promise<Row[]> {
  const { check, stores } = world.options
  const rows: Row[] = []
  for (const engine of stores) {
    // The second engine only matters for checkouts.
    const some = check && engine === 'postgres' ? new Set([...wanted].filter((group) => group === 'checkouts')) : wanted
    rows.push(...(await costStore(world, engine, some)))
  }
  if (wanted.has('blocks')) rows.push(...(await costBlocks(world)))
  return rows
}

function toFigures(rows: readonly Row[]): Figures {
  const figures: Figures = {}
  for (const row of rows) {
    figures[`${row.key}Cost`] = row.cost.gateway
    if (row.cost.database > 0) figures[`${row.key}DatabaseCost`] = row.cost.database
    const ratio = ratioOf(row)
    if (ratio !== undefined) figures[`${row.key}Ratio`] = ratio
  }
  return figures
}

/** One gateway runs through most of a day: it starts, idles, answers requests, receives confirmations, sells, and idles again. */
async function costStore(world: World, engine: StoreEngine, wanted: ReadonlySet<Group>): Promise<Row[]> {
  const { bench, ledger, options } = world
  const rows: Row[] = []
  const add = async (group: Group, make: () => Promise<Row | Row[]>) => {
    if (!wanted.has(group)) return
    const began = performance.now()
    const made = await make()
    rows.push(...[made].flat())
    console.log(`${group}, ${engine}: ${((performance.now() - began) / 1_000).toFixed(0)} s`)
  }
  const withOne = async (use: (gateway: BenchGateway) => Promise<void>) => {
    const env = { CACHE_BYTES_MAX: String(world.cacheBytes) }
    const gateway = await startGateway(bench, { engine, nodeUrl: ledger.url, nodeWsUrl: ledger.socketUrl, env })
    await use(gateway)
    await gateway.close()
  }
  if (wanted.has('reads') || wanted.has('hearing') || wanted.has('checkouts') || wanted.has('life')) {
    await withOne(async (gateway) => {
      if (!options.check) await add('life', () => costIdle(world, gateway, engine, 'fresh'))
      await add('reads', () => costReads(world, gateway, engine))
      await add('hearing', () => costHearing(world, gateway, engine))
      await add('checkouts', () => costCheckouts(world, gateway, engine))
      if (options.check) return
      // The caches do not depend on the engine, so one engine is enough.
      if (engine === 'sqlite') await add('life', () => costMemory(world, gateway, engine))
      await add('life', () => costIdle(world, gateway, engine, 'after load'))
    })
  }
  if (engine === 'sqlite') await add('reads', () => costCoalesced(world))
  await add('webhooks', () => costWebhooks(world, engine))
  await add('sends', () => costSends(world, engine))
  if (!options.check) {
    await add('life', () => costStart(world, engine))
    await add('report', () => costReport(world, engine))
    // Tracing does not depend on the engine either.
    if (engine === 'sqlite') await add('traces', () => costTraces(world, engine))
  }
  return rows
}
