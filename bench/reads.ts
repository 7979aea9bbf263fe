/*
 * Reads against nginx `proxy_pass`, one worker, in front of the same static upstream. Each figure is a sandwich: nginx,
 * the gateway, nginx again; only the ratio to the mean of the two nginx runs counts, because machines move threefold from
 * minute to minute. Two nginx stand beside it: `proxy_pass` as it is without further words, and one that keeps its
 * connections to the upstream open, as the gateway does. Then the same behind a balancer with more and more processes.
 */
import { WebSocketServer } from 'ws'
import { toAddress } from '../src/kernel/nano/address.ts'
import { type Fleet, listFleets, startFleet } from './kit/fleet.ts'
import { type Request, type Run, median, writeRequests, writeScript, wrk } from './kit/load.ts'
import type { Options } from './kit/options.ts'
import { type Figures, type Report, STORE_NAMES, show, toTable } from './kit/report.ts'
import { Bench, balance, buildGateway, freePort, requireTools } from './kit/servers.ts'

const DISTINCT = 100_000
const ONE: Request = {
  body: { action: 'account_balance', account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo' },
}
const CASES = [
  { name: 'cache hit', key: 'cacheHit', script: 'fixed', env: {}, floor: 0.35 },
  { name: 'hot key, coalesced', key: 'coalesced', script: 'fixed', env: { CACHE_BYTES_MAX: '0' }, floor: 0.3 },
  { name: '100,000 distinct keys', key: 'passThrough', script: 'distinct', env: {}, floor: 0.12 },
] as const

/** Bodies for distinct accounts. */
export const distinctReads = (count: number): Request[] =>
  Array.from({ length: count }, (_, at) => {
    const account = toAddress((at + 1).toString(16).padStart(64, '0').toUpperCase())
    return { body: { action: 'account_balance', account } }
  })

/** A confirmation socket that says nothing, so that answers may be remembered. */
export function startSilentEvents(port: number): WebSocketServer {
  const sockets = new WebSocketServer({ port, host: '127.0.0.1' })
  sockets.on('connection', (socket) => {
    socket.on('message', () => socket.send(JSON.stringify({ ack: 'subscribe', time: '0' })))
  })
  return sockets
}

export async function benchReads(options: Options): Promise<Report> {
  requireTools('nginx', 'wrk', 'redis-server')
  buildGateway()
  await using bench = new Bench()
  const upstream = await bench.startStaticLedger()
  const [proxy, keeping, websocket] = [await freePort(), await freePort(), await freePort()]
  const plain = `server { listen 127.0.0.1:${proxy}; location / { proxy_pass http://127.0.0.1:${upstream}; } }`
  await bench.startNginx('peers', `${plain} ${balance(keeping, [upstream])}`)
  const sockets = startSilentEvents(websocket)
  const node = { nodeUrl: `http://127.0.0.1:${upstream}/`, nodeWsUrl: `ws://127.0.0.1:${websocket}` }
  const distinct = writeRequests(bench.folder, 'distinct', distinctReads(DISTINCT))
  const scripts = {
    fixed: writeScript(writeRequests(bench.folder, 'fixed', [ONE])),
    distinct: writeScript(distinct),
  }
  const peers = { proxy: `http://127.0.0.1:${proxy}/`, keeping: `http://127.0.0.1:${keeping}/` }
  const start = (env: Record<string, string>) => startFleet(bench, { engine: 'sqlite', processes: 1, ...node, env })
  try {
    if (options.memory) return await watchMemory(bench, await start({}))
    const figures: Figures = {}
    const rows = []
    for (const one of CASES) {
      const fleet = await start(one.env)
      rows.push([one.name, ...(await sandwiches(fleet, scripts[one.script], peers, { ...options, ...one, figures }))])
      await fleet.close()
    }
    const fleets = []
    for (const size of listFleets(options.stores, options.processes)) {
      const fleet = await startFleet(bench, { ...size, ...node })
      const walk = writeScript(distinct, fleet.headers)
      const peer = await wrk(peers.proxy, walk, options.seconds)
      // A process needs a second or so until its code is compiled.
      await wrk(fleet.url, walk, size.processes + 1)
      const before = fleet.spent()
      const run = await wrk(fleet.url, walk, options.seconds)
      const gateway = (fleet.spent().gateway - before.gateway) / run.requests
      fleets.push({ ...size, run, gateway, ratio: run.rate / peer.rate, resident: fleet.resident() })
      await fleet.close()
    }
    const one = fleets.find(({ engine, processes }) => engine === 'postgres' && processes === 1)
    for (const { engine, processes, run, gateway } of fleets) {
      figures[`${engine}${processes}PerSecond`] = run.rate
      if (processes === 1) figures[`${engine}Micros`] = gateway
    }
    return {
      figures,
      tables: [
        toTable(
          [
            'case',
            'gateway req/s',
            'nginx req/s',
            '**ratio** (range)',
            'floor',
            'nginx keeping connections',
            'ratio',
            'p99 gateway / nginx',
            'CPU µs',
            'errors',
          ],
          rows,
        ),
        'With a key, 100,000 distinct accounts, through nginx in turns; PostgreSQL and Redis shared, one machine for everything:',
        toTable(
          [
            'store',
            'processes',
            'req/s',
            'to nginx',
            'to one process',
            'p50 / p99 ms',
            'CPU µs each',
            'resident MB',
            'errors',
          ],
          fleets.map(({ engine, processes, run, gateway, ratio, resident }) => [
            STORE_NAMES[engine],
            processes,
            show(run.rate),
            ratio.toFixed(2),
            engine === 'postgres' && one ? (run.rate / one.run.rate).toFixed(2) : '–',
            `${show(run.p50)} / ${show(run.p99)}`,
            show(gateway),
            show(resident),
            run.errors,
          ]),
        ),
      ],
    }
  } finally {
    sockets.close()
  }
}

interface Case extends Pick<Options, 'quick' | 'seconds'> {
  key: string
  floor: number
  figures: Figures
}

async function sandwiches(
  fleet: Fleet,
  script: string,
  peers: { proxy: string; keeping: string },
  { quick, seconds, key, floor, figures }: Case,
): Promise<(string | number)[]> {
  const [url] = fleet.urls
  await wrk(url!, script, quick ? 1 : 2)
  const runs: { own: Run; nginx: { rate: number; p99: number }; keeper: Run; micros: number }[] = []
  const slice = Math.min(seconds, 3)
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    const before = await wrk(peers.proxy, script, slice)
    const spent = fleet.spent().gateway
    const own = await wrk(url!, script, seconds)
    const micros = (fleet.spent().gateway - spent) / own.requests
    const behind = await wrk(peers.proxy, script, slice)
    const keeper = await wrk(peers.keeping, script, slice)
    runs.push({
      own,
      nginx: { rate: (before.rate + behind.rate) / 2, p99: (before.p99 + behind.p99) / 2 },
      keeper,
      micros,
    })
  }
  const ratios = runs.map(({ own, nginx }) => own.rate / nginx.rate)
  figures[`${key}Ratio`] = median(ratios)
  figures[`${key}Micros`] = median(runs.map(({ micros }) => micros))
  return [
    show(median(runs.map(({ own }) => own.rate))),
    show(median(runs.map(({ nginx }) => nginx.rate))),
    `**${median(ratios).toFixed(2)}** (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
    floor,
    show(median(runs.map(({ keeper }) => keeper.rate))),
    median(runs.map(({ own, keeper }) => own.rate / keeper.rate)).toFixed(2),
    `${show(median(runs.map(({ own }) => own.p99)))} / ${show(median(runs.map(({ nginx }) => nginx.p99)))} ms`,
    show(figures[`${key}Micros`]!),
    runs.reduce((sum, { own }) => sum + own.errors, 0),
  ]
}

/** Resident memory while a million distinct requests pass. */
async function watchMemory(bench: Bench, fleet: Fleet): Promise<Report> {
  const script = writeScript(writeRequests(bench.folder, 'million', distinctReads(1_000_000)))
  const rows: string[][] = []
  for (let sent = 0; sent < 1_000_000;) {
    const run = await wrk(fleet.urls[0]!, script, 60)
    sent += run.requests
    rows.push([show(sent), show(fleet.resident())])
    console.log(`${show(sent)} requests, ${show(fleet.resident())} MB resident`)
  }
  return { tables: [toTable(['requests', 'resident MB'], rows)], figures: {} }
}
