// Runs the test suites. Finds or installs the servers and browsers they need, and says which one is missing.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const unitOnly = process.argv.includes('--unit')
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

const hasPostgres = () =>
  existsSync('/usr/lib/postgresql') &&
  readdirSync('/usr/lib/postgresql').some((version) => existsSync(`/usr/lib/postgresql/${version}/bin/postgres`))

/** What suites need beside Node: a Debian package and how to see that it is there. */
const NEEDS = [
  { suites: ['test/pages/'], name: 'chromium', found: () => existsSync('/usr/bin/chromium') },
  {
    suites: [
      'test/stores/',
      'test/accounts/',
      'test/checkout/',
      'test/chaos/',
      'test/cluster/',
      'test/docs/',
      'test/shared/',
      'test/sim/nth-failure.test.ts',
      'test/wallets/custody.test.ts',
      'test/wallets/kill.test.ts',
      'test/http/rest.test.ts',
      'test/webhooks/',
      'test/x402/',
    ],
    name: 'postgresql',
    found: hasPostgres,
  },
  {
    suites: ['test/chaos/', 'test/shared/'],
    name: 'redis-server',
    found: () => existsSync('/usr/bin/redis-server'),
  },
  { suites: ['test/cluster/'], name: 'nginx-light', found: () => existsSync('/usr/sbin/nginx') },
]

function listTests(folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.test\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}

function install(names) {
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  if (!mayInstall) return
  console.log(`Installing ${names.join(', ')} …`)
  const run = (...args) =>
    spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  run('update', '-q')
  run('install', '-y', '-q', '--no-install-recommends', ...names)
}

let files = named.length > 0 ? named : [...listTests('src'), ...(unitOnly ? [] : listTests('test'))]
const needs = (file, { suites }) => suites.some((suite) => file.startsWith(suite))
const missing = () => NEEDS.filter((need) => files.some((file) => needs(file, need)) && !need.found())
if (missing().length > 0) install(missing().map(({ name }) => name))
for (const need of missing()) {
  console.log(
    `MISSING: ${need.name}, needed by ${need.suites.join(', ')}. Install it with: apt-get install ${need.name}`,
  )
  // On a laptop the other suites still run; where results count, a missing piece is a failure.
  if (process.env.CI) process.exit(1)
  files = files.filter((file) => !needs(file, need))
}

const results = join(mkdtempSync(join(tmpdir(), 'nano-gateway-tests-')), 'failed')
const run = (names) => {
  const options = ['--import', 'tsx', '--test', '--test-isolation=none', '--test-timeout=120000']
  const reporters = [
    ['spec', 'stdout'],
    [join(root, 'scripts/failed-files.mjs'), results],
  ].flatMap(([reporter, destination]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`])
  const { status } = spawnSync(process.execPath, [...options, ...reporters, ...names], { cwd: root, stdio: 'inherit' })
  const written = existsSync(results) ? readFileSync(results, 'utf8') : ''
  const failed = [...new Set(written.split('\n').filter(Boolean))]
  return { passed: status === 0, failed }
}

const first = run(files)
if (first.passed) process.exit(0)
// On a machine that others use as well, a test may run out of its time. It gets a second chance by itself, and is named, because
// a test that fails once in many runs is a bug of the test or of what it tests. A simulation that found a broken promise keeps it.
const isSimulation = (file) => /^test\/(sim|chaos)\//.test(relative(root, file))
const mayRepeat = first.failed.length > 0 && first.failed.length <= 3 && !first.failed.some(isSimulation)
if (!mayRepeat) process.exit(1)
console.log(`\nFAILED: ${first.failed.join(', ')}. Once more, alone:\n`)
const second = run(first.failed)
if (!second.passed) process.exit(1)
console.log(`\nUNSTEADY: ${first.failed.join(', ')} failed once (see above) and passed alone. Please mend it.`)
