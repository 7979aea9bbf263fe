import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openFolder } from '../support/folder.ts'

/* The test runner itself, on suites of one test each. */

const root = resolve(import.meta.dirname, '../..')

/** A test that fails in the given runs, and counts all runs. */
const failingAt = (runs: string, failing: readonly number[]) => `
  import { appendFileSync, readFileSync } from 'node:fs'
  import { test } from 'node:test'
  test('the till is right', () => {
    appendFileSync(${JSON.stringify(runs)}, 'x')
    const run = readFileSync(${JSON.stringify(runs)}, 'utf8').length
    if (${JSON.stringify(failing)}.includes(run)) throw new Error('a raw was lost in run ' + run)
  })
`

/** Writes test files that fail in the given runs; the file's path decides its suite. */
function layTests(t: TestContext, files: Record<string, number[]>) {
  const folder = openFolder(t)
  const countOf = (file: string) => join(folder, `${file.replaceAll('/', '_')}.runs`)
  for (const [file, failing] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), failingAt(countOf(file), failing))
  }
  return {
    paths: Object.keys(files).map((file) => join(folder, file)),
    runsOf: (file: string) => readFileSync(countOf(file), 'utf8').length,
  }
}

async function runTests(...args: string[]): Promise<{ code: number | null; output: string }> {
  const env = { ...process.env, SEED: '77', NODE_TEST_CONTEXT: undefined, FORCE_COLOR: '0' }
  const child = spawn(process.execPath, ['scripts/test.mjs', ...args], { cwd: root, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

test('a file that fails is not run again to see whether it can pass', async (t) => {
  const { paths, runsOf } = layTests(t, { 'pages/one.test.mjs': [1] })
  const { code, output } = await runTests(...paths)
  assert.equal(code, 1, output)
  assert.equal(runsOf('pages/one.test.mjs'), 1)
  const [, end = ''] = output.split('FAILED: ')
  assert.match(end, /one\.test\.mjs.\nthe till is right\n.*a raw was lost in run 1/)
  assert.match(end, /SEED=77 repeats it/)
})

test('a test that fails although it was written in a file without tests fails the run', async (t) => {
  const { paths } = layTests(t, { 'made.mjs': [1], 'shown.test.mjs': [] })
  writeFileSync(paths[1]!, "import './made.mjs'")
  const { code, output } = await runTests(paths[1]!)
  assert.equal(code, 1, output)
  assert.match(output, /FAILED: .*made\.mjs/)
})

test('a suite that is run many times stops at its first failure, and prints the seed of that run', async (t) => {
  const { paths, runsOf } = layTests(t, { 'shown.test.mjs': [3] })
  const { code, output } = await runTests('--times', '5', '--busy', ...paths)
  assert.equal(code, 1, output)
  assert.equal(runsOf('shown.test.mjs'), 3)
  assert.match(output, /FAILED in round 3: .*shown\.test\.mjs.\nthe till is right\n.*a raw was lost in run 3/)
  assert.match(output, /SEED=79 repeats it/)
})

test('a test that failed among others meets the same values when it runs alone with the seed, and others with another', async (t) => {
  const folder = openFolder(t)
  const drawn = join(folder, 'drawn')
  const files = ['one', 'two'].map((name) => join(folder, `${name}.test.mjs`))
  for (const file of files) {
    writeFileSync(
      file,
      `import { appendFileSync } from 'node:fs'
      import { test } from 'node:test'
      import { SEED, newHash } from ${JSON.stringify(new URL('../support/random.ts', import.meta.url).href)}
      test('draws', () => appendFileSync(${JSON.stringify(drawn)}, [SEED, newHash(), newHash()].join(' ') + '\\n'))`,
    )
  }
  for (const args of [['--times', '2', ...files], [files[1]!]]) {
    const { code, output } = await runTests(...args)
    assert.equal(code, 0, output)
  }
  const lines = readFileSync(drawn, 'utf8').trim().split('\n')
  const [, among, , , alone] = lines
  assert.deepEqual(
    lines.map((line) => line.split(' ')[0]),
    ['77', '77', '78', '78', '77'],
  )
  assert.equal(alone, among)
  const values = lines.slice(0, 4).flatMap((line) => line.split(' ').slice(1))
  assert.equal(new Set(values).size, values.length)
})

test('a suite that is repeated beside a busy process passes, and that process ends with it', async (t) => {
  const { paths, runsOf } = layTests(t, { 'shown.test.mjs': [] })
  const { code, output } = await runTests('--times', '2', '--busy', ...paths)
  assert.equal(code, 0, output)
  assert.equal(runsOf('shown.test.mjs'), 2)
  const [, pid = ''] = /process (\d+)/.exec(output) ?? []
  assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' })
})

test('how often a suite is run is a whole number', async () => {
  for (const times of ['0', 'many']) {
    const { code, output } = await runTests('--times', times, 'test/tidy.test.ts')
    assert.equal(code, 1)
    assert.match(output, /--times takes a whole number/)
  }
})
