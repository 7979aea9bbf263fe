import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { openFolder } from '../support/folder.ts'
import { until } from '../support/until.ts'

/* The suite of each test, which the runner derives from its path. */

const root = resolve(import.meta.dirname, '../..')
const load = async <T>(script: string) => (await import(pathToFileURL(resolve(root, 'scripts', script)).href)) as T

test('a suite of many files has a process of its own, whose crash affects no other; small ones share one', async () => {
  interface Groups {
    groupBySuite(files: string[]): { name: string; files: string[] }[]
  }
  const { groupBySuite } = await load<Groups>('test-groups.mjs')
  const filesOf = (module: string, count: number) =>
    Array.from({ length: count }, (_, at) => `src/modules/${module}/${at % 2 === 0 ? '' : 'domain/'}f${at}.test.ts`)
  const suites = groupBySuite([
    ...filesOf('wallets', 6),
    ...filesOf('pos', 3),
    ...filesOf('accounts', 12),
    ...filesOf('links', 3),
  ])
  assert.deepEqual(
    suites.map(({ name, files }) => [name, files.length]),
    [
      ['src/modules/wallets', 6],
      ['src/modules/pos, src/modules/links', 6],
      ['src/modules/accounts', 12],
    ],
  )
})

test('a run was green because its seed had left out what was broken: the same files run every time', async () => {
  interface Sets {
    SETS: Record<'quick' | 'whole' | 'thorough', (root: string, files: string[]) => string[]>
    engineOf(set: string, files: string[]): string | undefined
    behindPooler(files: string[]): string[]
  }
  const { SETS, behindPooler, engineOf } = await load<Sets>('test-sets.mjs')
  const money = ['src/modules/wallets/limits.test.ts', 'test/spec/part4-pay.test.ts', 'test/stores/sales.test.ts']
  const files = [...money, 'src/kernel/money.test.ts', 'test/chaos/chaos.test.ts', 'test/hostile/matrix.test.ts']
  assert.deepEqual(SETS.thorough(root, files), files)
  assert.deepEqual(SETS.whole(root, files), [...money, 'src/kernel/money.test.ts', 'test/hostile/matrix.test.ts'])
  assert.deepEqual(SETS.quick(root, files), ['src/kernel/money.test.ts'])
  assert.deepEqual(
    money.map((file) => engineOf('whole', [file])),
    ['sqlite', 'sqlite', undefined],
  )
  assert.deepEqual(
    money.map((file) => engineOf('thorough', [file])),
    [undefined, 'sqlite', undefined],
  )
  assert.deepEqual(behindPooler([...files, 'test/stores/pooler.test.ts']), ['test/stores/sales.test.ts'])
})

test('a test that starts a gateway or a database server is not a unit test', async () => {
  const { isUnit } = await load<{ isUnit(root: string, file: string): boolean }>('test-imports.mjs')
  assert.ok(isUnit(root, 'src/modules/work/generator.test.ts'))
  assert.ok(!isUnit(root, 'src/../test/http/docs.test.ts'))
  assert.ok(!isUnit(root, 'src/../test/stores/jobs.test.ts'))
  assert.ok(!isUnit(root, 'test/tidy.test.ts'))
})

interface Suites {
  runSuite(root: string, files: string[], seed: number, bounds?: Bounds): Promise<{ broken: boolean; output: string }>
}
interface Bounds {
  leaving?: number
  after?(milliseconds: number, run: () => void): () => void
}

function layTest(t: TestContext, source: string): string {
  const folder = openFolder(t)
  const file = join(folder, 'laid.test.mjs')
  writeFileSync(file, `import { test } from 'node:test'\n${source}`)
  return file
}

test('a run of an hour and a half ended without a word: a suite that hangs is broken off and names its test', async (t) => {
  const { runSuite } = await load<Suites>('test-suite.mjs')
  const hanging = join(openFolder(t), 'hanging')
  const file = layTest(
    t,
    `import { writeFileSync } from 'node:fs'
    test('ends', () => {})
    test('waits for nobody', () => {
      writeFileSync(${JSON.stringify(hanging)}, '')
      return new Promise(() => setInterval(() => {}, 1000))
    })`,
  )
  // The hour and a half is over when it hangs, however long it takes to begin.
  const after = (_: number, run: () => void) => {
    void until(() => existsSync(hanging)).then(run)
    return () => undefined
  }
  const { broken, output } = await runSuite(root, [file], 1, { after })
  assert.ok(broken, output)
  for (const said of [/✔ ends/, /Not at its end after 2400 s[^]*waits for nobody/]) assert.match(output, said)
})

test('an unhandled error fails the suite, and names its origin', async (t) => {
  const { runSuite } = await load<Suites>('test-suite.mjs')
  const file = layTest(
    t,
    `test('goes on', () => {
      setTimeout(() => { throw new Error('nobody waits for me') }, 10)
      return new Promise((resolve) => setTimeout(resolve, 1_000))
    })`,
  )
  const { broken, output } = await runSuite(root, [file], 1)
  assert.ok(broken, output)
  assert.match(output, /nobody waits for me[^]*laid\.test\.mjs:3/)
})

test('a server that a suite left behind is not waited for', async (t) => {
  const { runSuite } = await load<Suites>('test-suite.mjs')
  const file = layTest(
    t,
    `import { spawn } from 'node:child_process'
    test('leaves somebody behind', () => {
      const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', detached: true })
      left.unref()
      console.log('left ' + left.pid)
    })`,
  )
  const { broken, output } = await runSuite(root, [file], 1, { leaving: 1_000 })
  process.kill(Number(/left (\d+)/.exec(output)![1]))
  assert.ok(!broken, output)
  assert.match(output, /hold its output open/)
})
