import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openControls } from '../../src/devnet/rpc/controls.ts'
import { CONTROL_CALLS } from '../../src/testing/control-calls.ts'
import { Ledger, LedgerError, type LedgerOptions, nano, raw, startLedger } from '../../src/testing/index.ts'
import { CLI } from '../support/command-line.ts'
import { execFileSync } from 'node:child_process'

/* The ledger of `@nano-gateway/devnet` in tests. */

async function open(t: TestContext, options: LedgerOptions = {}) {
  const ledger = await startLedger(options)
  t.after(() => ledger.close())
  return ledger
}

const isConfirmed = async (ledger: Ledger, hash: string) =>
  (await ledger.rpc('block_info', { hash, json_block: 'true' })).confirmed === 'true'

test('known accounts have money and keys, send, receive and change; payments at once follow each other, too much is refused, and a new account is open', async (t) => {
  const ledger = await open(t, { accounts: 3 })
  const [alice, bob, carol] = ledger.accounts
  const keys = ledger.accounts.map(({ index, privateKey }) => `${index}: ${privateKey.length}`)
  assert.deepEqual(keys, ['0: 64', '1: 64', '2: 64'])
  const hash = await alice!.send(bob!, '1.5')
  assert.equal(await isConfirmed(ledger, hash), true)
  assert.deepEqual(await bob!.balance(), { balance: raw('1000'), receivable: raw('1.5') })
  assert.equal((await bob!.receive()).length, 1)
  assert.deepEqual(await bob!.receive(), [])
  assert.deepEqual(await bob!.balance(), { balance: raw('1001.5'), receivable: 0n })
  await bob!.change(carol!)
  const { representative } = await ledger.rpc('account_representative', { account: bob!.address })
  assert.equal(representative, carol!.address)
  assert.equal(nano((await alice!.balance()).balance), '998.5')

  await Promise.all([alice!.send(bob!, '1'), alice!.send(bob!, '2'), alice!.send(bob!.address, raw('3'))])
  assert.equal((await bob!.balance()).receivable, raw('6'))
  await assert.rejects(alice!.send(bob!, '995'), LedgerError)
  await assert.rejects(alice!.send(bob!, 'much'), /Not an amount/)
  await assert.rejects(alice!.send('nobody', '1'), /Not an address/)
  await alice!.send(bob!, '1')

  // Works during a hold too.
  await ledger.hold()
  const account = await ledger.newAccount('2.5')
  assert.deepEqual(await account.balance(), { balance: raw('2.5'), receivable: 0n })
  assert.equal(ledger.account(account.privateKey).address, account.address)
})

test('every control of the ledger is a call', async (t) => {
  const ledger = await open(t, { accounts: 2 })
  const [alice, bob] = ledger.accounts
  const calls = new Set<string>()
  const noted = new Proxy(ledger, {
    get(target, name) {
      calls.add(String(name))
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
  const before = await noted.dump()
  const id = await noted.snapshot()

  await noted.hold()
  const first = await alice!.send(bob!, '1')
  assert.equal(await isConfirmed(ledger, first), false)
  await noted.confirm(first)
  assert.equal(await isConfirmed(ledger, first), true)
  const second = await alice!.send(bob!, '2')
  const rival = await noted.forkBlock(second, { winsAfterMs: 0 })
  assert.equal(await isConfirmed(ledger, rival), true)
  await assert.rejects(ledger.rpc('block_info', { hash: second }), { message: 'Block not found', action: 'block_info' })
  const third = await alice!.send(bob!, '3')
  assert.deepEqual(await noted.drop(third), [third])
  assert.deepEqual(await noted.rollback(rival), [rival])
  const fourth = await alice!.send(bob!, '4')
  await noted.release()
  await ledger.confirmed(fourth)

  assert.equal(await noted.setTime({ unix: 2_000_000_000 }).then((unix) => Math.floor(unix / 100)), 20_000_000)
  assert.ok((await noted.setTime({ advance: 1_000 })) >= 2_000_001_000)
  await noted.resync(1_700_000_000)
  assert.equal((await ledger.rpc('block_info', { hash: fourth })).local_timestamp, '1700000000')

  const ghost = await noted.impersonate(bob!)
  assert.equal(ghost.privateKey, undefined)
  await ghost.send(alice!, '5')
  await noted.stopImpersonating(bob!)
  await assert.rejects(ghost.send(alice!, '5'), { message: 'Bad signature' })

  await noted.fault('version', { kind: 'error', count: 1 })
  await assert.rejects(ledger.rpc('version'), { message: 'Internal server error in RPC' })
  await noted.fault('version', { kind: 'drop' })
  await assert.rejects(ledger.rpc('version'), /version was not answered/)
  await noted.endFault('version')
  assert.equal((await ledger.rpc('version')).network, 'dev')
  await noted.fund(bob!, '7')
  assert.equal((await bob!.balance()).receivable, raw('12'))

  const after = await noted.dump()
  await noted.revert(id)
  assert.deepEqual(await ledger.dump(), before)
  assert.equal(await noted.load(after), after.blocks.length)
  assert.deepEqual(await ledger.dump(), after)
  await noted.reset()
  assert.deepEqual((await ledger.dump()).blocks, [])

  const wanted = Object.values(CONTROL_CALLS).flat() as string[]
  const uncalled = wanted.filter((name) => !calls.has(name))
  assert.deepEqual(uncalled, [], 'called above')
  assert.deepEqual(Object.keys(CONTROL_CALLS).sort(), Object.keys(openControls(() => false)).sort())
})

test('what is run around a snapshot leaves nothing behind, also when it fails', async (t) => {
  const ledger = await open(t, { accounts: 2 })
  const [alice, bob] = ledger.accounts
  const before = await ledger.dump()
  assert.equal(await ledger.around(() => alice!.send(bob!, '1').then(() => 'done')), 'done')
  const failing = ledger.around(async () => {
    await ledger.hold()
    await alice!.send(bob!, '1')
    throw new Error('red')
  })
  await assert.rejects(failing, /red/)
  assert.deepEqual(await ledger.dump(), before)
  assert.equal(await isConfirmed(ledger, await alice!.send(bob!, '1')), true, 'nothing is held any more')
})

test('ledgers side by side know nothing of each other', async (t) => {
  const ledgers = await Promise.all([1, 2, 3].map((accounts) => open(t, { accounts })))
  assert.equal(new Set(ledgers.flatMap(({ rpcUrl, wsUrl }) => [rpcUrl, wsUrl])).size, 6)
  await ledgers[0]!.accounts[0]!.change(ledgers[2]!.accounts[2]!)
  const counts = await Promise.all(ledgers.map(async (ledger) => (await ledger.rpc('block_count')).count))
  assert.deepEqual(counts, ['6', '7', '9'])
})

test('it begins with a state, another identity and a time to confirm, and refuses what makes no sense', async (t) => {
  const first = await open(t, { accounts: 1, genesis: 'one' })
  const state = await first.dump()
  const second = await open(t, { state, genesis: 'one', confirmMs: [20, 40] })
  assert.equal(second.genesis.hash, first.genesis.hash)
  assert.deepEqual([second.accounts.length, (await second.rpc('block_count')).count], [0, '5'])
  const hash = await second.fund(first.accounts[0]!, '1')
  await second.confirmed(hash)
  await second.hold()
  const held = await second.fund(first.accounts[0]!, '1')
  await assert.rejects(second.confirmed(held, { timeoutMs: 0 }), /is the ledger on hold/)
  await assert.rejects(startLedger({ state }), /state\.genesis is that of another ledger/)
  await assert.rejects(startLedger({ seed: 'x' }), /A seed has 64 hexadecimal digits/)
  const easy = await open(t, { accounts: 2, work: 'none' })
  await easy.accounts[0]!.send(easy.accounts[1]!, '1')
  assert.equal((await easy.accounts[1]!.receive()).length, 1)
  assert.equal((await easy.rpc('active_difficulty')).network_minimum, '0'.repeat(16))
  const dear = await open(t, { accounts: 0, work: 'live' })
  assert.equal((await dear.rpc('active_difficulty')).network_minimum, 'fffffff800000000')
  await assert.rejects(startLedger({ work: 'much' as 'none' }), /work is dev, live or none/)
  await assert.rejects(startLedger({ accounts: -1 }), /accounts is a whole number/)
  await first.close()
  await first.close()
  await assert.rejects(first.rpc('version'), LedgerError)
})

test('the guide has every control with its fields, its command and its call', () => {
  const root = resolve(import.meta.dirname, '../..')
  const guide = readFileSync(join(root, 'docs/devnet-controls.md'), 'utf8')
  const rows = [...guide.matchAll(/^\| `(devnet_\w+)` \|[^|]*\| `([^`]+)` \| ((?:`[^`]+`(?:, )?)+) \|/gm)]
  const controls = Object.keys(openControls(() => false)).sort()
  assert.deepEqual(rows.map(([, action]) => action).sort(), controls)
  const help = execFileSync(process.execPath, [CLI, 'devnet', '--help'], { encoding: 'utf8' })
  for (const [, action = '', command = '', calls = ''] of rows) {
    const word = action.replace('devnet_', '').replaceAll('_', '-')
    assert.ok(new RegExp(`^${word}\\b`).test(command), `${action} is the command ${command}`)
    assert.match(help, new RegExp(`^  ${word}\\b`, 'm'))
    const named = [...calls.matchAll(/`(\w+)\(/g)].map(([, name]) => name)
    assert.deepEqual(named, CONTROL_CALLS[action as keyof typeof CONTROL_CALLS], action)
  }
})
