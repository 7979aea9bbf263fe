import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { Signer, give, nano } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { type Gateway, ask, openGateway, sharedKeys } from '../support/gateway.ts'
import { createDatabase, programFolder } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { openFolder } from '../support/folder.ts'

/* Backup and restore as described in docs/operating/backup.md, with the real tools. */

const program = (name: string) => join(programFolder(), name)

interface Backup {
  /** Backs up the store while the gateway runs. */
  take(gateway: Gateway): Promise<void>
  /** Restores the backup and returns the store's URL. */
  restore(): Promise<string>
}

function openBackup(t: TestContext, engine: StoreEngine, url: string): Backup {
  const folder = openFolder(t)
  const copy = join(folder, 'copy')
  if (engine === 'sqlite') {
    const target = join(folder, 'restored.db')
    return {
      take: ({ app }) => app.store.backup(copy),
      restore() {
        copyFileSync(copy, target)
        return Promise.resolve(`sqlite:${target}`)
      },
    }
  }
  return {
    take() {
      execFileSync(program('pg_dump'), ['--format=custom', `--file=${copy}`, url])
      return Promise.resolve()
    },
    async restore() {
      const empty = await createDatabase()
      execFileSync(program('pg_restore'), ['--exit-on-error', '--single-transaction', `--dbname=${empty}`, copy])
      return empty
    },
  }
}

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: a store restored from a backup opens its wallets, takes its keys and finds payments made since`, async (t) => {
    const devnet = await openDevnet(t)
    const folder = openFolder(t)
    const url = engine === 'sqlite' ? `sqlite:${join(folder, 'gateway.db')}` : await createDatabase()
    const env = {
      ...sharedKeys(),
      NODE_URLS: devnet.rpcUrl,
      NODE_WS_URLS: devnet.wsUrl,
      NODE_NETWORK: 'dev',
    }
    const first = await openGateway(t, { ...env, DATABASE_URL: url })
    const headers = { authorization: `Bearer ${first.app.createdKey}` }
    const wallet = (await first.call('cloud_wallet', { wallet_action: 'create_wallet' }, headers)).json().address!
    await give(devnet.node, fromAddress(wallet)!, nano(5))
    const made = (await first.call('checkout', { address: new Signer(41).address, amount: '1' }, headers)).json()
    const backup = openBackup(t, engine, url)
    await backup.take(first)
    await first.app.close()
    if (engine === 'sqlite') assert.ok(existsSync(join(folder, 'gateway.db')))

    // A payment arrives while no gateway runs.
    await give(devnet.node, fromAddress(made.address!)!, toRaw(BigInt(made.amount_raw!)))
    const second = await openGateway(t, { ...env, DATABASE_URL: await backup.restore() })
    assert.equal(second.app.createdKey, undefined, 'it has its administrator')
    const check = async () => (await ask(`${second.url}/check/${made.id}`, { method: 'GET' })).json().status
    await until(async () => (await check()) === 'complete')
    const send = { account: wallet, send: new Signer(7).address, amount: '2' }
    const sent = await second.call('cloud_wallet', send, headers)
    assert.equal(sent.status, 200, sent.text)
  })
}
