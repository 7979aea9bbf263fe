import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { type BenchGateway, type Spent, startGateway } from '../kit/gateway.ts'
import { startStandIn } from '../kit/helpers.ts'
import { type Row, cheapest } from './row.ts'
import { type Asks, NAMES, type World, askGateway, keyFor } from './world.ts'

/** Enough requests for a batch of spans to be exported within each turn. */
const HITS = 10_000
const PASSED = 5_000
const WARM = 5_000

/** The cost of tracing: no traces, the usual share of requests, and every request, measured in turns. */
const MODES = [
  { name: 'Off', words: 'no traces', share: undefined, goal: 1 },
  { name: 'Usual', words: '1 % traced', share: '0.01', goal: 1.05 },
  { name: 'All', words: 'all traced', share: '1', goal: 5 },
] as const

interface Operation {
  key: string
  operation: string
  rounds: number
  asks(count?: number): Asks
}

export async function costTraces(world: World, engine: StoreEngine): Promise<Row[]> {
  const { lists, scale, turns } = world
  using collector = await startStandIn('receiver')
  const gateways = await startAll(world, engine, collector.port)
  const distinct = (count = PASSED * scale): Asks => ({ list: lists.distinct, count, from: world.nextDistinct(count) })
  const operations: Operation[] = [
    {
      key: 'tracedHit',
      operation: 'cache hit',
      rounds: 4 * turns,
      asks: (count = HITS * scale) => ({ list: lists.one, count }),
    },
    { key: 'tracedPassed', operation: 'distinct keys, passed on', rounds: 2 * turns, asks: distinct },
  ]
  const rows: Row[] = []
  for (const operation of operations) rows.push(...(await compare(world, gateways, operation, engine)))
  for (const gateway of gateways) await gateway.close()
  return rows
}

async function startAll(world: World, engine: StoreEngine, collectorPort: number): Promise<BenchGateway[]> {
  const { bench, ledger } = world
  const gateways: BenchGateway[] = []
  for (const { share } of MODES) {
    const env: Record<string, string> =
      share === undefined
        ? {}
        : { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}`, OTEL_TRACES_SAMPLER_ARG: share }
    gateways.push(await startGateway(bench, { engine, nodeUrl: ledger.url, nodeWsUrl: ledger.socketUrl, env }))
  }
  return gateways
}

async function compare(
  world: World,
  gateways: readonly BenchGateway[],
  { key, operation, rounds, asks }: Operation,
  engine: StoreEngine,
): Promise<Row[]> {
  for (const gateway of gateways) await askGateway(world, gateway, asks(WARM))
  const costs: Spent[][] = MODES.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [at, gateway] of gateways.entries()) costs[at]!.push(await askGateway(world, gateway, asks()))
  }
  const off = cheapest(costs[0]!)
  return MODES.map(({ name, words, goal }, at) => ({
    key: keyFor(`${key}${name}`, engine),
    group: 'traces',
    operation: `${operation}, ${words}`,
    store: NAMES[engine],
    cost: cheapest(costs[at]!),
    unit: 'µs',
    yardstick: { name: 'no traces', cost: off.gateway + off.database },
    goal: { times: goal },
  }))
}
