// Runs test files in one process and answers what they said.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFailures } from './failed-files.mjs'

/** What suites load is compiled once: most of it is the same for all of them, and threads of the store start in half the time. */
const COMPILED = join(import.meta.dirname, '../node_modules/.cache/nano-gateway')
/** By its address: a bare path is none on every system. */
const FAILED_FILES = new URL('failed-files.mjs', import.meta.url).href
const OPTIONS = ['--import', 'tsx', '--test', '--test-isolation=none', '--test-timeout=600000']

export async function runSuite(root, files, seed) {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-tests-'))
  const results = join(folder, 'failed')
  const reporters = [
    ['spec', 'stdout'],
    [FAILED_FILES, results],
  ].flatMap(([reporter, destination]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`])
  const started = Date.now()
  const child = spawn(process.execPath, [...OPTIONS, ...reporters, ...files], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      SEED: String(seed),
      NODE_COMPILE_CACHE: COMPILED,
      // Drivers take seconds of every processor to be measured; tests of them ask for them.
      WORK_CARDS: 'none',
      FORCE_COLOR: process.stdout.isTTY ? '1' : '0',
      // A runner that is itself under test would else take its children for its own.
      NODE_TEST_CONTEXT: undefined,
    },
  })
  const chunks = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
  const code = await new Promise((resolve) => child.on('close', resolve))
  const { ended, failures } = readFailures(existsSync(results) ? readFileSync(results, 'utf8') : '')
  rmSync(folder, { recursive: true })
  return {
    passed: code === 0,
    broken: !ended || (code !== 0 && failures.length === 0),
    failures,
    output: Buffer.concat(chunks).toString(),
    seconds: Math.round((Date.now() - started) / 1000),
  }
}
