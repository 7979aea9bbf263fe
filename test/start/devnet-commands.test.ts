import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { KNOWN_SEED } from '../../src/devnet/accounts.ts'
import { fromAddress, toAddress } from '../../src/kernel/nano/address.ts'
import { deriveKey, publicKeyOf } from '../../src/kernel/nano/keys.ts'
import { Signer, frontierOf, nano } from '../support/blocks.ts'
import { CLI, askCommand } from '../support/command-line.ts'
import { openDevnet } from '../support/devnet.ts'
import { call } from '../support/rpc.ts'
import { openFolder } from '../support/folder.ts'
import { startLedger } from './process.ts'

test('ten accounts of the known seed have money at the first start, and keep their balances at the next', async (t) => {
  const folder = openFolder(t)
  const first = await startLedger(t, folder, '--data', ':memory:')
  assert.deepEqual([first.seed, first.accounts!.length], [KNOWN_SEED, 10])
  assert.deepEqual(
    first.accounts!.map(({ address, privateKey }) => [address, privateKey]),
    first.accounts!.map((_, at) => deriveKey(KNOWN_SEED, at)).map((key) => [toAddress(publicKeyOf(key)), key]),
  )
  for (const { address } of first.accounts!) {
    const balance = await call(first.rpc, 'account_balance', { account: address })
    assert.deepEqual([balance.balance, balance.receivable], [nano(1_000).toString(), '0'])
  }
  assert.equal((await call(first.rpc, 'block_count')).count, '23')
  await first.stop()

  const begun = await startLedger(t, folder, '--data', 'ledger.db', '--accounts', '1')
  const [spender] = begun.accounts!
  const before = await call(begun.rpc, 'account_info', { account: spender!.address, representative: 'true' })
  const { block } = await call<{ block: object }>(begun.rpc, 'block_create', {
    ...{ type: 'state', json_block: 'true', key: spender!.privateKey, previous: before.frontier, balance: '1' },
    ...{ representative: before.representative, link: new Signer(1).address },
  })
  const { hash } = await call(begun.rpc, 'process', { json_block: 'true', block })
  await begun.stop()
  const again = await startLedger(t, folder, '--data', 'ledger.db', '--accounts', '2')
  const after = await call(again.rpc, 'account_info', { account: spender!.address })
  assert.deepEqual([after.frontier, after.balance], [hash, '1'])
  assert.equal((await call(again.rpc, 'block_count')).count, '8')
})

test('pages are served on this machine alone unless set otherwise, and know the accounts of the banner; without both there are none', async (t) => {
  const { explorer, accounts, rpc } = await startLedger(t, openFolder(t), '--data', ':memory:', '--ui', '0')
  assert.match(explorer!, /^http:\/\/127\.0\.0\.1:\d+$/)
  const page = await (await fetch(explorer!)).text()
  assert.ok(page.includes(rpc) && page.includes('account 9'))
  const found = await (await fetch(`${explorer}/?q=account+3`)).text()
  assert.ok(found.includes(accounts![3]!.address))
  const without = await startLedger(t, openFolder(t), '--data', ':memory:', '--no-accounts')
  assert.deepEqual([without.explorer, without.accounts], [undefined, undefined])
  assert.equal((await call(without.rpc, 'block_count')).count, '3')
})

test('every control is a command', async (t) => {
  const folder = openFolder(t)
  const { rpcUrl, node } = await openDevnet(t, { confirmAfterMilliseconds: 0 })
  const run = (...words: string[]) =>
    askCommand(folder, 'devnet', ...words, '--url', rpcUrl) as Promise<Record<string, string>>
  const alice = new Signer(1)

  const { id } = await run('snapshot')
  await run('hold')
  const { hash } = await call(rpcUrl, 'devnet_fund', { account: alice.address, amount: '5' })
  await run('confirm', hash!)
  assert.equal((await call(rpcUrl, 'block_info', { hash })).confirmed, 'true')
  const second = await call(rpcUrl, 'devnet_fund', { account: alice.address, amount: '6' })
  const { hash: rival } = await run('fork-block', second.hash!, '--wins-after-ms', '0')
  assert.equal((await call(rpcUrl, 'block_info', { hash: rival })).confirmed, 'true')
  const third = await call(rpcUrl, 'devnet_fund', { account: alice.address, amount: '7' })
  assert.deepEqual(await run('drop', third.hash!), { dropped: [third.hash] })
  assert.deepEqual(await run('rollback', rival!), { rolled_back: [rival] })
  await run('release')
  assert.equal(node.holds, false)

  assert.deepEqual(await run('impersonate', alice.address), { impersonated: [alice.address] })
  assert.deepEqual(await run('impersonate', alice.address, '--end'), { impersonated: '' })
  assert.deepEqual(await run('set-time', '--unix', '2000000000').then(({ unix }) => unix!.slice(0, 9)), '200000000')
  assert.ok(Number((await run('set-time', '--advance', '1000')).unix) >= 2_000_001_000)
  await run('resync', '1700000000')
  assert.equal((await call(rpcUrl, 'block_info', { hash })).local_timestamp, '1700000000')
  await run('fault', 'version', 'error', '--count', '1')
  assert.ok((await call(rpcUrl, 'version')).error)
  await run('fault', '*', 'error')
  await run('fault', '*', '--count', '0')
  assert.equal((await call(rpcUrl, 'version')).network, 'dev')

  const file = join(folder, 'state.json')
  assert.deepEqual(await run('dump', file), { file })
  const frontier = frontierOf(node, node.ledger.genesis.account)
  await run('revert', id!, '--end')
  assert.equal(node.ledger.store.totals().blocks, 3)
  await assert.rejects(run('revert', id!), /id: no such snapshot/)
  assert.deepEqual(await run('load', file), { blocks: '1' })
  assert.deepEqual(frontierOf(node, node.ledger.genesis.account), frontier)
  await run('reset')
  assert.equal(node.ledger.store.totals().blocks, 3)
})

test('a ledger starts with the state of a file, which never replaces an existing ledger', async (t) => {
  const folder = openFolder(t)
  const made = await openDevnet(t, { confirmAfterMilliseconds: 0 })
  const alice = new Signer(1)
  await made.node.fund(fromAddress(alice.address)!, nano(5))
  const { state } = await call<{ state: object }>(made.rpcUrl, 'devnet_dump')
  writeFileSync(join(folder, 'state.json'), JSON.stringify(state))

  const begun = await startLedger(t, folder, '--state', 'state.json', '--accounts', '1')
  assert.equal(begun.data, ':memory:')
  const bare = await startLedger(t, folder, '--state', 'state.json')
  assert.equal((await call(bare.rpc, 'block_count')).count, '4', 'a state is begun with as it is')
  assert.equal((await call(begun.rpc, 'account_balance', { account: alice.address })).receivable, nano(5).toString())
  assert.equal((await call(begun.rpc, 'block_count')).count, '6')

  await (await startLedger(t, folder, '--data', 'ledger.db', '--accounts', '1')).stop()
  writeFileSync(join(folder, 'wrong.json'), JSON.stringify(state).replace('devnet 1', 'devnet 9'))
  for (const [data, file, reason] of [
    ['ledger.db', 'state.json', /names one that has begun/],
    ['other.db', 'wrong.json', /state\.format must be/],
  ] as const) {
    const words = ['devnet', '--port', '0', '--ws-port', '0', '--data', data, '--state', file]
    await assert.rejects(promisify(execFile)(process.execPath, [CLI, ...words], { cwd: folder }), reason)
  }
})
