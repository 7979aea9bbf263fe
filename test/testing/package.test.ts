import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { blocksOf } from '../docs/documents.ts'
import { packDevnet } from '../support/packed-devnet.ts'

/* `@nano-gateway/devnet` as published: installed from its packed file into an empty folder. */

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
const OLDEST = '/usr/bin/node'

const PROGRAM = `
import { nano, startLedger } from '@nano-gateway/devnet'
const node = process.argv[2]
const options = { accounts: 2, ...(node === 'own' ? { ownProcess: true } : node && { ownProcess: { node } }) }
const ledger = await startLedger(options)
const [alice, bob] = ledger.accounts
await ledger.around(() => alice.send(bob, '5'))
const hash = await alice.send(bob, '1.5')
await ledger.confirmed(hash)
await bob.receive()
const { balance } = await bob.balance()
await ledger.close()
const isGone = await ledger.rpc('version').then(() => false, () => true)
console.log(JSON.stringify([nano(balance), isGone]))
`

test('the package is small, has its types, names what it needs, and nothing of a server', (t) => {
  const { folder, bytes, files } = packDevnet()
  t.diagnostic(`${Math.ceil(bytes / 1000)} KB packed, ${files.length} files`)
  assert.ok(bytes < 90_000, `${bytes} bytes`)
  const known =
    /^(package\.json|README\.md|LICENSE|dist\/[\w-]+\.js|examples\/[\w.-]+\.ts|dist\/(testing|kernel)\/.+\.d\.ts)$/
  assert.deepEqual(
    files.filter((path) => !known.test(path)),
    [],
  )
  const home = join(folder, 'node_modules/@nano-gateway/devnet')
  const { dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { dependencies: object }
  const server = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { devDependencies: object }
  assert.deepEqual(
    Object.entries(dependencies),
    Object.entries(server.devDependencies).filter(([name]) => name in dependencies),
  )
  const imported = readdirSync(join(home, 'dist'))
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => [...readFileSync(join(home, 'dist', file), 'utf8').matchAll(/^import .*?"([^."][^"]*)";$/gm)])
    .map(([, from]) => from!)
    .filter((from) => !from.startsWith('node:'))
  assert.deepEqual(
    [...new Set(imported.map((from) => /^(@[^/]+\/)?[^/]+/.exec(from)![0]))].sort(),
    Object.keys(dependencies).sort(),
  )
})

test('a program in an empty folder starts a ledger, in its own process and in another; on an old Node it says what is needed', async (t) => {
  const { folder } = packDevnet()
  writeFileSync(join(folder, 'program.mjs'), PROGRAM)
  const start = async (node: string, ...words: string[]) => {
    const { stdout } = await run(node, ['program.mjs', ...words], { cwd: folder, env: { PATH: process.env.PATH! } })
    return JSON.parse(stdout) as unknown
  }
  assert.deepEqual(await start(process.execPath), ['1001.5', true])
  assert.deepEqual(await start(process.execPath, 'own'), ['1001.5', true])
  if (!existsSync(OLDEST)) return
  const { stdout: version } = await run(OLDEST, ['--version'])
  t.diagnostic(`the oldest here is ${version.trim()}`)
  if (!version.startsWith('v20.')) return
  await assert.rejects(start(OLDEST), /needs Node 22\.13 or newer, for node:sqlite; this is v20\./)
  assert.deepEqual(await start(OLDEST, process.execPath), ['1001.5', true])
})

test('a ledger in its own process ends with its parent, however that ends', async () => {
  const { folder } = packDevnet()
  const program = `import { startLedger } from '@nano-gateway/devnet'
const { rpcUrl } = await startLedger({ accounts: 0, ownProcess: true })
console.log(rpcUrl)
process.kill(process.pid, 'SIGKILL')`
  writeFileSync(join(folder, 'killed.mjs'), program)
  const { stdout } = await run(process.execPath, ['killed.mjs'], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  )
  const answers = () => fetch(stdout.trim(), { method: 'POST', body: '{"action":"version"}' })
  // The ledger closes once the channel to its parent is gone; until then it still answers.
  for (let isThere = true; isThere;) {
    isThere = await answers().then(
      () => true,
      () => false,
    )
  }
})

test('its README, its guide and its examples compile with the types of the package', async () => {
  const { folder } = packDevnet()
  const documents = ['packages/devnet/README.md', 'docs/devnet.md']
  const programs = documents.flatMap(blocksOf).filter(({ fence }) => fence === 'ts')
  const plain = programs.filter(({ code }) => !/from '(vitest|@playwright\/test)'/.test(code))
  assert.ok(plain.length >= 4)
  for (const [at, { code }] of plain.entries()) writeFileSync(join(folder, `readme-${at}.ts`), code)
  writeFileSync(join(folder, 'example.ts'), readFileSync(join(root, 'packages/devnet/examples/node-test.test.ts')))
  const wrong = `import { startLedger } from '@nano-gateway/devnet'
const ledger = await startLedger({ accounts: 1 })
// @ts-expect-error -- a number is neither raw nor nano
await ledger.fund(ledger.accounts[0], 5)
// @ts-expect-error -- a delay takes how long
await ledger.fault('process', { kind: 'delay' })
// @ts-expect-error -- one of both
await ledger.setTime({})
// @ts-expect-error -- no such option
await startLedger({ acounts: 3 })
`
  writeFileSync(join(folder, 'wrong.ts'), wrong)
  const files = [...plain.map((_, at) => `readme-${at}.ts`), 'example.ts', 'wrong.ts']
  const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck']
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['--target', 'es2022', '--module', 'nodenext', '--types', 'node', '--pretty', 'false']
  const { stdout } = await run(process.execPath, [tsc, ...strict, ...options, ...files], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  )
  assert.equal(stdout, '')
})
