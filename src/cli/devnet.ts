import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { lockOf } from '../devnet/file-lock.ts'
import { genesisOf } from '../devnet/genesis.ts'
import { startDevnet } from '../devnet/index.ts'
import { systemClock } from '../infra/clock.ts'
import { Metrics } from '../infra/metrics.ts'
import { keepDatabasePrivate } from '../infra/private-files.ts'
import { systemRandom } from '../infra/random.ts'
import { WORK_THRESHOLDS } from '../kernel/nano/work.ts'
import type { Scheduler } from '../infra/work/scheduler.ts'
import { searchIn } from '../development-ledger.ts'
import { describeRate, openScheduler } from '../infra/work/open.ts'
import { toNumber } from './number.ts'
import { onStop } from './stop.ts'

interface DevnetFlags {
  host: string
  port: string
  wsPort: string
  data: string
  work: string
  network: string
  genesis?: string
  confirmMs: string
  control: boolean
  json?: boolean
}

/** Runs the development ledger in the foreground until it is told to stop. */
export async function runDevnet(flags: DevnetFlags): Promise<void> {
  const { work } = flags
  if (work !== 'dev' && work !== 'beta' && work !== 'live') throw new Error('--work is dev, beta or live.')
  if (flags.data !== ':memory:') mkdirSync(dirname(flags.data), { recursive: true, mode: 0o700 })
  for (const file of [flags.data, lockOf(flags.data)]) keepDatabasePrivate(file)
  const devnet = await startDevnet({
    file: flags.data,
    clock: systemClock,
    random: systemRandom,
    host: flags.host,
    port: toNumber('--port', flags.port, 65_535),
    wsPort: toNumber('--ws-port', flags.wsPort, 65_535),
    thresholds: WORK_THRESHOLDS[work],
    network: flags.network,
    ...(flags.genesis !== undefined && { genesis: genesisOf(flags.genesis) }),
    confirmAfterMilliseconds: toNumber('--confirm-ms', flags.confirmMs, 3_600_000),
    control: flags.control,
  })
  // Opened when it is needed for the first time: most never ask for the work of the live network.
  let threads: Promise<Scheduler> | undefined
  devnet.node.work.searchWith(async (...search) => searchIn(await (threads ??= openThreads()))(...search))
  const { rpcUrl, wsUrl } = devnet
  if (flags.json)
    console.log(
      JSON.stringify({ rpc: rpcUrl, websocket: wsUrl, data: flags.data, genesis: devnet.node.ledger.genesis.hash }),
    )
  else {
    console.log(
      [
        'Nano development ledger',
        '',
        `  RPC        ${rpcUrl}`,
        `  Websocket  ${wsUrl}`,
        `  Data       ${flags.data}`,
        `  Genesis    ${devnet.node.ledger.genesis.hash}`,
        '',
        '  Try it:',
        `  curl -d '{"action":"block_count"}' ${rpcUrl}`,
        '',
      ].join('\n'),
    )
  }
  onStop(async () => {
    await (await threads)?.close()
    await devnet.close()
  })
}

function openThreads(): Promise<Scheduler> {
  return openScheduler(
    {
      workThreads: undefined,
      workCards: undefined,
      workUrls: [],
      workNodes: false,
      workQueueSecondsMax: 600,
      workWaitSecondsMax: 1_800,
    },
    {
      clock: systemClock,
      random: systemRandom,
      metrics: new Metrics(),
      nodes: [],
      onReady: ({ name, rate }) => console.log(`Work: ${name}, ${describeRate(rate)}`),
      onFailure: ({ engine, reason }) => console.error(`${engine}: ${reason}`),
    },
  )
}
