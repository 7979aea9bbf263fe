import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { Signer, give, nano } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { openFolder } from '../support/folder.ts'
import { type Gateway, bearer, openGateway, sharedKeys } from '../support/gateway.ts'
import { createDatabase, programFolder, query } from '../support/postgres.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { until } from '../support/until.ts'

/* A backup is put back, and a gateway that nobody has stopped goes on as if nothing had happened. */

const program = (name: string) => join(programFolder(), name)

/** A gateway on a ledger of its own, with a backup of its store, after which its wallet has sent once more. */
async function openWithBackup(t: TestContext, store: { url?: string; back: (gateway: Gateway) => Promise<unknown> }) {
  const devnet = await openDevnet(t)
  const folder = openFolder(t)
  const own = store.url === undefined ? {} : { DATABASE_URL: store.url }
  const ledger = { NODE_URLS: devnet.rpcUrl, NODE_WS_URLS: devnet.wsUrl, NODE_NETWORK: 'dev' }
  const env = { ...sharedKeys(), ...ledger, ...own, DATA_DIR: folder }
  const left: string[] = []
  const start = () => openGateway(t, env, systemClock, (reason) => left.push(reason))
  const gateway = await start()
  const headers = bearer(gateway.app.createdKey!)
  const wallet = (await gateway.call('cloud_wallet', {}, headers)).json().address!
  await give(devnet.node, fromAddress(wallet)!, toRaw(nano(5)))
  await store.back(gateway)
  const send = (at: Gateway) => {
    const fields = { account: wallet, send: new Signer(7).address, amount: '1' }
    return at.call('cloud_wallet', fields, { ...headers, 'idempotency-key': 'forgotten' })
  }
  const sent = await send(gateway)
  assert.equal(sent.status, 200, sent.text)
  const mark = async () =>
    (await gateway.app.store.db.selectFrom('store_facts').select('value').where('name', '=', 'mark').execute())[0]!
      .value
  const before = await mark()
  await until(async () => (await mark()) !== before)
  assert.deepEqual(left, [])
  return { gateway, folder, start, send, left }
}

/** The next start says that the store is older, so the forgotten key pays nobody twice. */
async function assertDeclared(start: () => Promise<Gateway>, send: (at: Gateway) => ReturnType<Gateway['call']>) {
  const next = await start()
  const repeated = await send(next)
  assert.deepEqual([repeated.status, repeated.json().code], [409, 'restored'], repeated.text)
  assert.match(next.log(), /"event":"store_restored"/)
}

test('a gateway under which a dump is restored ends, and its next start refuses keys that the store has forgotten', async (t) => {
  const url = await createDatabase()
  const dump = join(openFolder(t), 'copy.dump')
  const { gateway, start, send, left } = await openWithBackup(t, {
    url,
    back: async () => execFileSync(program('pg_dump'), ['--format=custom', `--file=${dump}`, url]),
  })
  execFileSync(program('pg_restore'), ['--clean', '--if-exists', '--single-transaction', `--dbname=${url}`, dump])
  await until(() => left.length > 0)
  assert.equal(left.length, 1)
  await gateway.close()
  await assertDeclared(start, send)
})

test('nothing is asked of a server that came back older: its connections end with its mark', async (t) => {
  const url = await createDatabase()
  const { gateway, left } = await openWithBackup(t, { url, back: async () => undefined })
  // As after a recovery to an earlier moment: the server has ended every connection, and knows less.
  await query(
    url,
    `update store_facts set value = split_part(value, ' ', 1) || ' 0' where name = 'mark';
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
  const asked = await gateway.rest('GET', '/api/account', gateway.app.createdKey)
  assert.equal(asked.status, 503, asked.text)
  await until(() => left.length > 0)
})

test('a gateway whose file was replaced ends, and its next start refuses keys that the store has forgotten', async (t) => {
  const copy = join(openFolder(t), 'copy.db')
  const { gateway, folder, start, send, left } = await openWithBackup(t, { back: ({ app }) => app.store.backup(copy) })
  const file = join(folder, 'gateway.db')
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
  copyFileSync(copy, file)
  await until(() => left.length > 0)
  await gateway.close()
  await assertDeclared(start, send)
})
