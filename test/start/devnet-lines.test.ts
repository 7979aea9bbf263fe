import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { KNOWN_SEED } from '../../src/devnet/accounts.ts'
import { LedgerLines, type LineStyle } from '../../src/cli/devnet-lines.ts'
import { NO_WORK, Signer, UNOPENED, frontierOf, nano, publish } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { CLI } from '../support/command-line.ts'
import { openDevnet } from '../support/devnet.ts'
import { call } from '../support/rpc.ts'
import { openFolder } from '../support/folder.ts'
import { startLedger } from './process.ts'

/* The terminal output of a ledger. */

async function openLines(
  t: TestContext,
  { style = 'pretty', colours = false }: { style?: LineStyle; colours?: boolean } = {},
) {
  const said: string[] = []
  const lines = new LedgerLines({ style, colours, clock: new TestClock(), write: (line) => said.push(line) })
  const devnet = await openDevnet(t, {
    thresholds: NO_WORK,
    confirmAfterMilliseconds: 0,
    onCall: (each) => lines.call(each),
  })
  t.after(lines.follow(devnet.node))
  /** Without times and durations. */
  const read = () => said.splice(0).map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, '').replace(/\d+\.\d ms$/, 'ms'))
  return { ...devnet, read }
}

test('a block is reported in one line with what it does, between whom, how much in nano, and whether it is confirmed', async (t) => {
  const { node, rpcUrl, read } = await openLines(t)
  const [alice, bob] = [new Signer(1), new Signer(2)]
  const short = ({ address }: Signer) => `${address.slice(0, 12)}…${address.slice(-6)}`
  const hashOf = (line: string) => /[0-9A-F]{8}…[0-9A-F]{6}/.exec(line)![0]
  const { hash } = await call(rpcUrl, 'devnet_fund', { account: alice.address, amount_nano: '2.0000000000001' })
  const [funded, called] = read() as [string, string]
  assert.match(
    funded,
    /^ {2}send 2\.000000… nano +nano_\w{7}…\w{6} → nano_\w{7}…\w{6} +[0-9A-F]{8}…[0-9A-F]{6} {2}confirmed$/,
  )
  assert.ok(funded.includes(`→ ${short(alice)} `) && hashOf(funded).startsWith(hash!.slice(0, 8)))
  assert.equal(called.replace(/ +/g, ' '), `devnet_fund ${short(alice)} ok ms`)

  const amount = nano(2) + 100_000_000_000_000_000n
  await publish(node, alice.receive(UNOPENED, hash!, amount))
  assert.match(read()[0]!, new RegExp(`^  open 2\\.000000… nano +${short(alice)} ← nano_`))
  await publish(node, alice.change(frontierOf(node, alice.key), bob.key))
  assert.match(read()[0]!, new RegExp(`^  change +${short(alice)} rep ${short(bob)} `))

  await call(rpcUrl, 'devnet_hold')
  await call(rpcUrl, 'devnet_fund', { account: bob.address, amount: '1' })
  await call(rpcUrl, 'devnet_release')
  const states = read().filter((line) => line.startsWith('  '))
  assert.deepEqual(
    states.map((line) => line.split(/ {2,}/).at(-1)),
    ['unconfirmed', 'confirmed'],
  )
})

test('a call is reported with its outcome, without control characters for the terminal', async (t) => {
  const { rpcUrl, read } = await openLines(t)
  await call(rpcUrl, 'devnet_fault', { target: 'version', kind: 'drop', count: '1' })
  await assert.rejects(call(rpcUrl, 'version'))
  await call(rpcUrl, '\u001b[2J')
  await call(rpcUrl, 'devnet_revert', { id: '\u001b[2J\u202e' })
  await call(rpcUrl, 'account_info', { account: '\u001b[2J' })
  assert.deepEqual(
    read().map((line) => line.replace(/ {2,}/g, ' | ')),
    [
      'devnet_fault | ok | ms',
      'version | answer lost by order | ms',
      '(no action) | Unknown command | ms',
      'devnet_revert | id: no such snapshot: \\u{1b}[2J\\u{202e} | ms',
      'account_info | Bad account number | ms',
    ],
  )
})

test('programs read the same as JSON, with whole amounts and addresses', async (t) => {
  const { rpcUrl, read } = await openLines(t, { style: 'json' })
  const alice = new Signer(1)
  const { hash } = await call(rpcUrl, 'devnet_fund', { account: alice.address, amount: '1' })
  const [block, called] = read().map((line) => JSON.parse(line) as Record<string, unknown>)
  const { time, account, ...rest } = block!
  assert.equal(typeof time, 'number')
  assert.match(String(account), /^nano_\w{60}$/)
  const amount = { amount: '0.000000000000000000000000000001', amount_raw: '1' }
  assert.deepEqual(rest, { event: 'block', subtype: 'send', hash, confirmed: true, other: alice.address, ...amount })
  assert.deepEqual(
    [called!.event, called!.action, called!.about, called!.outcome],
    ['call', 'devnet_fund', alice.address, 'ok'],
  )
})

/** The command's output: its banner, and the lines caused by a call. */
async function runCommand(t: TestContext, ...words: string[]) {
  const args = [CLI, 'devnet', '--port', '0', '--ws-port', '0', '--data', ':memory:', ...words]
  const child = spawn(process.execPath, args, { cwd: openFolder(t), stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const lines: string[] = []
  const url = await new Promise<string>((found) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line)
      const [, rpc] = /^ {2}RPC +(\S+)/.exec(lines.find((each) => each.startsWith('  RPC')) ?? '') ?? []
      if (rpc !== undefined && line.startsWith('  More ')) found(rpc)
    })
  })
  const banner = lines.splice(0)
  await call(url, 'version')
  child.kill('SIGTERM')
  await Promise.all([ended, once(child.stdout, 'close')])
  return { banner, lines: lines.filter((line) => line !== '') }
}

test('a ledger keeps running when the reader of its output is gone', async (t) => {
  const { rpc, child, ended } = await startLedger(t, openFolder(t), '--data', ':memory:', '--no-accounts')
  child.stdout.destroy()
  // More than a pipe's buffer holds.
  for (let turn = 0; turn < 50; turn++) assert.equal((await call(rpc, 'version')).network, 'dev')
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

test('the banner has ten accounts with their keys, the seed, and what to do next; lines are JSON without a terminal, unless requested otherwise', async (t) => {
  const piped = await runCommand(t)
  assert.equal(piped.banner.filter((line) => /^ {2}\(\d\) {2}nano_\w{60}$/.test(line)).length, 10)
  assert.equal(piped.banner.filter((line) => /^ {2}\(\d\) {2}[0-9A-F]{64}$/.test(line)).length, 10)
  assert.ok(piped.banner.includes(`  Seed ${KNOWN_SEED}`))
  assert.ok(piped.banner.some((line) => line.includes('devnet fund nano_')))
  const [line] = piped.lines
  assert.deepEqual(
    (({ event, action, outcome }) => [event, action, outcome])(JSON.parse(line!) as Record<string, string>),
    ['call', 'version', 'ok'],
  )
  const asked = await runCommand(t, '--log', 'pretty', '--no-accounts')
  assert.match(asked.lines[0]!, /^\d\d:\d\d:\d\d {2}version +ok {2}\d+\.\d ms$/)
  assert.ok(!asked.banner.some((each) => each.includes('Seed')))
  const quiet = await runCommand(t, '--quiet', '--accounts', '1')
  assert.deepEqual(quiet.lines, [])
})
