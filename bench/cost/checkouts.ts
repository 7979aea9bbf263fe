import { setTimeout as delay } from 'node:timers/promises'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { createDatabase } from '../../test/support/postgres.ts'
import { addressOf } from '../../test/support/many-checkouts.ts'
import type { BenchGateway, Spent } from '../kit/gateway.ts'
import { type Request, writeRequests } from '../kit/load.ts'
import { postmasterOf } from '../kit/servers.ts'
import type { Payment } from '../kit/stand-in.ts'
import { type Row, each, inTurns } from './row.ts'
import { type BareServer, NAMES, type World, askBare, keyFor, startBare } from './world.ts'

const TURN = 150
const BARE = 600
const WARM = 3_000
/** Turns before the measurement starts. */
const WARM_TURNS = { check: 1, else: 8 }
const SETTLED_WITHIN = 120_000
const YARDSTICK = '`node:http` that keeps five rows, not synced'
/** Half of them share an address and differ in their amounts; half have their own addresses. */
export const newCheckouts = (count: number, label: string): Request[] =>
  Array.from({ length: count }, (_, at) => {
    const own = { address: addressOf(`${label} ${at}`), amount: '1', mode: 'unique_address' }
    const shared = { address: addressOf(`${label} shop`), amount: '10' }
    return { body: { action: 'checkout', title: `Order ${at}`, ...(at % 2 === 0 ? shared : own) } }
  })

/** Makes checkouts over HTTP with a key, then pays all of them at once, as reported by the node's websocket. */
export async function costCheckouts(world: World, gateway: BenchGateway, engine: StoreEngine): Promise<Row[]> {
  const { bench, asker, ledger, lists, options } = world
  await ledger.heard()
  const bare = await startRows(world, engine)
  const keep = () => askBare(world, bare, lists.one, Math.round(BARE * world.scale))
  const count = Math.round(TURN * Math.max(0.5, world.scale))
  const made: Payment[] = []
  let turn = 0
  const make = async (): Promise<Spent> => {
    const label = `${engine} ${++turn}`
    const list = writeRequests(bench.folder, `checkouts-${engine}-${turn}`, newCheckouts(count, label))
    const before = gateway.spent()
    const asking = { port: gateway.port, list, count, from: 0, headers: gateway.headers, keep: true }
    const { bodies } = await asker.ask(asking)
    const spent = each(before, gateway.spent(), count)
    made.push(...bodies.map(toPayment))
    return spent
  }
  // Warm-up, so that the code is compiled.
  await askBare(world, bare, lists.one, WARM)
  for (let turns = 0; turns < WARM_TURNS[options.check ? 'check' : 'else']; turns++) {
    await make()
    await pay(world, gateway, made.splice(0))
  }
  const opened = await inTurns(world, keyFor('made', engine), make, keep)
  const settle = async () => {
    // A repeated measurement needs more checkouts than were made so far.
    if (made.length < count) await make()
    return pay(world, gateway, made.splice(0, count))
  }
  const paid = await inTurns(world, keyFor('paid', engine), settle, keep)
  await bare.end()
  const store = NAMES[engine]
  const row = (key: string, operation: string, result: typeof paid, times: number): Row => ({
    key: keyFor(key, engine),
    group: 'checkouts',
    operation,
    store,
    cost: result.cost,
    unit: 'ms',
    yardstick: { name: YARDSTICK, ...result.yardstick },
    goal: { times },
  })
  return [row('made', 'checkout made', opened, 4), row('paid', 'payment found and credited', paid, 5)]
}

async function startRows({ bench }: World, engine: StoreEngine): Promise<BareServer> {
  if (engine === 'sqlite') return startBare(bench, 'rows')
  const url = await createDatabase()
  return startBare(bench, 'rows-postgres', url, await postmasterOf(url))
}

export function toPayment(body: string): Payment {
  const { address, amount_raw: amountRaw } = JSON.parse(body) as { address: string; amount_raw: string }
  return { to: address, amountRaw }
}

async function pay({ ledger }: World, gateway: BenchGateway, payments: Payment[]): Promise<Spent> {
  const due = (await countComplete(gateway)) + payments.length
  const before = gateway.spent()
  await ledger.reportPayments(payments)
  const end = performance.now() + SETTLED_WITHIN
  for (let complete = -1; complete < due; complete = await countComplete(gateway)) {
    if (performance.now() > end) throw new Error(`${complete} of ${due} payments were found.`)
    await delay(100)
  }
  return each(before, gateway.spent(), payments.length)
}

async function countComplete({ store: { db } }: BenchGateway): Promise<number> {
  const row = await db
    .selectFrom('checkouts')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('status', '=', 'complete')
    .executeTakeFirst()
  return Number(row?.count)
}
