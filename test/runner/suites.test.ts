import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

/* Which test belongs to what, as the runner decides by its path. */

const root = resolve(import.meta.dirname, '../..')
const load = async <T>(script: string) => (await import(pathToFileURL(resolve(root, 'scripts', script)).href)) as T

test('the tests of every module are a suite of their own, which takes no other module down with it', async () => {
  interface Groups {
    groupBySuite(files: string[]): { name: string; files: string[] }[]
  }
  const { groupBySuite } = await load<Groups>('test-groups.mjs')
  const filesOf = (room: string) =>
    ['a', 'b', 'c', 'd', 'e', 'domain/f'].map((name) => `src/modules/${room}/${name}.test.ts`)
  const suites = groupBySuite([...filesOf('wallets'), ...filesOf('checkout')])
  assert.deepEqual(
    suites.map(({ name, files }) => [name, files.length]),
    [
      ['src/modules/wallets', 6],
      ['src/modules/checkout', 6],
    ],
  )
})

test('a test of money is about money wherever it lies', async () => {
  const { isAboutMoney } = await load<{ isAboutMoney(file: string): boolean }>('test-verdict.mjs')
  for (const room of ['wallets', 'checkout', 'x402', 'email', 'billing', 'faucet', 'swap', 'usernames']) {
    assert.ok(isAboutMoney(`src/modules/${room}/limits.test.ts`), room)
  }
  assert.ok(!isAboutMoney('src/modules/reps/reps.test.ts'))
})

test('what starts a gateway or a database server is no unit test', async () => {
  const { isUnit } = await load<{ isUnit(root: string, file: string): boolean }>('test-imports.mjs')
  assert.ok(isUnit(root, 'src/modules/work/generator.test.ts'))
  assert.ok(!isUnit(root, 'src/../test/http/limits.test.ts'))
  assert.ok(!isUnit(root, 'src/../test/stores/jobs.test.ts'))
  assert.ok(!isUnit(root, 'test/tidy.test.ts'))
})
