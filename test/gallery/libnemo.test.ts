import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { nano } from '../support/blocks.ts'
import { openTlsFront } from './tls-front.ts'
import { runClient } from './run-client.ts'
import { FRIEND, REPRESENTATIVE, assertBalance, assertHistory, assertRepresentative, openWorld } from './steps.ts'

interface Account {
  address: string
  publicKey: string
  balance?: bigint
  receivable?: bigint
  frontier?: string
  representative?: Account
  refresh(rpc: Rpc): Promise<void>
}
interface Block {
  receive(hash: string, amount: bigint): Block
  send(to: string, amount: bigint): Block
  change(representative: string): Block
  pow(work: string): Promise<Block>
  sign(wallet: Wallet, index: number): Promise<Block>
  process(rpc: Rpc): Promise<string>
}
interface Wallet {
  unlock(password: string): Promise<void>
  account(index: number): Promise<Account>
  destroy(): Promise<void>
}
interface Rpc {
  call(action: string, parameters: object): Promise<Record<string, unknown>>
}
interface Library {
  Wallet: { load(type: 'BLAKE2b', password: string, seed: string): Promise<Wallet> }
  Block: new (account: Account, balance?: bigint, previous?: string, representative?: string | Account) => Block
  Rpc: new (url: string) => Rpc
}

const LIVE = { send: 'fffffff800000000', receive: 'fffffe0000000000' }
const PASSWORD = 'nobody else’s'

test(
  'libnemo checks work by the live thresholds, over TLS as it insists, and moves money',
  runClient('libnemo', async ({ t, steps, access, folder }) => {
    const world = await openWorld(t, access)
    const entry = createRequire(join(folder, 'package.json')).resolve('libnemo')
    const { Wallet, Block, Rpc } = (await import(pathToFileURL(entry).href)) as Library
    const rpc = new Rpc(await openTlsFront(t, world.at))
    const wallet = await Wallet.load('BLAKE2b', PASSWORD, 'C3'.repeat(32))
    t.after(() => wallet.destroy())
    await wallet.unlock(PASSWORD)
    const account = await wallet.account(0)
    const publish = async (block: Block, root: string, difficulty: string) => {
      const { work } = await rpc.call('work_generate', { hash: root, difficulty })
      await block.pow(String(work))
      await block.sign(wallet, 0)
      return block.process(rpc)
    }

    const gift = await world.pay(account.address, 5)
    await steps.step('receive', async () => {
      const block = new Block(account, 0n, '0'.repeat(64), REPRESENTATIVE).receive(gift, nano(5))
      await publish(block, account.publicKey, LIVE.receive)
      assertBalance(world, account.address, nano(5))
      assertRepresentative(world, account.address, REPRESENTATIVE)
    })
    const refresh = async () => {
      // It also reads the confirmed frontier, which exists only after the first confirmation.
      await world.confirmed()
      await account.refresh(rpc)
    }
    await steps.step('balance', async () => {
      await refresh()
      assert.deepEqual([account.balance, account.representative?.address], [nano(5), REPRESENTATIVE])
    })
    await steps.step('send', async () => {
      const block = new Block(account, account.balance, account.frontier, account.representative).send(FRIEND, nano(2))
      await publish(block, account.frontier!, LIVE.send)
      assertBalance(world, account.address, nano(3))
    })
    await steps.step('change', async () => {
      await refresh()
      const block = new Block(account, account.balance, account.frontier).change(FRIEND)
      await publish(block, account.frontier!, LIVE.send)
      assertRepresentative(world, account.address, FRIEND)
      assertBalance(world, account.address, nano(3))
    })
    await steps.step('history', async () => {
      const { history } = await rpc.call('account_history', { account: account.address, count: 5 })
      assertHistory(history as Record<string, string>[])
    })
    await steps.fails('`pow` with an address', 'its documents show it, and it takes the address for work', () =>
      new Block(account, nano(3), gift, FRIEND).send(FRIEND, nano(1)).pow(world.at),
    )
    steps.lacks('websocket', 'it has none')
  }),
)
