/*
 * Checkouts made over HTTP, as a shop's server makes them: with a key, half of them on one shared address with amounts of
 * their own, half on addresses of their own. The peer is the same engine keeping bare rows of one column.
 */
import { addressOf } from '../test/support/many-checkouts.ts'
import { listFleets, startFleet } from './kit/fleet.ts'
import { type Request, writeRequests, writeScript, wrk } from './kit/load.ts'
import type { Options } from './kit/options.ts'
import { measureBareInserts } from './kit/peer.ts'
import { type Figures, type Report, STORE_NAMES, show, toTable } from './kit/report.ts'
import { Bench, buildGateway, freePort, requireTools } from './kit/servers.ts'
import { startSilentEvents } from './reads.ts'

/** More than one run makes, because an address of its own serves one open checkout. */
const PREPARED = 40_000

/** Requests for checkouts that have not been made before. */
export const newCheckouts = (count: number, label: string): Request[] =>
  Array.from({ length: count }, (_, at) => {
    const own = { address: addressOf(`${label} ${at}`), amount: '1', mode: 'unique_address' }
    const shared = { address: addressOf('shop'), amount: '10' }
    return { body: { action: 'checkout', title: `Order ${at}`, ...(at % 2 === 0 ? shared : own) } }
  })

export async function benchCheckouts(options: Options): Promise<Report> {
  requireTools('nginx', 'wrk', 'redis-server')
  buildGateway()
  await using bench = new Bench()
  const websocket = await freePort()
  const sockets = startSilentEvents(websocket)
  const node = {
    nodeUrl: `http://127.0.0.1:${await bench.startStaticLedger()}/`,
    nodeWsUrl: `ws://127.0.0.1:${websocket}`,
  }
  const figures: Figures = {}
  const rows = []
  const list = writeRequests(bench.folder, 'checkouts', newCheckouts(options.quick ? PREPARED / 4 : PREPARED, 'order'))
  const warmUp = writeRequests(bench.folder, 'warm-up', newCheckouts(PREPARED / 10, 'warm-up'))
  for (const size of listFleets(options.stores, options.processes)) {
    const peer = await measureBareInserts(bench, size.engine, 1)
    const fleet = await startFleet(bench, { ...size, ...node })
    await wrk(fleet.url, writeScript(warmUp, fleet.headers), Math.min(3, size.processes + 1))
    const before = fleet.spent()
    const run = await wrk(fleet.url, writeScript(list, fleet.headers), options.seconds)
    const after = fleet.spent()
    const [gateway, database] = [
      (after.gateway - before.gateway) / run.requests,
      (after.database - before.database) / run.requests,
    ]
    if (size.processes === 1) {
      figures[`${size.engine}Micros`] = gateway
      figures[`${size.engine}DatabaseMicros`] = database
    }
    figures[`${size.engine}${size.processes}PerSecond`] = run.rate
    rows.push([
      STORE_NAMES[size.engine],
      size.processes,
      show(run.rate),
      show(peer),
      (run.rate / peer).toFixed(2),
      `${show(run.p50)} / ${show(run.p99)}`,
      show(gateway),
      database === 0 ? '–' : show(database),
      run.errors,
    ])
    await fleet.close()
  }
  sockets.close()
  const head = ['store', 'processes', 'checkouts a second', 'bare inserts a second', 'ratio', 'p50 / p99 ms']
  return { figures, tables: [toTable([...head, 'CPU µs, gateway', 'CPU µs, database', 'errors'], rows)] }
}
