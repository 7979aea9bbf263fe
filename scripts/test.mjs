// Runs the test suites. Finds or installs the servers and browsers they need, and says which one is missing.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const unitOnly = process.argv.includes('--unit')
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

/** What a folder of suites needs beside Node: a Debian package and how to see that it is there. */
const NEEDS = [
  { folder: 'test/pages', name: 'chromium', found: () => existsSync('/usr/bin/chromium') },
  { folder: 'test/stores', name: 'postgresql', found: () => existsSync('/usr/lib/postgresql') },
  { folder: 'test/shared', name: 'redis-server', found: () => existsSync('/usr/bin/redis-server') },
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
const needed = () => NEEDS.filter(({ folder, found }) => files.some((file) => file.startsWith(folder)) && !found())
if (needed().length > 0) install(needed().map(({ name }) => name))
for (const { folder, name } of needed()) {
  console.log(`MISSING: ${name}, needed by the suites in ${folder}. Install it with: apt-get install ${name}`)
  // On a laptop the other suites still run; where results count, a missing piece is a failure.
  if (process.env.CI) process.exit(1)
  files = files.filter((file) => !file.startsWith(folder))
}

const options = ['--import', 'tsx', '--test', '--test-isolation=none', '--test-timeout=120000']
const { status } = spawnSync(process.execPath, [...options, ...files], { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)
