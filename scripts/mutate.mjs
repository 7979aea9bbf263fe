// Mutation testing: makes one line of `src/modules` or `src/guard` wrong at a time and expects a test of its module to fail. Mutations that survive are
// printed, because no test covers these lines. `npm run mutate -- --seed 7 --count 150 [--only src/modules/wallets,src/modules/pos] [--lanes 2]`
// First it finds out which test reaches which line, once for each state of the sources, so that a mutation runs only the tests that reach it. `--nearest
// 3` runs only the three nearest of them, none with a browser or a run time of minutes; survivors then need a look.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { listSlips, parses, seeded, shuffled, slipped } from './mutants.mjs'
import { readReached } from './reached.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    count: { type: 'string', default: '150' },
    only: { type: 'string', default: '' },
    lanes: { type: 'string', default: '2' },
    nearest: { type: 'string' },
    // The output of an earlier run with the same seed: mutations that failed a test then are skipped.
    log: { type: 'string' },
  },
})

/** Further tests of a module, besides those in its folder, cheapest first: prefixes of file names without `.test.ts`. */
const HELD_BY = {
  admin: 'test/stores/dashboard test/pages/dashboard',
  guard:
    'src/modules/accounts/once test/spec/part5 test/spec/part1 test/spec/part7 test/spec/part4-once test/spec/part4-x402 test/spec/part8 src/modules/x402',
  accounts:
    'test/stores/credits test/stores/free-uses test/spec/part5 test/http/rest test/spec/part4-credits test/spec/part4-profile test/spec/part8-plans test/stores/key-makers test/stores/spending test/stores/dashboard test/shared test/stores/neighbours-accounts',
  billing:
    'test/stores/sales test/sim/sales test/spec/part4-credits test/spec/part8-sales test/spec/part3-transfers test/stores/neighbours-sales src/modules/usernames',
  checkout:
    'test/stores/checkouts test/sim/matching test/sim/refunds test/spec/part2-checkout test/spec/part2-o test/spec/part3-checkout test/spec/part4-orders test/spec/part4-check test/spec/part4-pay test/spec/part4-re test/spec/part4-statement test/spec/part4-invoice test/stores/sums test/stores/errands test/spec/part6 test/spec/part8-checkout test/stores/dashboard test/stores/pages test/stores/neighbours-checkout',
  email: 'test/stores/email test/spec/part4-email test/spec/part6-email test/sim/email test/stores/neighbours-sales',
  faucet: 'test/spec/part4-faucet test/spec/part8-other',
  ledger:
    'test/spec/part2-ledger test/spec/part4-reads test/spec/part1 test/spec/part4-publish test/spec/part7 test/spec/recorded-node',
  links:
    'test/stores/links test/spec/part4-link test/spec/part4-orders test/spec/part4-subscriptions test/stores/sums test/stores/neighbours-links test/pages/links test/pages/subscriptions test/pages/button',
  market: 'test/spec/part4-market test/spec/part2-data',
  names:
    'test/spec/part2-names test/spec/part1-aliases src/modules/usernames test/stores/names test/stores/neighbours-sales',
  pos: 'test/stores/pos test/spec/part4-pos test/stores/neighbours-pos test/pages/pos',
  reps: 'test/spec/part2-data',
  status: 'test/spec/part4-status',
  swap: 'test/spec/part4-market test/spec/part3-transfers test/stores/neighbours-sales',
  usernames: 'test/spec/part4-names test/spec/part3-names test/spec/part2-names test/sim/sales test/spec/part8-sales',
  wallets:
    'test/spec/part4-wallet test/spec/part3-wallets test/spec/part7-wallets test/spec/part3-transfers test/sim/wallets test/sim/nth test/stores/errands test/stores/send-purposes test/spec/part5-spending src/modules/checkout/unswept test/stores/neighbours-wallets',
  webhooks: 'test/spec/part6',
  work: 'test/spec/part4-work',
  x402: 'test/stores/x402 test/spec/part4-x402 test/stores/neighbours-sales',
}

const listed = (folder, pattern) =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()

const tests = [...listed('src', /\.test\.tsx?$/), ...listed('test', /\.test\.tsx?$/)]
const moduleOf = (file) => (file.startsWith('src/guard/') ? 'guard' : file.split('/')[2])
/** Every module must be listed. Otherwise it would miss tests, and lines would be reported as not covered. */
const heldBy = (module) => {
  if (!(module in HELD_BY)) throw new Error(`HELD_BY does not say which tests hold ${module}`)
  return HELD_BY[module]
}
/** Tests with a browser, and tests that search for rare orders of events. */
const FAR = /^test\/(?:pages|sim|shared)\/|\/neighbours-/
const testsOf = (module) =>
  [
    ...new Set(
      [module === 'guard' ? 'src/guard/' : `src/modules/${module}/`, ...heldBy(module).split(/\s+/)].flatMap((start) =>
        tests.filter((file) => file.startsWith(start)),
      ),
    ),
  ].filter((file) => !values.nearest || !FAR.test(file))

const written = [...listed('src/modules', /\.tsx?$/), ...listed('src/guard', /\.tsx?$/)].filter(
  (file) => !/\.test\.tsx?$/.test(file),
)
/** In the given order. */
const sources = values.only.split(',').flatMap((start) => written.filter((file) => file.startsWith(start)))
const sourceOf = (file) => readFileSync(join(root, file), 'utf8')
const every = sources.flatMap((file) => listSlips(file, sourceOf(file)))
const seed = Number(values.seed)
const chosen = []
for (const mutant of shuffled(every, seeded(seed))) {
  if (chosen.length === Number(values.count)) break
  if (parses(slipped(sourceOf(mutant.file), mutant))) chosen.push(mutant)
}
console.log(`Seed ${seed}: ${chosen.length} of ${every.length} single wrong lines.`)

/** A test that waits forever counts as failed. */
const TEST_MILLISECONDS_MAX = 180_000
const RUN_MILLISECONDS_MAX = 900_000
const CACHE = join(root, 'node_modules/.cache/mutants')

function runTests(copy, files, options) {
  return new Promise((resolve) => {
    const test = ['--test', '--test-isolation=none', `--test-timeout=${TEST_MILLISECONDS_MAX}`]
    // One engine is enough: the mutated lines do not depend on it.
    const env = { TEST_ENGINE: 'sqlite', ...process.env, NODE_COMPILE_CACHE: join(CACHE, 'compiled') }
    const child = spawn(process.execPath, ['--import', './scripts/typescript.mjs', ...test, ...options, ...files], {
      cwd: copy,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let said = ''
    child.stdout.on('data', (chunk) => (said += chunk))
    const limit = setTimeout(() => child.kill(), RUN_MILLISECONDS_MAX)
    child.on('close', (code) => {
      clearTimeout(limit)
      resolve({ code, said })
    })
  })
}

/** Runs files in one process, which exits at the first failed test and names its file. */
async function firstRed(copy, files) {
  const reporter = `--test-reporter=${join(root, 'scripts/first-red.mjs')}`
  const { code, said } = await runTests(copy, files, [reporter, '--test-reporter-destination=stdout'])
  if (code === 0) return undefined
  const file = /^RED (.*)$/m.exec(said)?.[1].replace(`${copy}/`, '')
  return file || (code === null ? 'what did not end' : 'what could not be loaded')
}

/** Which lines a test file reaches and how long it takes. The test must pass, or it would seem to find every mutation. */
async function reach(copy, file) {
  const started = Date.now()
  const include = ['src/modules/**', 'src/guard/**'].map((path) => `--test-coverage-include=${path}`)
  const reporter = ['--test-reporter=lcov', '--test-reporter-destination=stdout']
  const { code, said } = await runTests(copy, [file], ['--experimental-test-coverage', ...include, ...reporter])
  if (code !== 0 && !values.nearest) throw new Error(`${file} is red before anything was changed`)
  if (code !== 0) return { milliseconds: Date.now() - started, lines: undefined }
  return { milliseconds: Date.now() - started, lines: readReached(said) }
}

const committed = new Map(
  spawnSync('git', ['ls-tree', '-r', 'HEAD', 'src', 'test'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .stdout.trim()
    .split('\n')
    .map((entry) => entry.split('\t'))
    .map(([object, file]) => [file, object.split(' ')[2]]),
)
const sourcesNow = [...committed].filter(([file]) => file.startsWith('src/') && !tests.includes(file))
/** Coverage stays valid until the test or any file that it runs changes. */
const KEPT = join(CACHE, createHash('sha256').update(sourcesNow.join('\n')).digest('hex'))
const reached = {}

async function reachAll(copy, waiting) {
  mkdirSync(KEPT, { recursive: true })
  for (let file = waiting.shift(); file; file = waiting.shift()) {
    if (reached[file]) continue
    const kept = join(KEPT, `${committed.get(file)}.json`)
    reached[file] = existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : await reach(copy, file)
    if (reached[file].lines) writeFileSync(kept, JSON.stringify(reached[file]))
    const seconds = Math.round(reached[file].milliseconds / 1000)
    const verdict = reached[file].lines ? 'reached' : 'red before anything was changed, and left out'
    console.log(`${verdict}: ${file} in ${seconds} s, ${waiting.length} more`)
  }
}

/**
 * The tests of a module that run anything in the file beyond loading it; first those that run the line, fastest first. The line alone does not decide,
 * because source maps are not exact.
 */
function seenBy({ file, line }) {
  const tests = testsOf(moduleOf(file)).filter((test) => reached[test].lines)
  const linesOf = (test) => reached[test].lines[file] ?? []
  const loaded = Math.min(...tests.map((test) => linesOf(test).length))
  // The nearest test runs most of the file. Many others only pass through the line.
  const cost = (test) => (values.nearest ? -linesOf(test).length : reached[test].milliseconds)
  const rank = (test) => (linesOf(test).includes(line) ? 0 : 1_000_000) + cost(test)
  const running = tests.filter((test) => linesOf(test).length > loaded)
  return (running.length > 0 ? running : tests)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, Number(values.nearest ?? Infinity))
}

/** The first few tests find most mutations. The slow tests run once for all that survive in a module. */
const QUICK = Number(values.nearest ?? 3)

/** A copy of the committed tree with the installed packages. */
function openCopy() {
  const copy = join(mkdtempSync(join(tmpdir(), 'nano-gateway-mutants-')), 'tree')
  const { status, stderr } = spawnSync('git', ['worktree', 'add', '--detach', copy, 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const made = spawnSync(process.execPath, ['scripts/made-sources.mjs'], { cwd: copy, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(made.stderr)
  return copy
}

function closeCopy(copy) {
  spawnSync('git', ['worktree', 'remove', '--force', copy], { cwd: root })
  rmSync(dirname(copy), { recursive: true, force: true })
}

const survivors = []
let killed = 0

function tell(mutant, verdict, started) {
  const { file, line, slip, was } = mutant
  const seconds = Math.round((Date.now() - started) / 1000)
  console.log(
    `${killed + survivors.length}/${chosen.length} ${verdict}: ${file}:${line} ${slip}: ${was} (${seconds} s)`,
  )
}

function count(mutant, by, started) {
  if (by) killed++
  else survivors.push(mutant)
  tell(mutant, by ? `red in ${by}` : 'SURVIVED', started)
}

/** Applies mutations to a copy, runs the function, and reverts them. */
async function withSlips(copy, mutants, run) {
  const originals = new Map()
  for (const mutant of mutants) {
    const path = join(copy, mutant.file)
    const source = readFileSync(path, 'utf8')
    if (!originals.has(path)) originals.set(path, source)
    writeFileSync(path, slipped(source, mutant))
  }
  try {
    return await run()
  } finally {
    for (const [path, source] of originals) writeFileSync(path, source)
  }
}

/** Returns the mutations that the fast tests have not found. */
async function tryQuickly(copy, waiting) {
  const left = []
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const started = Date.now()
    const files = seenBy(mutant)
    const by = await withSlips(copy, [mutant], () => firstRed(copy, files.slice(0, QUICK)))
    if (by || files.length <= QUICK) count(mutant, by, started)
    else {
      left.push(mutant)
      tell(mutant, 'left for the slow tests', started)
    }
  }
  return left
}

/** Tries several mutations at once. If all tests pass, all of them survive; otherwise each half is tried. */
async function trySlowly(copy, mutants) {
  const started = Date.now()
  const files = [...new Set(mutants.flatMap((mutant) => seenBy(mutant).slice(QUICK)))]
  const by = await withSlips(copy, mutants, () => firstRed(copy, files))
  if (!by) for (const mutant of mutants) count(mutant, undefined, started)
  else if (mutants.length === 1) count(mutants[0], by, started)
  else {
    const half = Math.ceil(mutants.length / 2)
    await trySlowly(copy, mutants.slice(0, half))
    await trySlowly(copy, mutants.slice(half))
  }
}

/** Groups mutations by module, never two of one line. */
function bundle(mutants) {
  const bundles = []
  for (const mutant of mutants) {
    const fits = (bundle) =>
      moduleOf(bundle[0].file) === moduleOf(mutant.file) &&
      !bundle.some(({ file, line }) => file === mutant.file && line === mutant.line)
    const known = bundles.find(fits)
    if (known) known.push(mutant)
    else bundles.push([mutant])
  }
  return bundles
}

const copies = Array.from({ length: Number(values.lanes) }, openCopy)
try {
  const earlier = values.log === undefined ? '' : readFileSync(values.log, 'utf8')
  const wasRed = ({ file, line, slip, was }) =>
    earlier.split('\n').some((said) => said.includes(' red in ') && said.includes(`: ${file}:${line} ${slip}: ${was}`))
  const waiting = chosen.filter((mutant) => !wasRed(mutant))
  killed = chosen.length - waiting.length
  const left = []
  for (const module of new Set(sources.map(moduleOf))) {
    const ofModule = waiting.filter(({ file }) => moduleOf(file) === module)
    const files = ofModule.length > 0 ? testsOf(module) : []
    await Promise.all(copies.map((copy) => reachAll(copy, files)))
    left.push(...(await Promise.all(copies.map((copy) => tryQuickly(copy, ofModule)))).flat())
  }
  const bundles = bundle(left)
  await Promise.all(
    copies.map(async (copy) => {
      for (let next = bundles.shift(); next; next = bundles.shift()) await trySlowly(copy, next)
    }),
  )
} finally {
  copies.forEach(closeCopy)
}
console.log(`\nSeed ${seed}: ${killed} of ${chosen.length} turned a test red, ${survivors.length} survived.`)
for (const { file, line, slip, was } of survivors) console.log(`  ${file}:${line} ${slip}: ${was}`)
