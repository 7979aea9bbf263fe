import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { ledgerFile, openDevnet } from '../support/devnet.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { spawnDevnet } from '../support/spawn-devnet.ts'
import { readOptions } from './options.ts'
import { toLines } from './report.ts'
import { hasFailed, runScenario } from './run.ts'

const funds = DEV_NETWORK.genesisPrivateKey

test('with a slow node of its own, everything users do works as with the development ledger', async (t) => {
  const node = await spawnDevnet(ledgerFile(t))
  t.after(() => node.kill())
  const args = ['--node', node.rpcUrl, '--ws', node.wsUrl, '--network', 'dev']
  const report = await runScenario(readOptions(args, {}), { tell: (line) => t.diagnostic(line) })
  const lines = toLines(report)
  assert.equal(hasFailed(report), false, lines.join('\n'))
  assert.deepEqual(report.differences, [])
  assert.match(lines.at(-1)!, /What differs: nothing/)
})

test('an operator whose node answers otherwise sees which answer, and how', async (t) => {
  const ledger = await openDevnet(t)
  const node = await FaultyNode.start(t, { ledger })
  node.lie('representatives_online', () => ({ representatives: '' }))
  const options = { nodeUrls: node.url, nodeWsUrls: ledger.wsUrl, network: 'dev', funds } as const
  const report = await runScenario(options, { steps: 1 })
  const lines = toLines(report).join('\n')
  assert.equal(hasFailed(report), false, lines)
  assert.match(lines, /What differs:\n {2}representatives: \.representatives.*: .* here, .* there/)
})

test('an operator whose node does not answer sees which step failed, and the scenario ends there', async (t) => {
  const ledger = await openDevnet(t)
  const node = await FaultyNode.start(t, { ledger })
  await node.behave('status 500', { actions: ['representatives_online'] })
  const report = await runScenario({ nodeUrls: node.url, nodeWsUrls: '', network: 'dev', funds }, { steps: 2 })
  assert.equal(hasFailed(report), true)
  assert.deepEqual(
    report.here.outcomes.map(({ failure }) => failure),
    [undefined, undefined],
  )
  const [first, second] = report.there.outcomes
  assert.match(first!.failure!, /^representatives: .*No node available/)
  assert.match(toLines(report).join('\n'), /FAILED there: the gateway is ready: .*No node available/)
  t.after(() => rmSync(report.there.kept!, { recursive: true }))
  assert.equal(second!.failure, 'not begun')
})

test('money of a real network comes from a key that its owner provides and that is never printed', (t) => {
  const key = 'ab'.repeat(32)
  const at = (...args: string[]) => ['--node', 'http://127.0.0.1:1', ...args]
  assert.throws(() => readOptions([], {}), /Usage: npm run scenario/)
  assert.throws(() => readOptions(at('--network', 'live'), {}), /comes from FUNDS_KEY or FUNDS_SEED/)
  assert.throws(() => readOptions(at('--network', 'moon'), {}), /dev, beta, live/)
  assert.throws(() => readOptions(at(), { FUNDS_KEY: key, FUNDS_SEED: key }), /not both/)
  assert.throws(
    () => readOptions(at(), { FUNDS_KEY: `${key}0` }),
    (error: Error) => /64 hexadecimal/.test(error.message) && !error.message.includes(key),
  )
  assert.equal(readOptions(at(), {}).funds, funds)
  assert.equal(readOptions(at('--network', 'live'), { FUNDS_KEY: key }).funds, key.toUpperCase())
  const file = ledgerFile(t)
  writeFileSync(file, `FUNDS_SEED=${key}\n`)
  const { network, funds: first } = readOptions(at('--network', 'beta', '--funds', file), {})
  assert.equal(network, 'beta')
  assert.match(first, /^[0-9A-F]{64}$/)
  assert.notEqual(first, key.toUpperCase())
  const given = { NODE_URLS: 'http://a,http://b', NODE_WS_URLS: 'ws://a', NODE_NETWORK: 'dev' }
  assert.deepEqual(readOptions([], given), {
    nodeUrls: 'http://a,http://b',
    nodeWsUrls: 'ws://a',
    network: 'dev',
    funds,
  })
})
