import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { type BenchGateway, type Spent, startGateway } from '../kit/gateway.ts'
import { writeRequests } from '../kit/load.ts'
import { show } from '../kit/report.ts'
import { familyMicroseconds } from '../kit/machine.ts'
import { freePort, untilAnswers } from '../kit/servers.ts'
import { newCheckouts } from './checkouts.ts'
import { type Row, each } from './row.ts'
import { NAMES, type World, askGateway, keyFor } from './world.ts'

/** Eight to ten seconds after a load, V8 collects garbage once. Wait for that, because it does not belong to idling. */
const SETTLE = 12_000
const PART = 10_000
/** How many of ten thousand requests are new checkouts, and how many are reads that miss the cache. */
const CHECKOUTS = 50
const DISTINCT = 1_500

/** The share of one core that an idle gateway uses. */
export async function costIdle(
  { options }: World,
  gateway: BenchGateway,
  engine: StoreEngine,
  when: 'fresh' | 'after load',
): Promise<Row> {
  await delay(SETTLE)
  const before = gateway.spent()
  const began = performance.now()
  await delay(options.long ? 20_000 : 10_000)
  const hundredths = ((performance.now() - began) * 1_000) / 100
  return {
    key: keyFor(when === 'fresh' ? 'idleFresh' : 'idleLoaded', engine),
    group: 'life',
    operation: `idle, ${when}`,
    store: NAMES[engine],
    cost: each(before, gateway.spent(), hundredths),
    unit: '%',
    goal: { gateway: 0.2 },
  }
}

/** Memory after many requests of all kinds: cached and uncached reads, with and without a key, and checkouts. */
export async function costMemory(world: World, gateway: BenchGateway, engine: StoreEngine): Promise<Row> {
  const { bench, asker, lists, options } = world
  const wanted = options.long ? 1_000_000 : 100_000
  for (let sent = 0; sent < wanted; sent += PART) {
    const list = writeRequests(
      bench.folder,
      `mixed-${engine}-${sent}`,
      newCheckouts(CHECKOUTS, `mixed ${engine} ${sent}`),
    )
    await asker.ask({ port: gateway.port, list, count: CHECKOUTS, from: 0, headers: gateway.headers })
    for (const withKey of [false, true]) {
      const distinct = DISTINCT / 2
      await askGateway(world, gateway, {
        list: lists.distinct,
        count: distinct,
        from: world.nextDistinct(distinct),
        withKey,
      })
      await askGateway(world, gateway, { list: lists.remembered, count: (PART - CHECKOUTS - DISTINCT) / 2, withKey })
    }
  }
  return {
    key: keyFor('resident', engine),
    group: 'life',
    operation: `resident after ${show(wanted)} mixed requests`,
    store: NAMES[engine],
    cost: { gateway: gateway.resident(), database: 0 },
    unit: 'MB',
    goal: { gateway: 250 },
  }
}

/** Processor time from the start of the process to its first answer. Wall-clock time would depend on other load. */
export async function costStart(world: World, engine: StoreEngine): Promise<Row> {
  const { bench, ledger, turns } = world
  const own: Spent[] = []
  const bare: number[] = []
  const seconds: number[] = []
  for (let turn = 0; turn < Math.min(3, turns); turn++) {
    bare.push(await startBareServer())
    const gateway = await startGateway(bench, { engine, nodeUrl: ledger.url, nodeWsUrl: ledger.socketUrl })
    own.push({ gateway: gateway.started.processorSeconds, database: 0 })
    seconds.push(gateway.started.seconds)
    await gateway.close()
  }
  return {
    key: keyFor('start', engine),
    group: 'life',
    operation: `start to first answer (${Math.min(...seconds).toFixed(1)} s by the clock)`,
    store: NAMES[engine],
    cost: { gateway: Math.min(...own.map(({ gateway }) => gateway)), database: 0 },
    unit: 's',
    yardstick: { name: 'bare `node:http`', cost: Math.min(...bare) },
    goal: { times: 4 },
  }
}

async function startBareServer(): Promise<number> {
  const port = await freePort()
  const child = spawn(process.execPath, ['bench/kit/bare.ts', 'answer', String(port)], { stdio: 'ignore' })
  await untilAnswers(port, child)
  const spent = familyMicroseconds(child.pid!) / 1e6
  child.kill('SIGKILL')
  return spent
}
