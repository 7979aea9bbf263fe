import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { nano } from '../support/blocks.ts'
import { until } from '../support/until.ts'
import { runClient } from './run-client.ts'
import { FRIEND, REPRESENTATIVE, assertBalance, assertRepresentative, openWorld } from './steps.ts'

type Members = Record<string, string>

interface Wallet {
  createAccounts(count: number): string[]
  receiveAll(account: string): Promise<object>
  send(order: { source: string; destination: string; amount: string }): Promise<Members>
  megaToRaw(amount: number): string
  rpc: { account_info(account: string): Promise<Members>; receivable(account: string): Promise<Members | ''> }
  websocket: { close(): void; readyState: number }
}

type NewWallet = new (options: object) => Wallet

const SEED = '51'.repeat(32)

test(
  'simple-nano-wallet-js receives by itself what the websocket tells it of',
  runClient('simple-nano-wallet-js', async ({ t, steps, access }) => {
    const world = await openWorld(t, access)
    const { Wallet } = createRequire(import.meta.url)('simple-nano-wallet-js') as { Wallet: NewWallet }
    const options = { RPC_URL: world.at, WORK_URL: world.at, seed: SEED, defaultRep: REPRESENTATIVE }

    const quiet = new Wallet({ ...options, autoReceive: false })
    const [account] = quiet.createAccounts(1) as [string]
    await steps.step('balance', async () => {
      assert.equal((await quiet.rpc.account_info(account)).error, 'Account not found')
      const hash = await world.pay(account, 5)
      assert.deepEqual(await quiet.rpc.receivable(account), { [hash]: `${nano(5)}` })
    })
    await steps.step('receive', async () => {
      // It returns before it has begun.
      assert.deepEqual(await quiet.receiveAll(account), { started: true })
      await until(() => world.ledgerOf(account) !== undefined)
      assertBalance(world, account, nano(5))
      assertRepresentative(world, account, REPRESENTATIVE)
    })
    await steps.step('send', async () => {
      const order = { source: account, destination: FRIEND, amount: quiet.megaToRaw(0.5) }
      // Two sends at once: the wallet makes them one after the other.
      const sent = await Promise.all([quiet.send(order), quiet.send(order)])
      for (const { hash } of sent) assert.match(hash!, /^[0-9A-F]{64}$/)
      assertBalance(world, account, nano(4))
      assert.equal((await quiet.rpc.account_info(account)).balance, `${nano(4)}`)
    })
    await steps.step('websocket', async () => {
      const awake = new Wallet({ ...options, WS_URL: world.wsAt })
      t.after(() => awake.websocket.close())
      const accounts = awake.createAccounts(2)
      assert.equal(accounts[0], account)
      await until(() => awake.websocket.readyState === 1)
      await world.pay(accounts[1]!, 3)
      await until(() => world.ledgerOf(accounts[1]!) !== undefined)
      assertBalance(world, accounts[1]!, nano(3))
    })
    steps.lacks('change', 'it has none')
    steps.lacks('history', 'it has none')
  }),
)
