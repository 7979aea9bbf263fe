/*
 * Runs the test suites, several at a time: everything that a change can break, always the same files. Finds or installs the servers
 * and browsers that they need, and names a missing one. Files given as arguments run completely, on both engines.
 *   --quick      only tests in src that need no server
 *   --thorough   also slow tests (chaos, power cuts, the fuzzer, third-party programs), on both engines, with the static checks
 *   --times N    everything N times, or until the first failure: shows whether a test is reliable
 *   --busy       next to a process that keeps a processor busy
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startBusy } from './busy.mjs'
import { readySources } from './made-sources.mjs'
import { groupBySuite } from './test-groups.mjs'
import { PGBOUNCER, provide } from './test-needs.mjs'
import { SETS, behindPooler, engineOf } from './test-sets.mjs'
import { runSuite } from './test-suite.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
/** A path relative to the repository, with forward slashes on every system. */
const pathOf = (file) => relative(root, file).replaceAll('\\', '/')
const { values: options, positionals: named } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    thorough: { type: 'boolean' },
    times: { type: 'string' },
    busy: { type: 'boolean' },
  },
})
const times = Number(options.times ?? 1)
if (!Number.isInteger(times) || times < 1) throw new RangeError('--times takes a whole number from 1 on')
if (options.thorough) process.env.THOROUGH = 'true'
const firstSeed = Number(process.env.SEED ?? randomInt(2 ** 32))

function listTests(folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.test\.tsx?$/.test(entry.name))
    .map((entry) => pathOf(join(entry.parentPath, entry.name)))
    .sort()
}

/** Runs `npm run check` in parallel with the suites. */
async function runStaticChecks() {
  const started = Date.now()
  const child = spawn(process.execPath, [join(root, 'scripts', 'check.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const seconds = Math.round((Date.now() - started) / 1000)
  return { passed: code === 0, broken: code !== 0, failures: [], output, seconds }
}

/**
 * Runs the suites, slightly more at a time than there are processors, because they mostly wait: for confirmations, servers and pages. `tell` prints the
 * output of each.
 */
async function runAll(suites, seed, { tell, stopAtFailure = false }) {
  const waiting = [...suites]
  const failures = []
  let broken = false
  const lane = async () => {
    for (let suite = waiting.shift(); suite; suite = waiting.shift()) {
      const result = await (suite.run?.() ?? runSuite(root, suite.files, seed, suite))
      if (!result.passed && stopAtFailure) waiting.length = 0
      tell(suite, result, waiting.length)
      failures.push(...result.failures)
      broken ||= result.broken
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() + 3 }, lane))
  const files = [...new Set(failures.map(({ file }) => pathOf(file)))]
  return { failures, files, broken, passed: failures.length === 0 && !broken }
}

/** Prints the first failed test that has an error of its own, at the end of a run. */
function tellFirstFailure(failures, seed) {
  const first = failures.find(({ words }) => words !== undefined) ?? failures[0]
  if (!first) return `SEED=${seed}`
  return `${first.title}\n${first.words ?? ''}\nSEED=${seed} repeats it`
}

const headOf = ({ name }, { passed, seconds }) => `── ${name}: ${passed ? 'passed' : 'FAILED'} in ${seconds} s`

async function runOnce(suites) {
  console.log(`${suites.length} suites; each is printed when it has ended. SEED=${firstSeed}`)
  const started = Date.now()
  const tell = (suite, result, left) =>
    console.log(`\n${headOf(suite, result)}${left === 0 ? '' : `, ${left} more to begin`}\n${result.output}`)
  const { failures, files, passed } = await runAll(suites, firstSeed, { tell })
  console.log(`\n${suites.length} suites in ${Math.round((Date.now() - started) / 1000)} s.`)
  if (passed) return true
  console.log(`FAILED: ${files.join(', ') || 'see above'}.\n${tellFirstFailure(failures, firstSeed)}`)
  return false
}

/** Repeats until the first failure. */
async function runTimes(suites) {
  for (let round = 0; round < times; round++) {
    const seed = (firstSeed + round) % 2 ** 32
    console.log(`Round ${round + 1} of ${times}, SEED=${seed}`)
    const tell = (suite, result) => console.log(`${headOf(suite, result)}${result.passed ? '' : `\n${result.output}`}`)
    const { failures, files, passed } = await runAll(suites, seed, { tell, stopAtFailure: true })
    if (passed) continue
    console.log(
      `FAILED in round ${round + 1}: ${files.join(', ') || 'see above'}.\n${tellFirstFailure(failures, seed)}`,
    )
    return false
  }
  console.log(`${times} rounds without a failure.`)
  return true
}

function listSuites() {
  if (named.length > 0) return groupBySuite(provide(root, named))
  const set = options.thorough ? 'thorough' : options.quick ? 'quick' : 'whole'
  const files = provide(root, SETS[set](root, [...listTests('src'), ...listTests('test')]))
  const suites = groupBySuite(files).map((suite) => ({ ...suite, engine: engineOf(set, suite.files) }))
  if (set !== 'thorough') return suites
  const pooled = {
    name: 'test/stores through PgBouncer',
    files: behindPooler(files),
    engine: 'postgres',
    pooler: 'transaction',
  }
  // Both take long, and in parallel they would wait for the same disk.
  const at = suites.findIndex(({ name }) => name === 'test/stores') + 3
  if (existsSync(PGBOUNCER)) suites.splice(at, 0, pooled)
  return [{ name: 'static checks', run: runStaticChecks }, ...suites]
}

readySources()
const suites = listSuites()
const endBusy = options.busy ? startBusy() : undefined
const passed = options.times ? await runTimes(suites) : await runOnce(suites)
await endBusy?.()
process.exit(passed ? 0 : 1)
