import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '../support/free-port.ts'
import { packMedusa } from '../support/packed-medusa.ts'
import { createDatabase } from '../support/postgres.ts'
import { waitFor } from '../support/until.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const CACHE = join(root, 'node_modules/.cache')

const VERSION = '2.21.2'
const MANIFEST = JSON.stringify({
  name: 'shop',
  private: true,
  dependencies: {
    ...Object.fromEntries(['medusa', 'framework', 'cli', 'admin-sdk'].map((name) => [`@medusajs/${name}`, VERSION])),
    // The first builds the dashboard; the others provide types for its extensions.
    typescript: '5.9.3',
    '@types/react': '18.3.26',
  },
})

/** Dependencies are installed as of this date: some publish a new version every day, and not always a complete one. */
const AS_OF = '2026-11-01'

export const ADMIN = { email: 'admin@shop.example', password: 'only for this test' }

/** The folder with the framework from npm, installed again when its version changes. No scripts run during the installation. */
export async function installFramework(): Promise<string> {
  const folder = join(
    CACHE,
    `nano-gateway-medusa-${createHash('sha256')
      .update(MANIFEST + AS_OF)
      .digest('hex')
      .slice(0, 12)}`,
  )
  if (!existsSync(folder)) {
    const draft = `${folder}.${process.pid}`
    mkdirSync(draft, { recursive: true })
    writeFileSync(join(draft, 'package.json'), MANIFEST)
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--workspaces=false', `--before=${AS_OF}`]
    await run('npm', args, { cwd: draft, maxBuffer: 2 ** 26 })
    renameSync(draft, folder)
  }
  const { folder: packed } = packMedusa()
  const home = join(folder, 'node_modules/@nano-gateway')
  rmSync(home, { recursive: true, force: true })
  cpSync(join(packed, 'node_modules/@nano-gateway'), home, { recursive: true })
  cpSync(join(packed, 'node_modules/@noble'), join(home, 'medusa/node_modules/@noble'), { recursive: true })
  // The shop of the guide.
  cpSync(join(home, 'medusa/example'), folder, { recursive: true })
  return folder
}

export interface Framework {
  url: string
  /** Calls a route that must succeed. */
  call<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, headers?: object): Promise<T>
  /** Runs a program of the example; calls `onLine` with each line of its output. */
  runExample(name: string, onLine: (line: string) => void): Promise<void>
  /** Its output so far. */
  log(): string
}

/** A new shop with an administrator and the dashboard, in its own process on an empty database, until the test ends. */
export async function openFramework(
  t: TestContext,
  settingsAt: (url: string) => Record<string, string>,
): Promise<Framework> {
  const folder = await installFramework()
  const url = `http://127.0.0.1:${await freePort()}`
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    NODE_COMPILE_CACHE: undefined,
    MEDUSA_DISABLE_TELEMETRY: 'true',
    ADMIN_PAGES: 'true',
    DATABASE_URL: await createDatabase(),
    ...settingsAt(url),
  }
  const cli = join(folder, 'node_modules/@medusajs/cli/cli.js')
  const command = (...args: string[]) =>
    run(process.execPath, [cli, ...args], { cwd: folder, env, maxBuffer: 2 ** 26, timeout: 600_000 })
  await command('build')
  await command('db:migrate', '--skip-scripts', '--execute-safe-links')
  await command('user', '-e', ADMIN.email, '-p', ADMIN.password)
  const port = new URL(url).port
  const child = spawn(process.execPath, [cli, 'start', '-p', port], {
    cwd: join(folder, '.medusa/server'),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => end(child))
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void (said += chunk.toString()))
  const isUp = () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => child.exitCode !== null && Promise.reject(new Error(said.slice(-2_000))),
    )
  await waitFor('the shop is open', isUp, { patience: 240_000, tell: () => said.slice(-2_000) })
  return {
    url,
    log: () => said,
    async runExample(name, onLine) {
      const more = { SHOP: url, EMAIL: ADMIN.email, PASSWORD: ADMIN.password }
      const program = spawn(process.execPath, [name], {
        cwd: folder,
        env: { ...env, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      t.after(() => end(program))
      let complaint = ''
      program.stderr.on('data', (chunk: Buffer) => void (complaint += chunk.toString()))
      for await (const line of createInterface({ input: program.stdout })) onLine(line)
      if (program.exitCode === null) await once(program, 'exit')
      if (program.exitCode !== 0) throw new Error(`${name}: ${complaint}`)
    },
    async call<T>(method: string, path: string, body?: object, headers: object = {}) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
      return JSON.parse(text) as T
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
