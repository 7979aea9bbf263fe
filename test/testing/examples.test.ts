import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { CHROMIUM } from '../support/chromium.ts'
import { packDevnet } from '../support/packed-devnet.ts'
import { findFrameworks } from './apart.ts'

/* Runs the examples with their frameworks and the packed package, as users would. */

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

interface Outcome {
  code: number
  output: string
}

async function runIn(folder: string, ...args: string[]): Promise<Outcome> {
  const env = { PATH: process.env.PATH!, HOME: folder, CI: '1', NO_COLOR: '1' }
  return run(process.execPath, args, { cwd: folder, env }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, output: stdout + stderr }),
  )
}

/** A folder with exactly an example and its imports. */
function openExample(example: string): string {
  const { folder } = packDevnet()
  const own = join(folder, example.replace(/\..*/, ''))
  mkdirSync(own, { recursive: true })
  copyFileSync(join(root, 'packages/devnet/examples', example), join(own, example))
  return own
}

/** The folder with the frameworks and the package; undefined if they are not installed. */
async function withFrameworks(t: TestContext): Promise<string | undefined> {
  const place = await findFrameworks()
  if ('missing' in place) {
    t.skip(place.missing)
    return undefined
  }
  const modules = join(packDevnet().folder, 'node_modules')
  for (const name of ['vitest', 'vite', '@playwright/test']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    if (!existsSync(join(modules, name))) symlinkSync(join(place.folder, 'node_modules', name), join(modules, name))
  }
  return join(place.folder, 'node_modules')
}

// Without a checksum, the registry could deliver different contents on any day.
test('the frameworks that are installed apart are held to their contents, and none of them runs a script at that', () => {
  interface Lock {
    packages: Record<string, { integrity?: string; hasInstallScript?: boolean; os?: string[] }>
  }
  const file = join(import.meta.dirname, 'apart/package-lock.json')
  const { '': _, ...packages } = (JSON.parse(readFileSync(file, 'utf8')) as Lock).packages
  const loose = Object.entries(packages).filter(
    // One of them is for another system and never installed here.
    ([, { integrity = '', hasInstallScript = false, os = [] }]) =>
      !/^sha512-[\w+/]{86}==$/.test(integrity) || (hasInstallScript && !os.includes('darwin')),
  )
  assert.deepEqual(
    loose.map(([name]) => name),
    [],
  )
})

test('the example for node:test runs', async () => {
  const folder = openExample('node-test.test.ts')
  const { code, output } = await runIn(folder, '--test', '--test-reporter=tap', 'node-test.test.ts')
  assert.equal(code, 0, output)
  assert.match(output, /^# pass 3$/m)
})

test('the example for Vitest runs', async (t) => {
  const modules = await withFrameworks(t)
  if (modules === undefined) return
  const folder = openExample('vitest.test.ts')
  const { code, output } = await runIn(folder, join(modules, 'vitest/vitest.mjs'), 'run', '--root', folder)
  assert.equal(code, 0, output)
  assert.match(output, /Tests +2 passed/)
})

test('the example for Playwright runs', async (t) => {
  const modules = await withFrameworks(t)
  if (modules === undefined) return
  const folder = openExample('playwright.spec.ts')
  const launchOptions = { executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] }
  const config = { testDir: '.', workers: 2, fullyParallel: true, use: { launchOptions } }
  writeFileSync(join(folder, 'playwright.config.mjs'), `export default ${JSON.stringify(config)}`)
  const { code, output } = await runIn(folder, join(modules, '@playwright/test/cli.js'), 'test', '--reporter=line')
  assert.equal(code, 0, output)
  assert.match(output, /2 passed/)
})

test('the examples of Vitest and Playwright compile with the types of these', async (t) => {
  const modules = await withFrameworks(t)
  if (modules === undefined) return
  const files = ['vitest.test.ts', 'playwright.spec.ts'].map((name) => join(openExample(name), name))
  const strict = ['--noEmit', '--strict', '--skipLibCheck', '--pretty', 'false']
  const options = ['--target', 'es2022', '--lib', 'es2023,dom', '--module', 'nodenext', '--types', 'node']
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { output } = await runIn(packDevnet().folder, tsc, ...strict, ...options, ...files)
  assert.equal(output, '')
})
