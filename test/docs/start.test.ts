import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ask } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { blocksWith, commandsOf, root } from './documents.ts'
import { runScript, serve, tools } from './shell.ts'
import { openFolder } from '../support/folder.ts'

/* `npm start`, the first command of a new user. */

const beginnings = blocksWith('sh serves').filter(({ code }) => commandsOf(code).includes('npm start'))

test('README, getting started and the first payment begin with the same command', () => {
  assert.deepEqual(
    beginnings.map(({ page, code }) => [page, ...commandsOf(code)]),
    ['README.md', 'docs/first-payment.md', 'docs/getting-started.md'].map((page) => [page, 'npm start']),
  )
})

// The rest of `npm ci` needs the network: this checks what it refuses before that. CI starts from a fresh clone with a real one.
test('npm ci accepts the lock file', (t) => {
  const folder = openFolder(t)
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(root, file), join(folder, file))
  const { status, stderr } = spawnSync('npm', ['ci', '--dry-run', '--offline'], { cwd: folder, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})

test('npm start builds the clone, prints its address and how to begin, answers, and stops when asked', async (t) => {
  const folder = join(openFolder(t), 'nano-gateway')
  const wanted = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'bin', 'scripts', 'src', 'docs']
  for (const name of wanted) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const gateway = await serve(t, 'npm start', folder, { ...process.env, METRICS_PORT: '0', PORT: '0' })
  // Output that is not a terminal may be stored, so the key is written to a file instead.
  assert.match(gateway.banner, /^ {2}Admin key {2}in \S+\/data\/administrator\.key /m)
  assert.match(readFileSync(join(folder, 'data/administrator.key'), 'utf8'), /^rpc_sk_\w+\n$/)
  assert.match(gateway.banner, /^ {2}Node +development ledger, http:/m)
  const [, tried = ''] = /^ {2}curl -d '(.+)' http/m.exec(gateway.banner) ?? []
  const reply = await ask(gateway.url, { body: tried })
  assert.equal(reply.status, 200, reply.text)
  assert.match(reply.json().count!, /^\d+$/)
  // npm signals its shell, and a shell that dies does not pass the signal on. The gateway must notice that and stop cleanly.
  await gateway.stop()
  await until(() => gateway.banner.includes('"event":"stopped"'))
})

test('npm run first-payment, which replaces these pages on other systems, receives one', async (t) => {
  const { output, errors, code } = await runScript(t, `node '${join(root, 'scripts/first-payment.mjs')}'`, root, tools)
  assert.deepEqual([code, errors], [0, ''])
  assert.match(output, /asks for 1\.5\d+ nano\.\nPaid, and seen\.\n$/)
})
