/*
 * The capacity model of docs/scaling.md: what one, ten and a thousand instances can handle, computed from the measured processor time of each operation
 * (bench/figures.json). Run as `npm run bench -- model`; `--write` puts the tables into the document. Nothing is fitted: new measurements give new tables.
 */
import { fileURLToPath } from 'node:url'
import type { Options } from './kit/options.ts'
import { type Measurements, readMeasurements, show, toTable, writeBetween } from './kit/report.ts'

const DOCUMENT = fileURLToPath(new URL('../docs/scaling.md', import.meta.url))
const INSTANCES = [1, 10, 1_000]
/** Above this load of a core, waiting times grow quickly. */
const BUSY_MAX = 0.7
/** One database server of a size that is easy to rent. */
const DATABASE_CORES = 32
/** Durable commits a second on a server whose disk syncs in 0.1 ms, with group commit. */
const DATABASE_COMMITS = 20_000
/** Commits of a delivery: claimed, sent, settled. Deliveries in parallel share commits. */
const WEBHOOK_COMMITS = 3
const SEND_COMMITS = 6
/** Confirmations a second that the whole network is assumed to reach. */
const NETWORK_RATE = 1_000
const SECONDS_OF_YEAR = 365.25 * 86_400
/** The planned load. */
const PLANNED = { checkoutsADay: 1e6, readsASecond: 1e4 }
/** Ratio of the busiest minute to the daily average. */
const PEAK = 5
const GIB = 2 ** 30
const TIB = 2 ** 40

interface Operation {
  name: string
  /** Processor time in microseconds, on the gateway and on the database. */
  gateway: number
  database: number
  commits: number
  /** How often the operation runs for each checkout. */
  perCheckout: number
}

function figure(measured: Measurements, bench: string, name: string): number {
  const value = measured[bench]?.figures[name]
  if (value === undefined) throw new Error(`${bench}.${name} was not measured yet: npm run bench -- ${bench} --write`)
  return value
}

export function listOperations(measured: Measurements): Operation[] {
  const of = (row: string) => ({
    gateway: figure(measured, 'cost', `${row}PostgresCost`),
    database: measured.cost?.figures[`${row}PostgresDatabaseCost`] ?? 0,
  })
  return [
    { name: 'read, remembered', ...of('hitKey'), commits: 0, perCheckout: 10 },
    { name: 'read, passed on', ...of('passedKey'), commits: 0, perCheckout: 10 },
    { name: 'checkout made', ...of('made'), commits: 1, perCheckout: 1 },
    { name: 'payment found and credited', ...of('paid'), commits: 1, perCheckout: 0.7 },
    { name: 'webhook delivered', ...of('delivered'), commits: WEBHOOK_COMMITS, perCheckout: 0.7 },
    { name: 'send of a wallet', ...of('sent'), commits: SEND_COMMITS, perCheckout: 0.05 },
  ]
}

/** The share of a core that every instance spends on the network's confirmations. */
export function listeningShare(measured: Measurements): number {
  return (NETWORK_RATE * figure(measured, 'cost', 'heardPostgresCost')) / 1e6
}

/** Operations a second of so many instances with one database, and which of the two is the bottleneck. */
export function capacity(
  operation: Pick<Operation, 'gateway' | 'database' | 'commits'>,
  instances: number,
  listening: number,
): { perSecond: number; limit: 'instances' | 'database processors' | 'database commits' } {
  const bounds = [
    {
      limit: 'instances' as const,
      perSecond: (instances * Math.max(0, BUSY_MAX - listening) * 1e6) / operation.gateway,
    },
    {
      limit: 'database processors' as const,
      perSecond: operation.database === 0 ? Infinity : (DATABASE_CORES * BUSY_MAX * 1e6) / operation.database,
    },
    {
      limit: 'database commits' as const,
      perSecond: operation.commits === 0 ? Infinity : DATABASE_COMMITS / operation.commits,
    },
  ]
  return bounds.reduce((least, bound) => (bound.perSecond < least.perSecond ? bound : least))
}

/** One checkout with everything that usually follows it. */
export function wholeCheckout(operations: readonly Operation[]): Pick<Operation, 'gateway' | 'database' | 'commits'> {
  const sum = (pick: (operation: Operation) => number) =>
    operations.reduce((total, operation) => total + pick(operation) * operation.perCheckout, 0)
  return {
    gateway: sum((one) => one.gateway),
    database: sum((one) => one.database),
    commits: sum((one) => one.commits),
  }
}

function tellCapacity(measured: Measurements): string {
  const operations = listOperations(measured)
  const listening = listeningShare(measured)
  const cells = (operation: Pick<Operation, 'gateway' | 'database' | 'commits'>) =>
    INSTANCES.map((count) => {
      const { perSecond, limit } = capacity(operation, count, listening)
      return `${show(perSecond)}${limit === 'instances' ? '' : ` (${limit})`}`
    })
  const whole = wholeCheckout(operations)
  const head = [
    'a second',
    'CPU µs, instance',
    'CPU µs, database',
    'commits',
    ...INSTANCES.map((count) => `${count.toLocaleString('en')} instance${count === 1 ? '' : 's'}`),
  ]
  const costs = ({ gateway, database, commits }: typeof whole) => [
    show(gateway),
    database === 0 ? '–' : show(database),
    Number(commits.toFixed(1)),
  ]
  const rows = operations.map((operation) => [operation.name, ...costs(operation), ...cells(operation)])
  rows.push(['**a checkout with all that follows**', ...costs(whole), ...cells(whole).map((text) => `**${text}**`)])
  return toTable(head, rows)
}

function tellStream(measured: Measurements): string {
  const heard = figure(measured, 'cost', 'heardPostgresCost')
  const bytes = figure(measured, 'matching', 'watchBytes')
  const load = figure(measured, 'matching', 'postgresLoadSecondsPerMillion')
  const rows = [
    ['confirmations a second, whole network', show(NETWORK_RATE)],
    ['CPU µs to receive one', show(heard)],
    ['share of one core, every instance', `${(listeningShare(measured) * 100).toFixed(1)} %`],
    ['memory for a million watched addresses, MB', show((bytes * 1e6) / 2 ** 20)],
    ['time to load a million at start, s', show(load)],
    ['watched addresses in 4 GiB', show((4 * GIB) / bytes)],
  ]
  return toTable(['the stream', ''], rows)
}

function tellStore(measured: Measurements): string {
  const bytes = figure(measured, 'growth', 'postgresBytesPerCheckout')
  const rows = [1e6, 1e7, 1e8, 1e9].map((checkouts) => [
    `10${'⁰¹²³⁴⁵⁶⁷⁸⁹'[Math.round(Math.log10(checkouts))]}`,
    checkouts * bytes >= TIB
      ? `${((checkouts * bytes) / TIB).toFixed(1)} TiB`
      : `${((checkouts * bytes) / GIB).toFixed(1)} GiB`,
    (checkouts / SECONDS_OF_YEAR).toFixed(2),
    show(checkouts / 12),
  ])
  return toTable(['checkouts', 'on disk', 'a second, if they are a year', 'in a month’s partition'], rows)
}

/** The load of the busiest minute, and the number of instances for it, with one spare. */
export function plan(measured: Measurements) {
  const operations = listOperations(measured)
  const reads = operations.filter(({ name }) => name.startsWith('read'))
  const mean = (pick: (operation: Operation) => number) =>
    reads.reduce((total, operation) => total + pick(operation), 0) / reads.length
  const read = { gateway: mean(({ gateway }) => gateway), database: mean(({ database }) => database), commits: 0 }
  const at = (perSecond: number, { gateway, database, commits }: typeof read) => ({
    perSecond,
    gateway: (perSecond * gateway) / 1e6,
    database: (perSecond * database) / 1e6,
    commits: perSecond * commits,
  })
  const checkouts = at((PLANNED.checkoutsADay / 86_400) * PEAK, wholeCheckout(operations))
  const others = at(PLANNED.readsASecond, read)
  const cores = checkouts.gateway + others.gateway
  const instances = Math.ceil(cores / (BUSY_MAX - listeningShare(measured))) + 1
  return { checkouts, others, instances, databaseCores: (checkouts.database + others.database) / BUSY_MAX }
}

function tellPlan(measured: Measurements): string {
  const { checkouts, others, instances, databaseCores } = plan(measured)
  const bytes = figure(measured, 'growth', 'postgresBytesPerCheckout')
  const row = (name: string, { perSecond, gateway, database, commits }: typeof others) => [
    name,
    show(perSecond),
    gateway.toFixed(2),
    database.toFixed(2),
    show(commits),
  ]
  const rows = [
    row(`checkouts, ${show(PLANNED.checkoutsADay)} a day, busiest minute`, checkouts),
    row('other reads', others),
    [
      `**machines**`,
      '',
      `**${instances} instances of one core**, one of them spare`,
      `**${Math.max(2, Math.ceil(databaseCores))} cores**, and as much for the standby`,
      `${((PLANNED.checkoutsADay * bytes) / GIB).toFixed(1)} GiB a day`,
    ],
  ]
  return toTable(['the plan', 'a second', 'cores, instances', 'cores, database', 'commits a second'], rows)
}

/** Prints the model; `--write` puts it into its document. */
export function runModel({ write }: Pick<Options, 'write'>): void {
  const measured = readMeasurements()
  const parts = {
    capacity: tellCapacity(measured),
    plan: tellPlan(measured),
    stream: tellStream(measured),
    store: tellStore(measured),
  }
  for (const [name, text] of Object.entries(parts)) {
    console.log(`${text}\n`)
    if (write) writeBetween(DOCUMENT, name, text)
  }
}
