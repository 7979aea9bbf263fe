import assert from 'node:assert/strict'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { Signer, fundsOf, give, nano } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { type Gateway, bearer, openGateway } from '../support/gateway.ts'
import { openFolder } from '../support/folder.ts'
import { until } from '../support/until.ts'
import { blocksOf, commandsOf } from './documents.ts'
import { runScript, tools } from './shell.ts'

/* Follows the runbook from a seed phrase and the newest backup to a running service, with its own commands. */

const [adopt, compare, ...others] = blocksOf('docs/operating/runbook.md').filter(({ fence }) => fence === 'sh operator')
const SHOP = new Signer(7).address

test('after the disk is gone, money on addresses made after the backup comes back, and no request pays twice', async (t) => {
  assert.deepEqual(others, [])
  const devnet = await openDevnet(t)
  const ledger = { NODE_URLS: devnet.rpcUrl, NODE_WS_URLS: devnet.wsUrl, NODE_NETWORK: 'dev' }
  const fund = (address: string, raw: bigint) => give(devnet.node, fromAddress(address)!, toRaw(raw))
  const run = async (command: string, folder: string, expected = 0) => {
    const env = { ...tools, ...ledger, DATA_DIR: folder }
    const { output, errors, code } = await runScript(t, command, openFolder(t), env)
    assert.equal(code, expected, `${command}\n${output}\n${errors}`)
    return output + errors
  }
  const first = await openGateway(t, ledger)
  const key = first.app.createdKey!
  const create = async (gateway: Gateway) => (await gateway.call('cloud_wallet', {}, bearer(key))).json().address!
  const sendFrom = (gateway: Gateway, account: string, name: string) =>
    gateway.call('cloud_wallet', { account, send: SHOP, amount: '1' }, { ...bearer(key), 'idempotency-key': name })
  const { words } = JSON.parse(await run('npx nano-gateway wallets words --json', first.folder)) as { words: string }
  const old = await create(first)
  await fund(old, nano(5))
  const known = await sendFrom(first, old, 'known')
  assert.equal(known.status, 200, known.text)
  await first.confirmed()

  const backups = openFolder(t)
  await first.app.store.backup(join(backups, 'gateway.db'))
  for (const file of ['wallet-keys', 'secret.key']) cpSync(join(first.folder, file), join(backups, file))
  const late = await create(first)
  await create(first)
  await fund(late, nano(2))
  const forgotten = await sendFrom(first, old, 'forgotten')
  assert.equal(forgotten.status, 200, forgotten.text)
  await first.confirmed()
  await first.app.close()

  const folder = openFolder(t)
  cpSync(backups, folder, { recursive: true })
  assert.match(await run('npx nano-gateway verify', folder, 1), new RegExp(`${late}.*2 nano.*wallets recover`))
  const paper = join(folder, 'paper')
  writeFileSync(paper, words)
  const [recover, ...more] = commandsOf(adopt!.code)
  assert.deepEqual(more, [])
  const adopted = await run(`${recover} < ${paper}`, folder)
  assert.match(adopted, new RegExp(`^wal_\\S+ +${late} +2 nano$`, 'm'))
  assert.match(adopted, /^1 recovered\./m)

  const second = await openGateway(t, { ...ledger, DATA_DIR: folder })
  const { db } = second.app.store
  const repeated = await sendFrom(second, old, 'forgotten')
  assert.deepEqual([repeated.status, repeated.json().code], [409, 'restored'], repeated.text)
  assert.equal((await sendFrom(second, old, 'known')).text, known.text)
  const frozen = () => db.selectFrom('wallets').select('id').where('frozen_at', 'is not', null).executeTakeFirst()
  await until(async () => (await frozen()) !== undefined)
  const { id } = (await frozen())!
  const { id: account } = await db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
  assert.match(
    await run('npx nano-gateway wallets settle', folder, 1),
    /1 wallets have sent what this store does not know/,
  )
  const said: string[] = []
  for (const command of commandsOf(compare!.code)) {
    said.push(await run(command.replace('wal_…', id).replace('nano_…', late).replace('acc_…', account), folder))
    // The gateway must adopt the ledger's state before `verify` compares the two.
    const isTaken = () => db.selectFrom('wallets').select('id').where('thawed_at', 'is not', null).executeTakeFirst()
    if (command.includes('unfreeze')) await until(async () => (await isTaken()) === undefined)
  }
  const [listed, thawed, assigned, settled, verified] = said
  assert.match(listed!, new RegExp(`^restored .*wallets settle\\n${id} .*\\n +sent 1 nano to ${SHOP} `, 'm'))
  assert.match(thawed!, new RegExp(`^${id} goes on`))
  assert.match(assigned!, new RegExp(`^${late} belongs to ${account}`))
  assert.match(settled!, /^Settled/)
  assert.match(verified!, /everything agrees/)

  for (const [wallet, name] of [
    [late, 'anew'],
    [old, 'anew too'],
  ] as const) {
    const sent = await sendFrom(second, wallet, name)
    assert.equal(sent.status, 200, sent.text)
  }
  await second.confirmed()
  assert.deepEqual(
    [SHOP, old, late].map((address) => fundsOf(devnet.node, address)),
    [nano(4), nano(2), nano(1)],
  )
})
