// External programs that suites need: the Debian package, and how to check that it is installed.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { isUnit } from './test-imports.mjs'

export const PGBOUNCER = '/usr/sbin/pgbouncer'

const hasPostgres = () =>
  existsSync('/usr/lib/postgresql') &&
  readdirSync('/usr/lib/postgresql').some((version) => existsSync(`/usr/lib/postgresql/${version}/bin/postgres`))

const NEEDS = [
  {
    suites: ['test/pages/', 'test/client/package', 'test/testing/examples'],
    name: 'chromium-headless-shell',
    found: () => ['chromium-headless-shell', 'chromium'].some((name) => existsSync(`/usr/bin/${name}`)),
  },
  {
    suites: [
      'src/modules/accounts/',
      'test/chaos/',
      'src/modules/checkout/',
      'src/modules/email/',
      'test/cluster/',
      'test/docs/',
      'test/http/',
      'test/medusa/',
      'test/shared/',
      'test/sim/',
      'test/spec/',
      'test/stores/',
      'src/modules/usernames/',
      'src/modules/wallets/',
      'src/modules/webhooks/',
      'src/modules/x402/',
    ],
    name: 'postgresql',
    found: hasPostgres,
  },
  {
    suites: ['test/chaos/', 'test/shared/'],
    name: 'redis-server',
    found: () => existsSync('/usr/bin/redis-server'),
  },
  // OpenCL for CPUs: the loader and a driver.
  {
    suites: ['test/work/'],
    name: 'ocl-icd-libopencl1',
    found: () => ['x86_64', 'aarch64'].some((machine) => existsSync(`/usr/lib/${machine}-linux-gnu/libOpenCL.so.1`)),
  },
  { suites: ['test/work/'], name: 'pocl-opencl-icd', found: () => existsSync('/etc/OpenCL/vendors/pocl.icd') },
  // Languages of the receivers in the documents.
  ...[
    ['golang-go', 'go', 'version'],
    ['php-cli', 'php', '-v'],
    ['python3', 'python3', '-V'],
    ['ruby', 'ruby', '-v'],
    ['ruby-webrick', 'ruby', '-e', 'require "webrick"'],
  ].map(([name, program, ...words]) => ({
    suites: ['test/docs/receivers', ...(program === 'php' ? ['test/integrations/woocommerce'] : [])],
    name,
    found: () => spawnSync(program, words).status === 0,
  })),
  {
    suites: ['test/integrations/woocommerce'],
    name: 'php-sqlite3',
    found: () => spawnSync('php', ['-r', 'exit(extension_loaded("pdo_sqlite") ? 0 : 1);']).status === 0,
  },
  { suites: ['test/power/'], name: 'gcc', found: () => spawnSync('cc', ['--version']).status === 0 },
  { suites: ['test/power/'], name: 'libc6-dev', found: () => existsSync('/usr/include/stdio.h') },
  { suites: ['test/cluster/'], name: 'nginx-light', found: () => existsSync('/usr/sbin/nginx') },
  { suites: ['test/cluster/'], name: 'haproxy', found: () => existsSync('/usr/sbin/haproxy') },
  { suites: ['test/cluster/helm'], name: 'golang-go', found: () => spawnSync('go', ['version']).status === 0 },
  {
    suites: ['test/cluster/helm'],
    name: 'python3-kubernetes',
    found: () => spawnSync('/usr/bin/python3', ['-c', 'import kubernetes']).status === 0,
  },
  { suites: ['test/cluster/patroni'], name: 'patroni', found: () => existsSync('/usr/bin/patroni') },
  { suites: ['test/cluster/patroni'], name: 'etcd-server', found: () => existsSync('/usr/bin/etcd') },
  { suites: ['test/stores/pooler'], name: 'pgbouncer', found: () => existsSync(PGBOUNCER) },
]

/** Installs what is missing where that is allowed, and returns the files that can run. */
export function provide(root, files) {
  const needs = (file, { suites }) => suites.some((suite) => file.startsWith(suite)) && !isUnit(root, file)
  const missing = () => NEEDS.filter((need) => files.some((file) => needs(file, need)) && !need.found())
  if (missing().length > 0) install(missing().map(({ name }) => name))
  let runnable = files
  for (const need of missing()) {
    console.log(
      `MISSING: ${need.name}, needed by ${need.suites.join(', ')}. Install it with: apt-get install ${need.name}`,
    )
    // On a laptop the other suites still run. In CI a missing program is a failure.
    if (process.env.CI) process.exit(1)
    runnable = runnable.filter((file) => !needs(file, need))
  }
  return runnable
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
