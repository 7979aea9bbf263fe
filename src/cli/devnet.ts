import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { KNOWN_NANO, KNOWN_SEED, type KnownAccount, openAccounts } from '../devnet/accounts.ts'
import { lockOf } from '../devnet/file-lock.ts'
import { genesisOf } from '../devnet/genesis.ts'
import { type Devnet, startDevnet } from '../devnet/index.ts'
import { loadState } from '../devnet/state.ts'
import { systemClock } from '../infra/clock.ts'
import { Metrics } from '../infra/metrics.ts'
import { keepDatabasePrivate } from '../infra/private-files.ts'
import { systemRandom } from '../infra/random.ts'
import { parseHex } from '../kernel/nano/block.ts'
import { findMember, parseRequest } from '../kernel/nano/request-tree.ts'
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
  data?: string
  state?: string
  accounts?: string | true
  seed?: string
  work: string
  network: string
  genesis?: string
  confirmMs: string
  control: boolean
  json?: boolean
}

/** Each takes two blocks at the start. */
const ACCOUNTS_MAX = 1_000

/** Runs the development ledger in the foreground until it is told to stop. */
export async function runDevnet(flags: DevnetFlags): Promise<void> {
  const { work } = flags
  if (work !== 'dev' && work !== 'beta' && work !== 'live') throw new Error('--work is dev, beta or live.')
  const data = flags.data ?? (flags.state === undefined ? './data/devnet.db' : ':memory:')
  const seed = parseHex(flags.seed ?? KNOWN_SEED, 64)
  if (seed === undefined) throw new Error('--seed is 64 hexadecimal digits.')
  const count = flags.accounts === true ? 10 : toNumber('--accounts', flags.accounts ?? '0', ACCOUNTS_MAX)
  if (data !== ':memory:') mkdirSync(dirname(data), { recursive: true, mode: 0o700 })
  for (const file of [data, lockOf(data)]) keepDatabasePrivate(file)
  const devnet = await startDevnet({
    file: data,
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
  let accounts: KnownAccount[]
  try {
    if (flags.state !== undefined) await loadFile(devnet, flags.state)
    accounts = await openAccounts(devnet.node, seed, count)
  } catch (error) {
    await devnet.close()
    throw error
  }
  // Opened when it is needed for the first time: most never ask for the work of the live network.
  let threads: Promise<Scheduler> | undefined
  devnet.node.work.searchWith(async (...search) => searchIn(await (threads ??= openThreads()))(...search))
  const { rpcUrl, wsUrl } = devnet
  if (flags.json)
    console.log(
      JSON.stringify({
        rpc: rpcUrl,
        websocket: wsUrl,
        data,
        genesis: devnet.node.ledger.genesis.hash,
        ...(count > 0 && { seed, accounts }),
      }),
    )
  else {
    console.log(
      [
        'Nano development ledger',
        '',
        `  RPC        ${rpcUrl}`,
        `  Websocket  ${wsUrl}`,
        `  Data       ${data}`,
        `  Genesis    ${devnet.node.ledger.genesis.hash}`,
        ...describe(seed, accounts),
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

/** Begins with a dumped ledger; one that has blocks of its own is not thrown away for it. */
async function loadFile({ node }: Devnet, file: string): Promise<void> {
  if (node.ledger.store.totals().blocks > 1 + node.ledger.genesis.epochs.length) {
    throw new Error('--state begins a ledger, and --data names one that has begun. Give a new file, or :memory:.')
  }
  const tree = parseRequest(readFileSync(file, 'utf8'))
  await loadState(node, findMember(tree, 'state') ?? tree)
}

function describe(seed: string, accounts: KnownAccount[]): string[] {
  if (accounts.length === 0) return []
  return [
    '',
    `  Accounts, opened with ${KNOWN_NANO} nano of play money each`,
    `  Seed       ${seed}`,
    ...accounts.flatMap(({ index, address, privateKey }) => [
      `  ${`(${index})`.padEnd(10)} ${address}`,
      `             ${privateKey}`,
    ]),
  ]
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
