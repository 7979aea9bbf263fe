import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { KNOWN_SEED, type KnownAccount, openAccounts } from '../devnet/accounts.ts'
import { lockOf } from '../devnet/file-lock.ts'
import { genesisOf } from '../devnet/genesis.ts'
import { type AnsweredCall, type Devnet, startDevnet } from '../devnet/index.ts'
import { NODE_VERSIONS, VOTERS_MAX, isNodeVersion } from '../devnet/node-options.ts'
import { loadState } from '../devnet/state.ts'
import { systemClock } from '../infra/clock.ts'
import { askNode } from '../infra/http/post-json.ts'
import { Metrics } from '../infra/metrics.ts'
import { keepDatabasePrivate, makeFolder } from '../infra/private-files.ts'
import { systemRandom } from '../infra/random.ts'
import { parseHex } from '../kernel/nano/block.ts'
import { findMember, parseRequest } from '../kernel/nano/request-tree.ts'
import { WORK_THRESHOLDS } from '../kernel/nano/work.ts'
import type { Scheduler } from '../infra/work/scheduler.ts'
import { searchIn } from '../app/development-ledger.ts'
import { describeRate, openScheduler } from '../infra/work/open.ts'
import { LedgerLines, type LineStyle, toBanner, toJsonBanner } from './devnet-lines.ts'
import { toNumber } from './number.ts'
import { onStop } from './stop.ts'

interface DevnetFlags {
  host: string
  port: string
  wsPort: string
  data?: string
  state?: string
  /** False for none. The default is ten, or none for a ledger that starts from a saved state. */
  accounts?: string | boolean
  seed?: string
  work: string
  nodeVersion: string
  fork?: string
  network: string
  genesis?: string
  confirmMs: string
  representatives: string
  control: boolean
  json?: boolean
  log?: LineStyle
  /** A port, or true for the default port. */
  ui?: string | true
  uiHost: string
  quiet?: boolean
}

/** Each account takes two blocks at the start. */
const ACCOUNTS_MAX = 1_000
const ACCOUNTS = 10
const UI_PORT = 7080

const isWork = (text: string): text is keyof typeof WORK_THRESHOLDS => Object.hasOwn(WORK_THRESHOLDS, text)

/** Runs the development ledger in the foreground until it is stopped. */
export async function runDevnet(flags: DevnetFlags): Promise<void> {
  const { work } = flags
  if (!isWork(work)) throw new Error('--work is dev, live, beta or none.')
  if (!isNodeVersion(flags.nodeVersion)) throw new Error('--node-version is 27 or 28.')
  const forked = flags.fork === undefined ? undefined : toForkedNode(flags.fork)
  const file = forked ? './data/fork.db' : './data/devnet.db'
  const data = flags.data ?? (flags.state === undefined ? file : ':memory:')
  const seed = parseHex(flags.seed ?? KNOWN_SEED, 64)
  if (seed === undefined) throw new Error('--seed is 64 hexadecimal digits.')
  const count = countAccounts(flags)
  const lines = openLines(flags)
  if (data !== ':memory:') makeFolder(dirname(data))
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
    version: NODE_VERSIONS[flags.nodeVersion],
    ...(forked && { fork: (action, fields) => askNode(forked, action, fields) }),
    ...(flags.genesis !== undefined && { genesis: genesisOf(flags.genesis) }),
    confirmAfterMilliseconds: toNumber('--confirm-ms', flags.confirmMs, 3_600_000),
    representatives: toNumber('--representatives', flags.representatives, VOTERS_MAX, 1),
    control: flags.control,
    ...(lines && { onCall: (call: AnsweredCall) => lines.call(call) }),
  })
  let accounts: KnownAccount[]
  try {
    if (flags.state !== undefined) await loadFile(devnet, flags.state)
    accounts = await openAccounts(devnet.node, seed, count)
  } catch (error) {
    await devnet.close()
    throw error
  }
  // Opened when first needed: most ledgers never need work of the live network.
  let threads: Promise<Scheduler> | undefined
  devnet.node.work.searchWith(async (...search) => searchIn(await (threads ??= openThreads()))(...search))
  const explorer = await openPages(devnet, flags, accounts)
  const banner = {
    rpc: devnet.rpcUrl,
    websocket: devnet.wsUrl,
    explorer: explorer?.url,
    data,
    genesis: devnet.node.identity.genesis,
    seed,
    accounts,
    control: flags.control,
  }
  console.log(flags.json ? toJsonBanner(banner) : toBanner(banner))
  lines?.follow(devnet.node)
  onStop(async () => {
    await (await threads)?.close()
    await explorer?.close()
    await devnet.close()
  })
}

function toForkedNode(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new Error('--fork is the RPC address of a node, as in http://127.0.0.1:7076.')
  return url
}

/** Loads a dumped ledger at the start; refuses if the file of this ledger already has blocks of its own. */
async function loadFile({ node }: Devnet, file: string): Promise<void> {
  if (node.ledger.store.totals().blocks > 1 + node.ledger.genesis.epochs.length) {
    throw new Error('--state begins a ledger, and --data names one that has begun. Give a new file, or :memory:.')
  }
  const tree = parseRequest(readFileSync(file, 'utf8'))
  await loadState(node, findMember(tree, 'state') ?? tree)
}

/** Loads the code of the pages only when they are wanted. */
async function openPages(devnet: Devnet, { ui, uiHost: host }: DevnetFlags, accounts: readonly KnownAccount[]) {
  if (ui === undefined) return undefined
  const { openExplorer } = await import('./devnet-explorer.ts')
  const port = ui === true ? UI_PORT : toNumber('--ui', ui, 65_535)
  return openExplorer(devnet, { host, port, accounts })
}

function countAccounts({ accounts, state }: DevnetFlags): number {
  if (accounts === false) return 0
  if (accounts === true) return ACCOUNTS
  if (accounts === undefined) return state === undefined ? ACCOUNTS : 0
  return toNumber('--accounts', accounts, ACCOUNTS_MAX)
}

/** One line for each call and block: text at a terminal, JSON elsewhere. */
function openLines({ log, json, quiet }: DevnetFlags): LedgerLines | undefined {
  if (quiet) return undefined
  const { stdout } = process
  // The program that started the ledger may have closed the pipe after the first lines. The ledger continues.
  let isReceived = true
  stdout.on('error', () => (isReceived = false))
  let waiting = ''
  const flush = () => {
    if (isReceived) stdout.write(waiting)
    waiting = ''
  }
  return new LedgerLines({
    style: log ?? (stdout.isTTY && !json ? 'pretty' : 'json'),
    colours: stdout.isTTY && stdout.hasColors(),
    clock: systemClock,
    // Lines of one turn of the event loop are written together: a write costs more than processing a block.
    write(line) {
      if (waiting === '') setImmediate(flush)
      waiting += `${line}\n`
    },
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
