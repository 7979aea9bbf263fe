import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { Signer, give, nano } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { type Gateway, ask, openGateway, sharedKeys } from '../support/gateway.ts'
import { createDatabase, programFolder, query } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { type Block, blocksWith, commandsOf } from './documents.ts'
import { runScript, tools } from './shell.ts'
import { openFolder } from '../support/folder.ts'

/*
 * Runs the operators' commands (`sh operator`) with the real tools, on stores with a dead job, a frozen wallet and unclaimed money. Placeholders (`acc_…`)
 * are replaced with real ids.
 */

/** The genesis account, which funds all others. */
const GENESIS = 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'
/** going-live.test.ts and disk-gone.test.ts follow those two pages in order. */
const others = ['docs/going-live.md', 'docs/operating/runbook.md']
const blocks = new Set(blocksWith('sh operator').filter(({ page }) => !others.includes(page)))

/** Takes the block that begins like this. Blocks that were not taken are reported as untested. */
function take(begin: string): Block {
  const block = [...blocks].find(({ code }) => code.startsWith(begin))
  assert.ok(block, `no block begins with ${begin}`)
  blocks.delete(block)
  return block
}

const bearer = (gateway: Gateway) => ({ authorization: `Bearer ${gateway.app.createdKey}` })

/** What must survive the move of a store: its administrator, a wallet with money, a checkout. */
async function fill(gateway: Gateway, fund: (address: string, raw: bigint) => Promise<unknown>) {
  const headers = bearer(gateway)
  const made = await gateway.call('cloud_wallet', { wallet_action: 'create_wallet' }, headers)
  const wallet = made.json().address!
  await fund(wallet, nano(5))
  const checkout = (await gateway.call('checkout', { address: new Signer(41).address, amount: '1' }, headers)).json()
  return { headers, wallet, checkout }
}

type Kept = Awaited<ReturnType<typeof fill>>

/** Checks that the key works, the wallet sends, and the checkout exists. */
async function assertServes(gateway: Gateway, { headers, wallet, checkout }: Kept): Promise<void> {
  assert.equal(gateway.app.createdKey, undefined, 'it has its administrator')
  const found = await ask(`${gateway.url}/check/${checkout.id}`, { method: 'GET' })
  assert.equal(found.status, 200, found.text)
  const sent = await gateway.call(
    'cloud_wallet',
    { account: wallet, send: new Signer(7).address, amount: '2' },
    headers,
  )
  assert.equal(sent.status, 200, sent.text)
}

test('the commands for backup and restore restore both engines with all data', async (t) => {
  const devnet = await openDevnet(t)
  const fund = (address: string, raw: bigint) => give(devnet.node, fromAddress(address)!, toRaw(raw))
  const settings = { ...sharedKeys(), NODE_URLS: devnet.rpcUrl, NODE_WS_URLS: devnet.wsUrl, NODE_NETWORK: 'dev' }
  const url = await createDatabase()
  const sqlite = await openGateway(t, settings)
  const postgres = await openGateway(t, { ...settings, DATABASE_URL: url })
  const [kept, keptThere] = [await fill(sqlite, fund), await fill(postgres, fund)]

  const cwd = openFolder(t)
  const { hostname: PGHOST, port: PGPORT, username: PGUSER } = new URL(url)
  const env = { ...tools, PATH: `${tools.PATH}:${programFolder()}`, PGHOST, PGPORT, PGUSER, DATA_DIR: sqlite.folder }
  const run = async (command: string, own: Record<string, string> = {}) => {
    const { output, errors, code } = await runScript(t, command, cwd, { ...env, ...own })
    assert.equal(code, 0, `${command}\n${output}\n${errors}`)
  }
  const [copy, dump, ...others] = commandsOf(take('npx nano-gateway backup').code)
  await run(copy!)
  await run(dump!, { DATABASE_URL: url })
  await Promise.all([sqlite.app.close(), postgres.app.close()])

  const [clean, put, create, ...more] = commandsOf(take('rm -f').code)
  assert.deepEqual([others, more], [[], []])
  rmSync(join(sqlite.folder, 'gateway.db'))
  await run(clean!)
  await run(put!)
  const target = Object.assign(new URL(url), { pathname: '/gateway' }).href
  t.after(() => query(url, 'drop database if exists gateway with (force)'))
  await run(create!, { DATABASE_URL: target })
  await assertServes(await openGateway(t, { ...settings, DATA_DIR: sqlite.folder }), kept)
  await assertServes(await openGateway(t, { ...settings, DATABASE_URL: target }), keptThere)
})

test('the commands of operators work on a store in use, which then moves to PostgreSQL', async (t) => {
  const gateway = await openGateway(t)
  const { db } = gateway.app.store
  const devnet = gateway.app.devnet!
  const fund = (address: string, raw: bigint) => give(devnet.node, fromAddress(address)!, toRaw(raw))
  const kept = await fill(gateway, fund)
  const [account] = await db.selectFrom('accounts').select('id').execute()
  const job = { kind: 'docs.nothing', key: null, payload: '{}', status: 'dead', run_at: 0, attempts: 1 } as const
  const ended = { attempts_max: 1, locked_until: null, fence: 0, last_error: 'x', created_at: 0, finished_at: 0 }
  await db
    .insertInto('jobs')
    .values({ id: 'job_docs', ...job, ...ended })
    .execute()
  const frozen = (await gateway.call('cloud_wallet', { wallet_action: 'create_wallet' }, kept.headers)).json().address!
  await db
    .updateTable('wallets')
    .set({ frozen_at: 1, frozen_reason: 'A person said so.' })
    .where('address', '=', frozen)
    .execute()
  const { id: walletId } = await db
    .selectFrom('wallets')
    .select('id')
    .where('address', '=', frozen)
    .executeTakeFirstOrThrow()
  const offer = (await gateway.call('buy_rpc', {}, kept.headers)).json()
  await fund(offer.address!, nano(3))
  const waiting = () =>
    db.selectFrom('checkout_payments').select('block_hash').where('kind', '=', 'unmatched').execute()
  await until(async () => (await waiting()).length === 1)
  const [paid] = await waiting()
  const target = await createDatabase()

  const env = { ...tools, DATA_DIR: gateway.folder }
  let keyId = ''
  const said: string[] = []
  for (const command of commandsOf(take('npx nano-gateway migrate-store').code)) {
    const real = command
      .replace('postgres://…', target)
      .replace('acc_…', account!.id)
      .replace('key_…', keyId)
      .replace('job_…', 'job_docs')
      .replace('wal_…', walletId)
      .replace('<block>', paid!.block_hash)
    assert.doesNotMatch(real, /…|<\w+>/, 'everything of the reader is replaced')
    const { output, errors, code } = await runScript(t, real, openFolder(t), env)
    assert.equal(code, 0, `${real}\n${output}\n${errors}`)
    said.push(output)
    keyId = /^(key_\w+) .* shop /m.exec(output)?.[1] ?? keyId
  }
  const [moved, created, limited, listed, revoked, retried, rotated, thawed, refunded, ...rest] = said
  assert.deepEqual(rest, [])
  assert.match(moved!, /^accounts: 1 rows.*Counts and sums agree\./ms)
  assert.match(created!, /^rpc_sk_\w+\nShown only once/)
  assert.match(limited!, /^rpc_sk_\w+\nShown only once/)
  assert.match(listed!, /^key_\w+ .* shop /m)
  assert.match(listed!, /^key_\w+ .* payouts /m)
  assert.match(revoked!, new RegExp(`^Revoked ${keyId}\\.`))
  assert.match(retried!, /^Job job_docs runs again\./)
  assert.match(rotated!, /^\d wallets are encrypted with /)
  assert.match(thawed!, new RegExp(`^${walletId} goes on\\.`))
  assert.match(refunded!, /^3 nano go to nano_/)
  const refunds = () => devnet.node.ledger.receivableSum(fromAddress(GENESIS)!, true)
  await until(() => refunds() > 0n)

  await gateway.app.close()
  const ledger = { DEVNET_TREASURY_NANO: '0', DATA_DIR: gateway.folder }
  await assertServes(await openGateway(t, { ...ledger, DATABASE_URL: target }), kept)
})

test('no other block of the documents is for operators', () => {
  assert.deepEqual([...blocks], [])
})
