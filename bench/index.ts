/*
 * The load suite: `npm run bench -- <what> [options]`.
 *
 *   cost        processor time of each operation, next to a baseline: the table of docs/performance.md
 *   matching    payments found among the confirmations of a whole network: --watched 1000000 --rate 1000
 *   websocket   confirmations fanned out to clients
 *   ledger      the development ledger: blocks a second, memory, and the opening of a million blocks
 *   growth      the same operations in stores of 10³ to 10⁵ checkouts, with --long to 10⁶, drawn to docs/pictures/growth.svg
 *   aged        all frequent queries, before and after 10⁶ old rows, with --long 10⁷
 *   instances   a checkout and its payment with one to eight gateways on one PostgreSQL, by many accounts and by one
 *   all         all of these, then the capacity model of docs/scaling.md
 *   model       the model again, from the stored figures
 *   work, work-http   proof of work, alone and through a gateway; only printed
 *
 *   --long      longer runs, 10⁶ rows instead of 10⁵
 *   --write     tables to docs/performance.md, figures to bench/figures.json
 *   --resume    with all: skips what was written in the last six hours
 *   --only reads,hearing,checkouts,webhooks,sends,blocks,report,life   with cost: some of its rows
 *   --check     with cost: its short form; exits with 1 if an operation is 1.5 times more expensive than in bench/figures.json;
 *               with --write it stores the figures for later comparisons
 *   --store sqlite,postgres   --seconds 8   --rows 1000000
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describeMachine } from './kit/machine.ts'
import { type Options, readOptions } from './kit/options.ts'
import { runModel } from './model.ts'
import { KEPT_AS } from './cost/check.ts'
import { type Report, readMeasurements, writeFigures, writeReport } from './kit/report.ts'

const FRESH_MILLISECONDS = 6 * 3_600_000

/** In the order of `all`. Each bench runs in its own process, so that it does not inherit the memory of an earlier one. */
const BENCHES: Record<string, (options: Options) => Promise<Report>> = {
  cost: async (options) => (await import('./cost.ts')).benchCost(options),
  matching: async (options) => (await import('./matching.ts')).benchMatching(options),
  websocket: async (options) => (await import('./websocket.ts')).benchWebsocket(options),
  ledger: async (options) => (await import('./ledger.ts')).benchLedger(options),
  growth: async (options) => (await import('./growth.ts')).benchGrowth(options),
  aged: async (options) => (await import('./aged.ts')).benchAged(options),
  instances: async (options) => (await import('./instances.ts')).benchInstances(options),
}
const SCRIPTS: Record<string, () => Promise<unknown>> = {
  work: () => import('./work.ts'),
  'work-http': () => import('./work-http.ts'),
}

const [what = '', ...rest] = process.argv.slice(2)

if (what === 'all') process.exit(await runAll(rest))
const bench = BENCHES[what]
if (bench) {
  process.exit(await runOne(what, bench, readOptions(rest)))
} else if (what === 'model') runModel(readOptions(rest))
else if (SCRIPTS[what]) await SCRIPTS[what]()
else {
  console.log(usage())
  process.exit(what === '' || what === 'help' ? 0 : 1)
}

async function runOne(name: string, run: (options: Options) => Promise<Report>, options: Options): Promise<number> {
  const about = { at: new Date().toISOString(), long: options.long, machine: describeMachine() }
  console.log(`## ${name}\n\n${about.machine}\n`)
  const started = performance.now()
  const report = await run(options)
  console.log(`${report.tables.join('\n\n')}\n\n(${((performance.now() - started) / 1000).toFixed(0)} s)\n`)
  if (options.write && options.check) writeFigures(KEPT_AS, report, about)
  else if (options.write) writeReport(name, report, about)
  return report.failed ? 1 : 0
}

/** Runs the benches one after another. A failed bench does not stop the others. */
async function runAll(args: readonly string[]): Promise<number> {
  const { resume, write } = readOptions(args)
  const failed: string[] = []
  for (const name of Object.keys(BENCHES)) {
    const measured = readMeasurements()[name]
    if (resume && measured && Date.now() - Date.parse(measured.at) < FRESH_MILLISECONDS) continue
    const self = fileURLToPath(import.meta.url)
    const child = spawn(process.execPath, [...process.execArgv, self, name, ...args], { stdio: 'inherit' })
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) failed.push(name)
  }
  if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}`)
  else runModel({ write })
  return failed.length === 0 ? 0 : 1
}

function usage(): string {
  const text = readFileSync(fileURLToPath(import.meta.url), 'utf8')
  return text
    .slice(text.indexOf('/*') + 2, text.indexOf('*/'))
    .replaceAll(/^ \* ?/gm, '')
    .trim()
}
