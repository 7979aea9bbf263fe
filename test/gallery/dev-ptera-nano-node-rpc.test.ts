import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { Signer, UNOPENED, frontierAfter, nano } from '../support/blocks.ts'
import { runClient } from './run-client.ts'
import { FRIEND, assertBalance, assertHistory, assertRepresentative, openWorld } from './steps.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'

type Members = Record<string, string>

interface Client {
  account_balance(account: string): Promise<Members>
  accounts_balances(accounts: string[]): Promise<{ balances: Record<string, Members> }>
  account_info(account: string, options: object): Promise<Members>
  accounts_pending(accounts: string[], count: number, options?: object): Promise<{ blocks: Record<string, unknown> }>
  account_history(account: string, count: number): Promise<{ history: Members[] }>
  block_count(): Promise<Members>
  block(hash: string): Promise<{ contents: Members }>
  blocks_info(hashes: string[], options: object): Promise<{ blocks: Record<string, { contents: Members }> }>
  chain(block: string, count: number): Promise<{ blocks: string[] }>
  version(): Promise<Members>
  work_generate(hash: string): Promise<Members>
  process(body: object): Promise<Members>
  _send(action: string, parameters: object): Promise<Members>
}

test(
  '@dev-ptera/nano-node-rpc reads what it reads of a node, and publishes',
  runClient('@dev-ptera/nano-node-rpc', async ({ t, steps, access, folder }) => {
    const world = await openWorld(t, access)
    const require = createRequire(join(folder, 'package.json'))
    const { NanoClient } = require('@dev-ptera/nano-node-rpc') as { NanoClient: new (options: object) => Client }
    const client = new NanoClient({ url: world.at })
    // The package does not sign, so the test does.
    const owner = new Signer(7, WORK_THRESHOLDS.dev)
    const { address } = owner
    const publish = async (block: Parameters<typeof toBlockJson>[0], subtype: string) =>
      (await client.process({ json_block: 'true', subtype, block: toBlockJson(block) })).hash!

    const gift = await world.pay(address, 5)
    await steps.step('balance', async () => {
      const balance = await client.account_balance(address)
      assert.deepEqual([balance.balance, balance.pending], ['0', `${nano(5)}`])
      const { balances } = await client.accounts_balances([address, FRIEND])
      assert.deepEqual([balances[address]!.receivable, balances[FRIEND]!.balance], [`${nano(5)}`, '0'])
      assert.deepEqual((await client.accounts_pending([address], 1)).blocks, { [address]: [gift] })
      await assert.rejects(
        () => client.account_info(address, {}),
        (refusal: Members) => refusal.error === 'Account not found',
      )
    })
    const opened = owner.receive(UNOPENED, gift, nano(5))
    const spent = owner.send(frontierAfter(opened), fromAddress(FRIEND)!, nano(2))
    const changed = owner.change(frontierAfter(spent), fromAddress(FRIEND)!)
    await steps.step('work', async () => {
      const { work } = await client.work_generate(owner.key)
      opened.work = work!
    })
    const hashes: string[] = []
    await steps.step('receive', async () => {
      hashes.push(await publish(opened, 'open'))
      assertBalance(world, address, nano(5))
    })
    await steps.step('send', async () => {
      hashes.push(await publish(spent, 'send'))
      assertBalance(world, address, nano(3))
    })
    await steps.step('change', async () => {
      hashes.push(await publish(changed, 'change'))
      assertRepresentative(world, address, FRIEND)
    })
    await steps.step('history', async () => {
      const { history } = await client.account_history(address, 5)
      assertHistory(history)
      assert.deepEqual([history[0]!.hash, history[1]!.hash], [hashes[1], hashes[0]])
      assert.deepEqual((await client.chain(hashes[2]!, 3)).blocks, hashes.toReversed())
    })
    await steps.step('blocks', async () => {
      assert.equal((await client.block(hashes[1]!)).contents.link_as_account, FRIEND)
      const { blocks } = await client.blocks_info(hashes, { json_block: true })
      assert.deepEqual(
        hashes.map((hash) => blocks[hash]!.contents.previous),
        [opened, spent, changed].map(({ previous }) => previous),
      )
      assert.equal((await client._send('block_info', { json_block: true, hash: hashes[1] })).subtype, 'send')
    })
    await steps.step('node', async () => {
      assert.ok(Number((await client.block_count()).count) >= 5)
      assert.match((await client.version()).node_vendor!, /^Nano/)
    })
    steps.lacks('signing, websocket', 'it has none')
  }),
)
