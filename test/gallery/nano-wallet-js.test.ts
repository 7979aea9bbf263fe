import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { nano } from '../support/blocks.ts'
import { runClient } from './run-client.ts'
import { FRIEND, REPRESENTATIVE, assertBalance, assertRepresentative, openWorld } from './steps.ts'

interface Wallet {
  account: string
  balance: string
  receivable: string
  receivableBlocks: { blockHash: string; amount: string }[]
  frontier: string | null
  sync(): Promise<void>
  receive(hash: string): Promise<{ hash: string }>
  send(to: string, amount: string): Promise<{ hash: string }>
  setRepresentative(account: string): Promise<{ hash: string }>
}

type NewWallet = new (config: object) => Wallet

test(
  'nano-wallet-js asks for live thresholds, checks what it gets, and moves money',
  runClient('nano-wallet-js', async ({ t, steps, access, folder }) => {
    const world = await openWorld(t, access)
    const require = createRequire(join(folder, 'package.json'))
    const { default: NanoWallet } = require('nano-wallet-js') as { default: NewWallet }
    const wallet = new NanoWallet({
      privateKey: 'A1'.repeat(32),
      rpcUrls: [world.at],
      workerUrls: [world.at],
      representative: REPRESENTATIVE,
      precomputeWork: false,
    })

    await steps.step('balance', async () => {
      await world.pay(wallet.account, 5)
      await wallet.sync()
      assert.deepEqual([wallet.balance, wallet.receivable, wallet.frontier], ['0', `${nano(5)}`, null])
    })
    await steps.step('receive', async () => {
      for (const { blockHash } of wallet.receivableBlocks) await wallet.receive(blockHash)
      assertBalance(world, wallet.account, nano(5))
      assertRepresentative(world, wallet.account, REPRESENTATIVE)
      await world.confirmed()
      await wallet.sync()
      assert.deepEqual([wallet.balance, wallet.receivable], [`${nano(5)}`, '0'])
    })
    await steps.step('send', async () => {
      const { hash } = await wallet.send(FRIEND, `${nano(2)}`)
      assert.equal(wallet.frontier, hash)
      assertBalance(world, wallet.account, nano(3))
    })
    await steps.step('change', async () => {
      await wallet.setRepresentative(FRIEND)
      assertRepresentative(world, wallet.account, FRIEND)
      assertBalance(world, wallet.account, nano(3))
    })
    steps.lacks('history', 'it has none')
    steps.lacks('websocket', 'it has none')
  }),
)
