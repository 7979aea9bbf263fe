// Runs test files in one process and returns its output.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readFailures } from './failed-files.mjs'

/** Compiled code is cached: most of it is the same for all suites, and store threads start in half the time. */
const COMPILED = join(import.meta.dirname, '../node_modules/.cache/nano-gateway')
/** A file URL, because a plain path does not work on Windows. */
const FAILED_FILES = new URL('failed-files.mjs', import.meta.url).href
const TYPESCRIPT = new URL('typescript.mjs', import.meta.url).href
const UNTRACKED = new URL('untracked.mjs', import.meta.url).href
const OPTIONS = [
  // Tests make many short-lived objects. A larger young generation means fewer collections.
  ...['--max-semi-space-size=64', '--expose-internals', '--import', UNTRACKED, '--import', TYPESCRIPT],
  ...['--test', '--test-isolation=none', '--test-timeout=600000'],
]
/** Far more than any suite needs on a busy small machine. A suite that hangs is ended here and reports where, and the other suites go on. */
const SUITE_MAX = 40 * 60_000
/** Time for a process to print its unfinished tests and to stop its servers. */
const LEAVING_MAX = 30_000

function wait(milliseconds, run) {
  const timer = setTimeout(() => run(), milliseconds)
  return () => clearTimeout(timer)
}

/** Tests for both engines run on the given one, or on both. With a pooler given, PostgreSQL is used through it. */
export async function runSuite(
  root,
  files,
  seed,
  { engine, pooler = process.env.TEST_POOLER, longest = SUITE_MAX, leaving = LEAVING_MAX, after = wait } = {},
) {
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
      TEST_ENGINE: engine,
      TEST_POOLER: pooler,
      NODE_COMPILE_CACHE: COMPILED,
      // Measuring OpenCL drivers takes seconds of every processor. Tests of drivers set it themselves.
      WORK_CARDS: 'none',
      FORCE_COLOR: process.stdout.isTTY ? '1' : '0',
      // A test runner under test would otherwise act as a child of this one.
      NODE_TEST_CONTEXT: undefined,
    },
  })
  const chunks = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
  const forgetImpatience = after(longest, () => {
    chunks.push(Buffer.from(`\nNot at its end after ${longest / 1_000} s; it is broken off.\n`))
    child.kill('SIGINT')
    setTimeout(() => child.kill('SIGKILL'), leaving).unref()
  })
  const code = await new Promise((resolve) => child.on('exit', resolve))
  forgetImpatience()
  await readRest(child, leaving)
  if (!child.stdout.closed) chunks.push(Buffer.from('\nProcesses that it has started hold its output open.\n'))
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

/** The last output. Processes that it left behind may keep the streams open, so this does not wait for their end. */
async function readRest({ stdout, stderr }, leaving) {
  const ends = [stdout, stderr].filter((stream) => !stream.closed).map((stream) => once(stream, 'close'))
  const patience = new AbortController()
  await Promise.race([Promise.all(ends), sleep(leaving, undefined, { signal: patience.signal }).catch(() => undefined)])
  patience.abort()
}
