import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { nano } from '../support/blocks.ts'
import { until } from '../support/until.ts'
import { runClient } from './run-client.ts'
import { FRIEND, REPRESENTATIVE, assertBalance, assertHistory, assertRepresentative, openWorld } from './steps.ts'

interface Amount {
  RAW: string
}
interface Account {
  address: string
  publicKey: string
  privateKey: string
  balance: Amount
  representative?: string
}
interface Client {
  generateWallet(seed: string): { accounts: Account[] }
  update(account: Account, most?: number): Promise<{ account: Account; resolvedCount: number; error?: string }>
  send(from: Account, to: string, amount: Amount): Promise<Account | undefined>
  setRepresentative(account: Account): Promise<void>
  getTransactions(address: string, count?: number): Promise<{ type: string; account: string; amount: Amount }[]>
  onReceive(address: string, listener: (received: { from: string; amount: Amount }) => void): void
  close(): void
  websocket: { ws: { readyState: number } }
}
interface Library {
  NanoClient: new (options: object) => Client
}
/** Its documentation uses this class, but the package does not export it. */
interface Models {
  NANO: { fromNumber(amount: number): Amount; ZERO: Amount }
}

test(
  '@nanobox/nano-client asks for live thresholds, moves money and hears of it',
  runClient('@nanobox/nano-client', async ({ t, steps, access, folder }) => {
    const world = await openWorld(t, access)
    const require = createRequire(join(folder, 'package.json'))
    const { NanoClient } = require('@nanobox/nano-client') as Library
    const { NANO } = require('@nanobox/nano-client/dist/models') as Models
    const client = new NanoClient({ url: world.at, websocketUrl: world.wsAt, defaultRepresentative: REPRESENTATIVE })
    t.after(() => client.close())
    const [account] = client.generateWallet('B2'.repeat(32)).accounts as [Account]
    const heard: string[] = []
    client.onReceive(account.address, ({ amount }) => heard.push(amount.RAW))
    await until(() => client.websocket.ws.readyState === 1)

    await steps.step('receive', async () => {
      await world.pay(account.address, 5)
      const { resolvedCount, error } = await client.update(account)
      assert.deepEqual([resolvedCount, error], [1, undefined])
      assertBalance(world, account.address, nano(5))
      assertRepresentative(world, account.address, REPRESENTATIVE)
    })
    await steps.step('balance', async () => {
      const updated = await client.update(account)
      assert.deepEqual([updated.resolvedCount, updated.account.balance.RAW], [0, `${nano(5)}`])
    })
    await steps.step('websocket', async () => {
      await until(() => heard.length > 0)
      assert.deepEqual(heard, [`${nano(5)}`])
    })
    await steps.step('send', async () => {
      const after = await client.send(account, FRIEND, NANO.fromNumber(2))
      assert.equal(after?.balance.RAW, `${nano(3)}`)
      assertBalance(world, account.address, nano(3))
    })
    await steps.step('change', async () => {
      const { account: now } = await client.update(account)
      await client.setRepresentative({ ...now, representative: FRIEND })
      assertRepresentative(world, account.address, FRIEND)
      assertBalance(world, account.address, nano(3))
    })
    await steps.step('history', async () => {
      const history = await client.getTransactions(account.address, 10)
      assertHistory(history.map(({ type, amount }) => ({ type, amount: amount.RAW })))
    })
  }),
)
