/*
 * What a gateway does all day, at once: of a hundred requests 75 read accounts, 15 ask how a checkout stands and 10 make
 * one, while a thousand confirmations a second are heard. The peer is nginx in front of the static ledger, which answers
 * the same number of requests with the same few bytes.
 */
import { newCheckouts } from './checkouts.ts'
import { EventSource } from './kit/event-source.ts'
import { listFleets, startFleet } from './kit/fleet.ts'
import { type Request, writeRequests, writeScript, wrk } from './kit/load.ts'
import type { Options } from './kit/options.ts'
import { type Figures, type Report, STORE_NAMES, show, toTable } from './kit/report.ts'
import { Bench, balance, buildGateway, freePort, requireTools } from './kit/servers.ts'
import { distinctReads } from './reads.ts'

const REQUESTS = 40_000
const CHECKED = 200

export async function benchMixed(options: Options): Promise<Report> {
  requireTools('nginx', 'wrk', 'redis-server')
  buildGateway()
  await using bench = new Bench()
  const upstream = await bench.startStaticLedger()
  const proxy = await freePort()
  await bench.startNginx('peer', balance(proxy, [upstream]))
  const source = new EventSource(await freePort())
  const figures: Figures = {}
  const rows = []
  const reads = distinctReads(REQUESTS)
  const fresh = newCheckouts(REQUESTS / 10, 'mixed')
  const plain = writeScript(writeRequests(bench.folder, 'reads', reads.slice(0, 1_000)))
  for (const size of listFleets(options.stores, options.processes)) {
    const peer = await wrk(`http://127.0.0.1:${proxy}/`, plain, 1)
    const fleet = await startFleet(bench, { ...size, nodeUrl: `http://127.0.0.1:${upstream}/`, nodeWsUrl: source.url })
    await source.untilHeardBy(size.processes)
    const ids = await openSome(fleet.url, fleet.headers)
    const list = reads.map((read, at): Request => {
      if (at % 20 < 15) return read
      return at % 20 < 18
        ? { method: 'GET', path: `/check/${ids[at % CHECKED]}` }
        : fresh[Math.floor(at / 20) * 2 + (at % 2)]!
    })
    const script = writeScript(
      writeRequests(bench.folder, `mixed-${size.engine}-${size.processes}`, list),
      fleet.headers,
    )
    const warmUp = writeScript(
      writeRequests(
        bench.folder,
        'warm-up',
        list.filter((_, at) => at % 20 < 18),
      ),
      fleet.headers,
    )
    await wrk(fleet.url, warmUp, size.processes + 1)
    const before = fleet.spent()
    const [run] = await Promise.all([
      wrk(fleet.url, script, options.seconds),
      source.stream(options.rate, options.seconds),
    ])
    const after = fleet.spent()
    const gateway = (after.gateway - before.gateway) / run.requests
    const database = (after.database - before.database) / run.requests
    figures[`${size.engine}${size.processes}PerSecond`] = run.rate
    rows.push([
      STORE_NAMES[size.engine],
      size.processes,
      show(run.rate),
      (run.rate / peer.rate).toFixed(2),
      `${show(run.p50)} / ${show(run.p99)}`,
      show(gateway),
      database === 0 ? '–' : show(database),
      run.errors,
    ])
    await fleet.close()
  }
  source.close()
  const head = [
    'store',
    'processes',
    'req/s',
    'to nginx',
    'p50 / p99 ms',
    'CPU µs, gateway',
    'CPU µs, database',
    'errors',
  ]
  return { figures, tables: [toTable(head, rows)] }
}

async function openSome(url: string, headers: Record<string, string>): Promise<string[]> {
  const open = async ({ body }: Request) => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers })
    return ((await response.json()) as { id: string }).id
  }
  return Promise.all(newCheckouts(CHECKED, 'checked').map(open))
}
