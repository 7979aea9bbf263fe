import type { AddressInfo } from 'node:net'
import { createWorkServer, readWorkKeys } from '../http/work-server.ts'
import { systemClock } from '../infra/clock.ts'
import { Metrics } from '../infra/metrics.ts'
import { systemRandom } from '../infra/random.ts'
import { INFRA_SETTINGS } from '../infra/settings.ts'
import { WORK_THRESHOLDS } from '../kernel/nano/work.ts'
import { describeRate, describeSources, openScheduler } from '../infra/work/open.ts'
import { toNumber } from './number.ts'
import { onStop } from './stop.ts'

interface WorkFlags {
  host: string
  port: string
  threads: string
  network: string
  cards: string
  keys?: string
  bench?: boolean
}

/** Runs a work server in the foreground until it is stopped. */
export async function runWorkServer(flags: WorkFlags): Promise<void> {
  const { host, port, threads, network, cards, keys } = flags
  if (network !== 'live' && network !== 'beta' && network !== 'dev') throw new Error('--network is live, beta or dev.')
  const config = {
    workThreads: threads === 'auto' ? undefined : toNumber('--threads', threads, 1_024),
    workCards: INFRA_SETTINGS.workCards.read(cards),
    workUrls: [],
    workNodes: false,
    // Nodes wait longer than people, and close the connection when they give up.
    workQueueSecondsMax: 600,
    workWaitSecondsMax: 1_800,
  }
  if (flags.bench) {
    const { printWorkBench } = await import('./work-bench.ts')
    return printWorkBench(config)
  }
  const payers = keys === undefined ? undefined : readWorkKeys(keys)
  const scheduler = await openScheduler(config, {
    clock: systemClock,
    random: systemRandom,
    metrics: new Metrics(),
    nodes: [],
    onReady: ({ name, rate }) => console.log(`${name}: ${describeRate(rate)}`),
    onFailure: ({ engine, reason }) => console.error(`${engine}: ${reason}`),
  })
  const server = createWorkServer({
    clock: systemClock,
    thresholds: WORK_THRESHOLDS[network],
    searches: scheduler,
    ...(payers && { payers }),
    onError: console.error,
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(toNumber('--port', port, 65_535), host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  console.log(
    `Work server for the ${network} network at http://${host}:${bound}: ${describeSources(scheduler.engines)}`,
  )
  onStop(async () => {
    server.close()
    server.closeAllConnections()
    await scheduler.close()
  })
}
