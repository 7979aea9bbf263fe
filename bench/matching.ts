/*
 * Measures how payments are found among all confirmations of a network, with the real monitor and a store with a million watched addresses. The nodes are
 * simulated: they send confirmations at a steady rate. Some pay open checkouts, and are confirmed again when they are received. Then all remaining
 * payments arrive at once, to measure how fast a backlog is processed.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { StoreEngine } from '../src/kernel/dialect.ts'
import { type CheckoutContext } from '../src/modules/checkout/index.ts'
import { PaymentMonitor } from '../src/modules/checkout/payment-monitor.ts'
import { openBulk } from '../test/support/bulk.ts'
import { type OpenOne, fillOpen, openOwn, openShared } from '../test/support/many-checkouts.ts'
import { SyntheticNetwork } from '../test/support/synthetic-network.ts'
import { toCheckoutCtx } from '../test/support/checkout-context.ts'
import { openBenchStore } from './kit/gateway.ts'
import { quantile } from './kit/load.ts'
import { familyMicroseconds } from './kit/machine.ts'
import type { Options } from './kit/options.ts'
import { measureBareInserts } from './kit/peer.ts'
import { type Figures, type Report, STORE_NAMES, show, toTable } from './kit/report.ts'
import { Bench, postmasterOf } from './kit/servers.ts'

/** How many of a hundred confirmations pay a checkout, and how many receive such a payment. */
const PAYMENTS_PERCENT = 5
const TICK = 10
/** Delay between the send of a payment and its receive. */
const RECEIVED_AFTER = 1_000
const BURST = 1_000
const SETTLED_WITHIN = 60_000

interface Result {
  engine: StoreEngine
  filledSeconds: number
  loadedSeconds: number
  watchBytes: number
  heapMegabytes: number
  residentMegabytes: number
  heard: number
  paid: number
  p50: number
  p99: number
  loopP99: number
  burstPerSecond: number
  burstMicros: { gateway: number; database: number }
  peer: number
}

export async function benchMatching(options: Options): Promise<Report> {
  await using bench = new Bench()
  const results: Result[] = []
  for (const engine of options.stores) results.push(await simulate(bench, engine, options))
  const figures: Figures = { watched: options.watched, rate: options.rate }
  for (const { engine, ...result } of results) {
    figures[`${engine}PaymentMicros`] = result.burstMicros.gateway
    figures[`${engine}PaymentDatabaseMicros`] = result.burstMicros.database
    figures[`${engine}PerSecond`] = result.burstPerSecond
    figures[`${engine}LoadSecondsPerMillion`] = (result.loadedSeconds / options.watched) * 1e6
    figures.watchBytes = result.watchBytes
  }
  const row = (what: string, pick: (result: Result) => string | number) => [what, ...results.map(pick)]
  const rows = [
    row('watch list loaded, s', ({ loadedSeconds }) => show(loadedSeconds)),
    row('memory for one watched address, bytes', ({ watchBytes }) => show(watchBytes)),
    row('heap / resident, MB', (one) => `${show(one.heapMegabytes)} / ${show(one.residentMegabytes)}`),
    row('confirmations received a second', ({ heard }) => show(heard)),
    row('of them payments of ours a second', ({ paid }) => show(paid)),
    row('announcement to completion, p50 / p99 ms', ({ p50, p99 }) => `${show(p50)} / ${show(p99)}`),
    row('event loop late, p99 ms', ({ loopP99 }) => show(loopP99)),
    row(`${show(BURST)} payments at once, worked off a second`, ({ burstPerSecond }) => show(burstPerSecond)),
    row('bare durable inserts a second, same engine', ({ peer }) => show(peer)),
    row('ratio', ({ burstPerSecond, peer }) => (burstPerSecond / peer).toFixed(2)),
    row('CPU µs of a payment, gateway / database', ({ burstMicros: { gateway, database } }) =>
      database === 0 ? show(gateway) : `${show(gateway)} / ${show(database)}`,
    ),
    row('missed or doubled', () => 0),
  ]
  const head = `${show(options.watched)} addresses, ${show(options.rate)} confirmations a second`
  return { figures, tables: [toTable([head, ...results.map(({ engine }) => STORE_NAMES[engine])], rows)] }
}

async function simulate(bench: Bench, engine: StoreEngine, { watched, rate, seconds }: Options): Promise<Result> {
  const { url, store, ctx: storeCtx } = await openBenchStore(bench, engine)
  const peer = await measureBareInserts(bench, engine, 1)
  const filling = performance.now()
  const bulk = await openBulk(url)
  await fillOpen(bulk, { watched, now: Date.now() })
  await bulk.analyze()
  await bulk.close()
  const filledSeconds = (performance.now() - filling) / 1_000
  console.log(`${STORE_NAMES[engine]}: ${show(watched)} addresses written in ${show(filledSeconds)} s`)
  const settling = new Settling(toCheckoutCtx(storeCtx, engine, { announce: (id) => settling.settle(id) }))
  const network = new SyntheticNetwork()
  const failures: unknown[] = []
  const monitor = new PaymentMonitor({
    ctx: settling.ctx,
    node: network,
    bus: network,
    clock: storeCtx.clock,
    turnOf: () => 0,
    onError: (error) => failures.push(error),
  })
  globalThis.gc?.()
  const heapBefore = process.memoryUsage().heapUsed
  const loading = performance.now()
  await monitor.feed.start()
  const loadedSeconds = (performance.now() - loading) / 1_000
  globalThis.gc?.()
  const watchBytes = (process.memoryUsage().heapUsed - heapBefore) / monitor.feed.size.addresses

  let next = 0
  // Half of the payments go to addresses that many checkouts share.
  const payNext = (): { checkout: OpenOne; hash: string } => {
    const at = next++
    const checkout = at % 2 === 0 ? openOwn((at * 31) % watched) : openShared(at)
    const hash = network.pay({ to: checkout.address, amountRaw: checkout.amountRaw, at: Date.now() })
    settling.await(checkout.id)
    network.reportSend(hash)
    return { checkout, hash }
  }

  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  const started = performance.now()
  let heard = 0
  let paid = 0
  const received: { hash: string; at: number }[] = []
  while (performance.now() - started < seconds * 1_000) {
    const due = Math.floor(((performance.now() - started) / 1_000) * rate)
    for (; heard < due; heard++) {
      if (heard % 100 < PAYMENTS_PERCENT) {
        received.push({ hash: payNext().hash, at: performance.now() + RECEIVED_AFTER })
        paid++
      } else if (received.length > 0 && received[0]!.at < performance.now()) network.tellReceive(received.shift()!.hash)
      else network.tellStrange()
    }
    await delay(TICK)
  }
  await settling.untilSettled()
  const steady = (performance.now() - started) / 1_000
  loop.disable()
  const latencies = settling.takeLatencies()
  const { heapUsed, rss } = process.memoryUsage()

  const postmaster = engine === 'postgres' ? await postmasterOf(url) : undefined
  const spent = () => {
    const { user, system } = process.cpuUsage()
    return { gateway: user + system, database: postmaster === undefined ? 0 : familyMicroseconds(postmaster) }
  }
  const before = spent()
  const bursting = performance.now()
  for (let at = 0; at < BURST; at++) payNext()
  await settling.untilSettled()
  const burstPerSecond = BURST / ((performance.now() - bursting) / 1_000)
  const after = spent()
  await monitor.feed.stop()
  await checkAll(settling.ctx, next)
  await store.close()
  if (failures.length > 0) throw new Error(`${failures.length} failures`, { cause: failures[0] })
  return {
    engine,
    filledSeconds,
    loadedSeconds,
    watchBytes,
    heapMegabytes: heapUsed / 2 ** 20,
    residentMegabytes: rss / 2 ** 20,
    heard: heard / steady,
    paid: paid / steady,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    loopP99: loop.percentile(99) / 1e6,
    burstPerSecond,
    burstMicros: {
      gateway: (after.gateway - before.gateway) / BURST,
      database: (after.database - before.database) / BURST,
    },
    peer,
  }
}

/** The payments that are awaited, and since when. */
class Settling {
  readonly ctx: CheckoutContext
  readonly #toldAt = new Map<string, number>()
  #latencies: number[] = []
  #idle: (() => void) | undefined

  constructor(ctx: CheckoutContext) {
    this.ctx = ctx
  }

  await(id: string): void {
    this.#toldAt.set(id, performance.now())
  }

  settle(id: string): void {
    const toldAt = this.#toldAt.get(id)
    if (toldAt === undefined) return
    this.#toldAt.delete(id)
    this.#latencies.push(performance.now() - toldAt)
    if (this.#toldAt.size === 0) this.#idle?.()
  }

  async untilSettled(): Promise<void> {
    if (this.#toldAt.size === 0) return
    const settled = new Promise<'settled'>((resolve) => (this.#idle = () => resolve('settled')))
    if ((await Promise.race([settled, delay(SETTLED_WITHIN)])) !== 'settled') {
      throw new Error(`${this.#toldAt.size} payments were not found.`)
    }
    this.#idle = undefined
  }

  takeLatencies(): number[] {
    const taken = this.#latencies
    this.#latencies = []
    return taken
  }
}

/** Every payment must be found once, every paid checkout must complete once, and nothing else may happen. */
async function checkAll({ db }: CheckoutContext, expected: number): Promise<void> {
  const count = async (table: 'checkout_payments' | 'events') => {
    const row = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirst()
    return Number(row?.count)
  }
  const row = await db
    .selectFrom('checkouts')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('status', '=', 'complete')
    .executeTakeFirst()
  const found = {
    payments: await count('checkout_payments'),
    events: await count('events'),
    complete: Number(row?.count),
  }
  for (const [what, number] of Object.entries(found)) {
    if (number !== expected) throw new Error(`${number} ${what} instead of ${expected}`)
  }
}
