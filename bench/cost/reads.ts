import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { type BenchGateway, startGateway } from '../kit/gateway.ts'
import { type Row, inTurns } from './row.ts'
import { type Asks, NAMES, type World, askBare, askGateway, keyFor } from './world.ts'

const TURN = 5_000
/** Requests between two turns, so that cached answers are replaced. */
const CHURN = { check: 200, else: 1_000 }
/** Warm-up, so that the code is compiled. */
const WARM = { check: 3_000, else: 10_000 }
const nameOf = ({ options }: World) => (options.check ? '`node:http` with some JSON' : 'bare `node:http`')

/** Cached and uncached reads, with an empty and a full cache, without and with a key. */
export async function costReads(world: World, gateway: BenchGateway, engine: StoreEngine): Promise<Row[]> {
  const { lists, bare, scale, options } = world
  const count = TURN * scale
  const answered = () => askBare(world, bare.answer, lists.one, count)
  const row = async (
    key: string,
    operation: string,
    goal: number,
    { asks, before }: { asks: () => Asks; before?: () => Promise<unknown> },
  ): Promise<Row> => {
    const operate = async () => {
      await before?.()
      return askGateway(world, gateway, asks())
    }
    const { cost, yardstick } = await inTurns(world, keyFor(key, engine), operate, answered)
    return {
      key: keyFor(key, engine),
      group: 'reads',
      operation,
      store: NAMES[engine],
      cost,
      unit: 'µs',
      yardstick: { name: nameOf(world), ...yardstick },
      goal: { times: goal },
    }
  }
  const form = options.check ? 'check' : 'else'
  const others = CHURN[form]
  const churn = () =>
    askGateway(world, gateway, { list: lists.distinct, count: others, from: world.nextDistinct(others) })
  const one = { list: lists.one, count }
  const any = { list: lists.remembered, count }

  const rows: Row[] = []
  // Reads without a key do not use the store, so one engine is enough.
  if (engine === 'sqlite') {
    await askGateway(world, gateway, { ...one, count: WARM[form] })
    rows.push(await row('hitSmall', 'cache hit, small cache', 1, { asks: () => one }))
  }
  // The first request caches the node's answer, the second the response: afterwards both caches are full.
  for (let times = 0; times < 2; times++) {
    await askGateway(world, gateway, { list: lists.remembered, count: world.remembered, from: 0 })
  }
  if (engine === 'sqlite') {
    await askGateway(world, gateway, { ...any, count: WARM[form] })
    rows.push(await row('hitFull', 'cache hit, cache full', 1.15, { asks: () => any, before: churn }))
  }
  const keyed = { ...any, withKey: true }
  await askGateway(world, gateway, { ...keyed, count: WARM[form] })
  rows.push(await row('hitKey', 'cache hit with a key, cache full', 1.3, { asks: () => keyed, before: churn }))
  return [...rows, ...(await costDistinct(world, gateway, engine))]
}

async function costDistinct(world: World, gateway: BenchGateway, engine: StoreEngine): Promise<Row[]> {
  const { lists, bare, options } = world
  const count = 2_000 * world.scale
  const rows: Row[] = []
  const callers = options.check ? [false] : engine === 'sqlite' ? [false, true] : [true]
  for (const withKey of callers) {
    const key = keyFor(withKey ? 'passedKey' : 'passed', engine)
    const { cost, yardstick } = await inTurns(
      world,
      key,
      () => askGateway(world, gateway, { list: lists.distinct, count, from: world.nextDistinct(count), withKey }),
      () => askBare(world, bare.proxy, lists.distinct, count, { from: world.nextDistinct(count) }),
    )
    rows.push({
      key,
      group: 'reads',
      operation: `distinct keys, passed on${withKey ? ', with a key' : ''}`,
      store: NAMES[engine],
      cost,
      unit: 'µs',
      yardstick: { name: 'bare undici proxy', ...yardstick },
      goal: { times: withKey ? 1.7 : 1.5 },
    })
  }
  return rows
}

/** Many clients send the same uncacheable request at the same time. */
export async function costCoalesced(world: World): Promise<Row[]> {
  const { bench, ledger, lists, bare, scale, options } = world
  const node = { nodeUrl: ledger.url, nodeWsUrl: ledger.socketUrl }
  const gateway = await startGateway(bench, { engine: 'sqlite', ...node, env: { CACHE_BYTES_MAX: '0' } })
  const one = { list: lists.one, count: TURN * scale }
  await askGateway(world, gateway, { ...one, count: WARM[options.check ? 'check' : 'else'] })
  const { cost, yardstick } = await inTurns(
    world,
    'coalesced',
    () => askGateway(world, gateway, one),
    () => askBare(world, bare.answer, lists.one, one.count),
  )
  await gateway.close()
  return [
    {
      key: 'coalesced',
      group: 'reads',
      operation: 'hot key, coalesced',
      store: 'SQLite',
      cost,
      unit: 'µs',
      yardstick: { name: nameOf(world), ...yardstick },
      goal: { times: 2.2 },
    },
  ]
}
