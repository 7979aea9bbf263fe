import { hash } from 'node:crypto'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import type { BenchGateway, Spent } from '../kit/gateway.ts'
import type { Asker, StandIn } from '../kit/helpers.ts'
import { type Request, writeRequests } from '../kit/load.ts'
import { familyMicroseconds } from '../kit/machine.ts'
import type { Options } from '../kit/options.ts'
import { type Bench, freePort, untilAnswers } from '../kit/servers.ts'
import { isDear } from './check.ts'
import { type Patience, each } from './row.ts'

/** The number of answers that the default cache holds, minus those replaced between turns; and the same for a cache of a sixth of its size. */
const REMEMBERED = 33_000
const PART_FOR_CHECK = 6
const CACHE_BYTES = 48 * 2 ** 20
const WARM = 10_000
const DISTINCT = { long: 400_000, usual: 120_000, check: 60_000 }

/** What all rows share: helpers, request lists, and how long to measure. */
export interface World extends Patience {
  bench: Bench
  asker: Asker
  ledger: StandIn
  /** Multiplies the number of operations in a turn. */
  scale: number
  /** The gateways' cache size, and how many answers fill it. */
  cacheBytes: number
  remembered: number
  options: Options
  lists: { one: string; remembered: string; distinct: string }
  bare: { answer: BareServer; proxy: BareServer }
  /** The start of the next unused requests, so that no request repeats. */
  nextDistinct(count: number): number
}

export interface BareServer {
  port: number
  spent(): number
  end(): Promise<void>
}

export const NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const
export const keyFor = (row: string, engine: StoreEngine) => `${row}${engine === 'sqlite' ? 'Sqlite' : 'Postgres'}`

const hashOf = (name: string) => hash('sha256', name, 'hex').toUpperCase()
const toBalance = (at: number): Request => ({
  body: { action: 'account_balance', account: toAddress((at + 1).toString(16).padStart(64, '0').toUpperCase()) },
})

export async function openWorld(parts: Pick<World, 'bench' | 'asker' | 'ledger' | 'options'>): Promise<World> {
  const { bench, ledger, options } = parts
  const range = (count: number) => Array.from({ length: count }, (_, at) => at)
  const part = options.check ? PART_FOR_CHECK : 1
  const remembered = REMEMBERED / part
  const blocks = range(remembered).map((at): Request => ({
    body: { action: 'block_info', hash: hashOf(`kept ${at}`) },
  }))
  const distinct = DISTINCT[options.check ? 'check' : options.long ? 'long' : 'usual']
  let next = 0
  const world: World = {
    ...parts,
    cacheBytes: Math.ceil(CACHE_BYTES / part),
    remembered,
    // A turn takes about half a second.
    turns: options.check ? 8 : options.long ? 5 : 3,
    isDear: (key, ratio) => options.check && !options.write && isDear(key, ratio),
    scale: options.check ? 0.25 : options.long ? 2 : 1,
    lists: {
      one: writeRequests(bench.folder, 'one', [toBalance(distinct)]),
      remembered: writeRequests(bench.folder, 'remembered', blocks),
      distinct: writeRequests(bench.folder, 'distinct', range(distinct).map(toBalance)),
    },
    bare: {
      // Next to a server that does almost nothing, the client is the bottleneck: the server sleeps and wakes at random, which makes its time noisy.
      answer: await startBare(bench, options.check ? 'busy' : 'answer'),
      proxy: await startBare(bench, 'proxy', ledger.url),
    },
    nextDistinct: (count) => {
      const from = next
      next += count
      return from
    },
  }
  // Warm-up, so that the code is compiled.
  await askBare(world, world.bare.answer, world.lists.one, WARM)
  await askBare(world, world.bare.proxy, world.lists.distinct, WARM / 2, { from: world.nextDistinct(WARM / 2) })
  return world
}

/** Starts a baseline process. The processor time of its database, if it has one, is included. */
export async function startBare(bench: Bench, kind: string, upstream = '', database?: number): Promise<BareServer> {
  const port = await freePort()
  const args = ['--max-semi-space-size=4', 'bench/kit/bare.ts', kind, String(port), bench.folder, upstream]
  const child = bench.spawn(`bare-${kind}-${port}`, args)
  await untilAnswers(port, child)
  const pid = child.pid!
  return {
    port,
    spent: () => familyMicroseconds(pid) + (database === undefined ? 0 : familyMicroseconds(database)),
    end: () => bench.end(child),
  }
}

/** Processor time of a request to a baseline server. */
export async function askBare(
  { asker }: World,
  server: BareServer,
  list: string,
  count: number,
  { from = 0, connections = 32 } = {},
): Promise<number> {
  const before = server.spent()
  await asker.ask({ port: server.port, list, count, from, connections })
  return (server.spent() - before) / count
}

export interface Asks {
  list: string
  count: number
  from?: number
  withKey?: boolean
}

/** Processor time of a request to a gateway. */
export async function askGateway(
  { asker }: World,
  gateway: BenchGateway,
  { list, count, from, withKey = false }: Asks,
): Promise<Spent> {
  const before = gateway.spent()
  const headers = withKey ? gateway.headers : {}
  await asker.ask({ port: gateway.port, list, count, headers, ...(from !== undefined && { from }) })
  return each(before, gateway.spent(), count)
}
